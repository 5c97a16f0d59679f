"""Files of captions, known by what is in them."""

import dataclasses
import hashlib
import json
import pathlib

from ...checks import shorten
from ...plain_text import check_stays
from . import forms
from .coco import STEMS, coco_pictures, coco_split
from .listed import Listed
from .split_lists import listed_splits, splits_by_name


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

        Its form is known by its content, see `forms`. If the file does not say which
        picture is in which split, lists beside it do, see `listed_splits`, and else
        `splits_by_name`.

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
        known = listed_splits(file, names) or splits_by_name(names)
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
    found = list(filter(forms.may_have_form, entries))
    if len(found) > 1:
        found = list(filter(forms.has_form, found))
    if len(found) == 1:
        return found
    names = ", ".join(entry.name for entry in found) or "none"
    raise ValueError(
        "`data` must be a folder with one file of captions: "
        f"{forms.DESCRIBED}; or such a file. Received: {shorten(path)}, in which there "
        f"are {names}"
    )


def _read(path: pathlib.Path, count: int) -> list[Listed]:
    """The pictures of one of so many files."""
    found = forms.form_of(path)
    if found is None:
        begin = forms.text_of(path).lstrip().partition("\n")[0]
        raise ValueError(
            f"`data` must be a file of captions: {forms.DESCRIBED}. Received: {path}, "
            f"which begins with {shorten(begin.rstrip())}"
        )
    form, content = found
    # A single file of COCO's is all there is: it is cut.
    has_split = form.pictures is coco_pictures and count > 1
    try:
        pictures = form.pictures(content)
        split = coco_split(path.name) if has_split else ""
        return [one._replace(split=split) for one in pictures] if split else pictures
    except ValueError as error:
        raise ValueError(f"`data` {path} {error}") from None
