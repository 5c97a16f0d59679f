"""Tokenizers that need a library or a file which is not always there."""

import importlib
import pickle
import sys

import pytest

from metrics import BLEU
from metrics.tokenizers import get_tokenizer, tokenizer_name
from metrics.tokenizers import mecab as mecab_tokenizers
from metrics.tokenizers.sentencepiece import URLS

TEXTS = [
    "A man is running up the hill.",
    "Two dogs run; a cat sat on 3.5 mats (again)!",
    "彼は東京で本を読んでいる。　ペンです",
    "안녕하세요. 저는 학교에 갑니다.",
    "",
    "  ",
]


def with_library(name):
    """Skips a test without MeCab and the dictionary."""
    dictionary = mecab_tokenizers.DICTIONARIES[name]
    pytest.importorskip(dictionary.library)
    pytest.importorskip(dictionary.package)


@pytest.mark.parametrize(
    ("name", "text", "tokens", "signature"),
    [
        (
            "ja-mecab",
            "彼は東京で本を読んでいる。　ペンです",
            "彼 は 東京 で 本 を 読ん で いる 。 ペン です",
            "ja-mecab-0.996-IPA",
        ),
        (
            "ko-mecab",
            "안녕하세요. 저는 학교에 갑니다.",
            "안녕 하 세요 . 저 는 학교 에 갑니다 .",
            "ko-mecab-0.996/ko-0.9.2-KO",
        ),
    ],
)
def test_mecab_finds_words(name, text, tokens, signature):
    """The tokens and the signature are sacreBLEU's."""
    with_library(name)
    tokenize = get_tokenizer(name)
    assert tokenize(text) == tokens.split()
    assert tokenize("") == tokenize(" \n") == []
    assert tokenizer_name(name) == signature
    assert pickle.loads(pickle.dumps(tokenize))(text) == tokens.split()
    score = BLEU(tokenizer=name).sentence_score([text], text)
    assert score.value == 1 and f"|tok:{signature}|" in score.signature


@pytest.mark.parametrize("name", mecab_tokenizers.DICTIONARIES)
def test_a_missing_library_names_the_extra(name, monkeypatch):
    dictionary = mecab_tokenizers.DICTIONARIES[name]
    mecab_tokenizers._tagger.cache_clear()
    monkeypatch.setitem(sys.modules, dictionary.library, None)
    with pytest.raises(ImportError, match=rf"pip install 'memnets\[{name[:2]}\]'"):
        BLEU(tokenizer=name)


def test_another_dictionary_is_an_error(monkeypatch):
    with_library("ja-mecab")
    mecab_tokenizers._tagger.cache_clear()
    other = mecab_tokenizers.Dictionary("MeCab", "ipadic", "ja", 1000, "IPA")
    monkeypatch.setitem(mecab_tokenizers.DICTIONARIES, "ja-mecab", other)
    with pytest.raises(ImportError, match="with 1000 words and no other"):
        get_tokenizer("ja-mecab")


@pytest.fixture(scope="module")
def model(tmp_path_factory):
    """The path of a small SentencePiece model, where sacreBLEU looks for FLORES-101."""
    library = pytest.importorskip("sentencepiece")
    name = URLS["flores101"].rpartition("/")[2]
    path = tmp_path_factory.mktemp("sacrebleu") / "models" / name
    path.parent.mkdir()
    lines = [f"{text} {i} {text[::-1]}" for i in range(40) for text in TEXTS[:2]]
    library.SentencePieceTrainer.train(
        sentence_iterator=iter(lines),
        model_prefix=str(path.with_suffix("")),
        vocab_size=45,
        minloglevel=2,
    )
    return path


@pytest.mark.parametrize("name", ["spm", "flores101"])
def test_pieces_of_a_published_model(name, model, monkeypatch):
    monkeypatch.setenv("SACREBLEU", str(model.parents[1]))
    tokenize = get_tokenizer(name)
    pieces = tokenize("A man is running up the hill.")
    assert "".join(pieces) == "▁A▁man▁is▁running▁up▁the▁hill."
    assert tokenize("") == []
    assert tokenizer_name(name) == "flores101"
    assert pickle.loads(pickle.dumps(tokenize))("the hill") == tokenize("the hill")
    assert BLEU(tokenizer=name).sentence_score(["a hill"], "a hill").value > 0


def test_a_model_of_one_s_own_is_named_by_its_sum(model):
    assert get_tokenizer(str(model))("the hill")[0].startswith("▁")
    name = tokenizer_name(str(model))
    assert name.startswith("spm-") and len(name) == 12
    score = BLEU(tokenizer=str(model)).sentence_score(["a hill"], "a hill")
    assert f"|tok:{name}|" in score.signature


def test_a_model_that_is_not_there_says_where_it_comes_from(tmp_path, monkeypatch):
    monkeypatch.setenv("SACREBLEU", str(tmp_path))
    with pytest.raises(ValueError) as error:
        BLEU(tokenizer="flores200")
    path = tmp_path / "models" / "flores200sacrebleuspm"
    assert str(error.value) == (
        f"`tokenizer` 'flores200' needs its model as {str(path)!r}, which is no file. "
        "It comes from https://tinyurl.com/flores200sacrebleuspm"
    )
    with pytest.raises(ValueError, match="'no.model', which is no file"):
        BLEU(tokenizer="no.model")


def test_a_file_that_is_no_model_is_an_error(tmp_path):
    pytest.importorskip("sentencepiece")
    path = tmp_path / "text.model"
    path.write_text("no model")
    with pytest.raises(ValueError, match="must be a SentencePiece model. Received: "):
        get_tokenizer(str(path))


def test_sentencepiece_that_is_missing_names_the_extra(tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "sentencepiece", None)
    path = tmp_path / "any.model"
    path.write_bytes(b"")
    with pytest.raises(ImportError, match=r"pip install 'memnets\[spm\]'"):
        get_tokenizer(str(path))


@pytest.mark.parametrize("name", ["ja-mecab", "ko-mecab", "flores101"])
def test_tokens_are_those_of_sacrebleu(name, request, monkeypatch):
    pytest.importorskip("sacrebleu")
    if name == "flores101":
        folder = request.getfixturevalue("model").parents[1]
        monkeypatch.setenv("SACREBLEU", str(folder))
        # Only its tokenizer reads the folder, and only once, at its import.
        theirs = importlib.import_module("sacrebleu.tokenizers.tokenizer_spm")
        monkeypatch.setattr(theirs, "SACREBLEU_DIR", str(folder))
    else:
        with_library(name)
    peer = importlib.import_module("sacrebleu").BLEU(tokenize=name).tokenizer
    for text in TEXTS:
        assert get_tokenizer(name)(text) == peer(text.rstrip()).split()
    assert tokenizer_name(name) == peer.signature()
