"""The files that are scored, or standard input, and what messages call them."""

import sys

from ..plain_text import read_text, text_of

STANDARD_INPUT = "-"


def read_input(path: str) -> str:
    """The text of a file, which may be gzipped, or of standard input.

    Raises:
        ValueError: If it cannot be read or is empty.
    """
    if path != STANDARD_INPUT:
        return read_text(path, shown(path))
    if sys.stdin is None:
        raise ValueError("Standard input is closed.")
    return text_of(sys.stdin.buffer.read(), path, shown(path))


def shown(path: str) -> str:
    """What messages call a file."""
    return "`-` (standard input)" if path == STANDARD_INPUT else f"`{path}`"


def has_suffix(path: str, *suffixes: str) -> bool:
    """Whether the name of a file, gzipped or not, ends so."""
    return path.lower().removesuffix(".gz").endswith(suffixes)
