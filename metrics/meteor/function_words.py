"""The English function words of METEOR 1.5."""

import functools
import pathlib

_FILE = pathlib.Path(__file__).parent.parent / "data" / "function_words_english.txt"


@functools.cache
def english_function_words() -> frozenset[str]:
    """The 93 most frequent words, which count less than content words."""
    return frozenset(_FILE.read_text(encoding="utf-8").split())
