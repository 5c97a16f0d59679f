"""The marks by which our own files are known, whatever their names are.

Each kind of file carries one: a checksum of our own form, the first bytes of a
checkpoint, a field of a picture. A file that somebody has changed is theirs.
"""

import base64
import contextlib
import json
import pathlib
import re
from collections.abc import Iterable

from .checksum import is_intact

# The first bytes of a checkpoint.
HEADER = b"memnets-checkpoint 2 "
# Stands near the end of the archive of a model that `memnets.save` wrote.
OF_MODEL = b"memnets-sha256:"
# What a picture says of the program that drew it, near its beginning.
OF_PICTURE = b"Software\0memnets"
# What the pages of earlier versions have, which have no checksum.
STYLE, GENERATOR = "max-width: 75rem; margin: 2rem auto;", 'name="generator"'
# The keys of a search and of a trial, whose files have no checksum.
KEYS = (
    {"task", "model", "training", "vary"},
    {"number", "settings", "state", "losses", "score"},
)
# The first headings of the tables of comparisons, which are plain CSV.
HEADINGS = ("model,size,runs,", "class,task,model,chance,")
NEAR = 300  # bytes


def is_ours(path: pathlib.Path) -> bool:
    """Whether a file is as this library wrote it. A link never is."""
    if path.is_symlink() or not path.is_file():
        return False
    with contextlib.suppress(OSError, ValueError):
        if path.suffix == ".keras":
            return OF_MODEL in _end_of(path)
        with open(path, "rb") as stream:
            begin = stream.read(NEAR)
        if path.suffix == ".checkpoint":
            return begin.startswith(HEADER)
        if path.suffix == ".png":
            return OF_PICTURE in begin
        text = path.read_text(encoding="utf-8")
        if path.name == ".permit":
            return re.fullmatch(r"[0-9a-f]{32}", text) is not None
        if path.name == "table.csv":
            return text.startswith(HEADINGS)
        if path.suffix == ".html" and GENERATOR not in text:
            return STYLE in text
        return is_intact(text) or path.suffix == ".json" and _has_our_keys(text)
    return False


def is_shown(picture: pathlib.Path, pages: Iterable[pathlib.Path]) -> bool:
    """Whether a picture is one that a page of ours shows, byte by byte: pictures of
    earlier versions have no mark."""
    if picture.is_symlink() or not picture.is_file():
        return False
    with contextlib.suppress(OSError, ValueError):
        data = base64.b64encode(picture.read_bytes()).decode()
        return any(data in page.read_text("utf-8") for page in pages if is_ours(page))
    return False


def _end_of(path: pathlib.Path) -> bytes:
    with open(path, "rb") as stream:
        stream.seek(max(0, path.stat().st_size - NEAR))
        return stream.read()


def _has_our_keys(text: str) -> bool:
    value = json.loads(text)
    return isinstance(value, dict) and any(value.keys() >= keys for keys in KEYS)
