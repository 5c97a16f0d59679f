"""Flickr's files of captions: `Flickr8k.token.txt`, `results_20130124.token`."""

import re

from ...checks import shorten
from ...plain_text import lines_of
from .listed import Listed, grouped

# A caption: name.jpg#0, a tab, the text.
LINE = re.compile(r"(.+)#\d+\t(.*)")


def is_flickr(text: str) -> bool:
    """Whether a text has this form, by its first line."""
    lines = lines_of(text)
    return bool(lines) and LINE.fullmatch(lines[0]) is not None


def flickr_pictures(text: str) -> list[Listed]:
    """The pictures of such a file.

    Raises:
        ValueError: If a line has another form.
    Reference:
        Hodosh, Young, Hockenmaier (2013), Framing Image Description as a Ranking Task;
        Young et al. (2014), From Image Descriptions to Visual Denotations.
    """
    rows: list[tuple[str, str, list[str]]] = []
    for number, line in enumerate(lines_of(text), start=1):
        found = LINE.fullmatch(line)
        if found:
            rows.append((found[1], "", [found[2]]))
        elif line.strip():
            raise ValueError(
                "must have lines of the form name.jpg#0, a tab, the caption. "
                f"Received in line {number}: {shorten(line)}"
            )
    return grouped(rows)
