"""How a signature tells apart settings that have no name: numbers, words and files.

A function is named by its name only: two functions of one name look the same.
"""

import functools
import hashlib
import os
from collections.abc import Iterable

# As of SentencePiece models: enough to tell tables apart, and short.
DIGITS = 8


def short_number(value: float) -> str:
    """A number with as few digits as tell it from all others.

    Example:
        >>> short_number(6.0), short_number(0.6), short_number(6.0000001)
        ('6', '0.6', '6.0000001')
    """
    short = f"{value:g}"
    return short if float(short) == value else repr(value)


def shown_setting(value: object) -> object:
    """How a setting is written: as it is, or "yes" or "no".

    Example:
        >>> shown_setting(True), shown_setting(2)
        ('yes', 2)
    """
    if isinstance(value, bool):
        return "yes" if value else "no"
    return value


def words_digest(words: Iterable[str]) -> str:
    """The first digits of the SHA-256 sum of words, in whatever order.

    Example:
        >>> words_digest(["the", "a"]) == words_digest({"a", "the"})
        True
    """
    text = "\n".join(sorted(words))
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:DIGITS]


def file_digest(path: str | os.PathLike[str]) -> str:
    """The first digits of the SHA-256 sum of a file, as `sha256sum` prints it."""
    with open(path, "rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()[:DIGITS]


@functools.cache
def version() -> str:
    """Version of the installed package."""
    import importlib.metadata  # it is slow to import and rarely needed

    try:
        return importlib.metadata.version("memnets")
    except importlib.metadata.PackageNotFoundError:
        return "unknown"
