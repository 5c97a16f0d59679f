"""Files of captions, known by what is in them."""

import codecs
import contextlib
import dataclasses
import hashlib
import json
import pathlib
from collections.abc import Callable
from typing import Any

from ...checks import shorten
from ...plain_text import check_stays, decoded, lines_of, read_bytes, unzipped
from .coco import STEMS, coco_pictures, coco_split, is_coco
from .cut import cut
from .flickr import flickr_pictures, is_flickr
from .karpathy import karpathy_pictures
from .karpathy_form import is_karpathy
from .listed import Listed
from .split_lists import listed_splits
from .tables import is_table, table_pictures

FORMS = (
    "a table image,caption, Karpathy's dataset_*.json, COCO's captions_*.json, or "
    "Flickr's lines name.jpg#0, tab, caption"
)
# How the names of files end that a folder is searched for.
ENDINGS = (".json", ".csv", ".txt", ".token", ".tsv")


@dataclasses.dataclass(frozen=True)
class Captioned:
    """A picture with its captions.

    Attributes:
        name: Name of its file.
        row: Its number in the file of captions, from 0.
        split: train, validation or test; "" of a picture in none.
        captions: Its captions.
    """

    name: str
    row: int
    split: str
    captions: list[str]


@dataclasses.dataclass(frozen=True)
class CaptionCorpus:
    """Pictures and their captions, as a file has them.

    Attributes:
        pictures: All pictures, in the order of the file.
        num_blank: Captions that are blank, and left out.
        sha256: Of names, splits and captions.
    """

    pictures: list[Captioned]
    num_blank: int
    sha256: str

    @classmethod
    def read(cls, path: str) -> "CaptionCorpus":
        """Reads a file of captions, or that of a folder.

        Its form is known by its content, see `FORMS`. If the file does not say which
        picture is in which split, lists beside it do, see `listed_splits`, and else
        `cut`.

        Args:
            path: The file, UTF-8, also gzipped, or a folder with one; with several if
                they are COCO's.
        Raises:
            ValueError: If it cannot be read, is of no known form or damaged, has no
                captions, or a picture is in two splits.
        """
        files = _files(path)
        listed = [picture for file in files for picture in _read(file, len(files))]
        captions = [[" ".join(text.split()) for text in one.captions] for one in listed]
        written = [list(filter(None, texts)) for texts in captions]
        if not any(written):
            raise ValueError(
                f"`data` must have captions. Received: none in {shorten(path)}"
            )
        splits = _splits(listed, written, files[0])
        pictures = [
            Captioned(one.name, row, splits[row], texts)
            for row, (one, texts) in enumerate(zip(listed, written, strict=True))
        ]
        num_blank = sum(map(len, captions)) - sum(map(len, written))
        text = json.dumps([dataclasses.astuple(one) for one in pictures])
        return cls(pictures, num_blank, hashlib.sha256(text.encode()).hexdigest())


def _splits(listed: list[Listed], written: list, file: pathlib.Path) -> list[str]:
    """The split of each picture; "" of those without a caption."""
    names = [one.name for one, texts in zip(listed, written, strict=True) if texts]
    known: dict[str, str] = {}
    if not any(one.split for one in listed):
        known = listed_splits(file, names) or cut(names)
    splits: list[str] = []
    seen: dict[str, str] = {}
    for one, texts in zip(listed, written, strict=True):
        split = (one.split or known.get(one.name, "")) if texts else ""
        if split and seen.setdefault(one.name, split) != split:
            raise ValueError(
                "`data` must have each picture in one split. "
                f"Received: {one.name} in {seen[one.name]} and in {split}"
            )
        splits.append(split)
    return splits


def _files(path: str) -> list[pathlib.Path]:
    """The files of captions at a path."""
    place = pathlib.Path(path)
    try:
        if not place.is_dir():
            check_stays(place, f"`data` {shorten(path)}")
            return [place]
        entries = sorted(entry for entry in place.iterdir() if entry.is_file())
    except (OSError, ValueError) as error:
        raise ValueError(f"`data` cannot be read: {error}") from None
    # Beside them lie COCO's other annotations, a thousand times as long.
    if found := [e for e in entries if e.name.startswith(tuple(STEMS))]:
        return found
    found = [entry for entry in entries if _ending(entry) in ENDINGS]
    if len(found) > 1:
        found = [entry for entry in found if _has_form(entry)]
    if len(found) == 1:
        return found
    names = ", ".join(entry.name for entry in found) or "none"
    raise ValueError(
        f"`data` must be a folder with one file of captions: {FORMS}; or such a file. "
        f"Received: {shorten(path)}, in which there are {names}"
    )


def _ending(path: pathlib.Path) -> str:
    return path.with_suffix("").suffix if path.suffix == ".gz" else path.suffix


def _has_form(path: pathlib.Path) -> bool:
    try:
        return _form(path) is not None
    except ValueError:  # a file of something else, or a damaged one
        return False


def _form(path: pathlib.Path) -> tuple[Any, Callable[..., list[Listed]]] | None:
    """The content of a file and what reads its pictures; None if it is of no known
    form."""
    text = _text_of(path)
    if text.lstrip()[:1] in ("{", "["):
        try:
            content: Any = json.loads(text)
        except (ValueError, RecursionError) as error:
            raise ValueError(f"`data` {path} is not JSON: {error}") from None
        readers = ((is_karpathy, karpathy_pictures), (is_coco, coco_pictures))
        return next(((content, r) for knows, r in readers if knows(content)), None)
    if is_table(text):
        return text, table_pictures
    lines = lines_of(text)
    return (lines, flickr_pictures) if is_flickr(lines) else None


def _read(path: pathlib.Path, count: int) -> list[Listed]:
    """The pictures of one of so many files."""
    form = _form(path)
    if form is None:
        begin = _text_of(path).lstrip().partition("\n")[0]
        raise ValueError(
            f"`data` must be a file of captions: {FORMS}. Received: {path}, which "
            f"begins with {shorten(begin.rstrip())}"
        )
    content, read = form
    # A single file of COCO's is all there is: it is cut.
    split = (coco_split(path.name) if count > 1 else "",) * (read is coco_pictures)
    try:
        return read(content, *split)
    except ValueError as error:
        raise ValueError(f"`data` {path} {error}") from None


def _text_of(path: pathlib.Path) -> str:
    """The text of a file that a spreadsheet may have written: UTF-8, or UTF-16 with a
    byte order mark, which is Excel's "Unicode Text"."""
    name = f"`data` {path}"
    data = unzipped(read_bytes(path, name), name, f"{path}".endswith(".gz"))
    if data.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
        # A damaged file is refused as UTF-8 would be, with its line and place.
        with contextlib.suppress(UnicodeDecodeError):
            data = data.decode("utf-16").encode()
    return decoded(data, name)
