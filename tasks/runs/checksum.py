"""A digest inside a text file, which shows when the file was changed."""

import hashlib
import re

# Where the digest goes; it is the SHA-256 of the text with this in its place.
BLANK = "0" * 64
SEAL = re.compile(r"sha256\W+([0-9a-f]{64})\b")


def seal(text: str) -> str:
    """The text with its digest in place of its only `BLANK`."""
    return text.replace(BLANK, _digest(text), 1)


def is_whole(text: str) -> bool:
    """Whether a text is as `seal` left it."""
    found = SEAL.search(text)
    if not found:
        return False
    start, end = found.span(1)
    return found[1] == _digest(text[:start] + BLANK + text[end:])


def _digest(text):
    return hashlib.sha256(text.encode()).hexdigest()
