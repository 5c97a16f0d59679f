"""The function words of METEOR 1.5, by language."""

import functools
import pathlib

_DATA = pathlib.Path(__file__).parent.parent / "data"


@functools.cache
def function_words(language: str) -> frozenset[str]:
    """The most frequent words of a language, which count less than content words.

    Args:
        language: Its English name, in lower case.
    Returns:
        The 62 to 93 words of the program; none if it has no list.
    """
    path = _DATA / f"function_words_{language}.txt"
    if not path.exists():
        return frozenset()
    return frozenset(path.read_text(encoding="utf-8").split())
