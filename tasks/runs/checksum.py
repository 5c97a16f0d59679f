"""A checksum inside a text file, which shows whether the file was changed."""

import hashlib
import re

# Stands for the checksum, which is the SHA-256 of the text that contains this.
BLANK = "0" * 64
CHECKSUM = re.compile(r"sha256\W+([0-9a-f]{64})\b")


def with_checksum(text: str) -> str:
    """The text with its checksum in place of its only `BLANK`."""
    return text.replace(BLANK, _digest(text), 1)


def is_intact(text: str) -> bool:
    """Whether a text is as `with_checksum` left it."""
    found = CHECKSUM.search(text)
    if not found:
        return False
    start, end = found.span(1)
    return found[1] == _digest(text[:start] + BLANK + text[end:])


def _digest(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()
