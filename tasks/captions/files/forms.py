"""The forms of files of captions, known by their content."""

import codecs
import contextlib
import json
import pathlib
from collections.abc import Callable
from typing import Any, NamedTuple

from ...plain_text import decoded, read_bytes, unzipped
from .coco import coco_pictures, is_coco
from .flickr import flickr_pictures, is_flickr
from .karpathy import is_karpathy, karpathy_pictures
from .listed import Listed
from .tables import is_table, table_pictures


class Form(NamedTuple):
    """A form of a file of captions.

    Attributes:
        description: What messages call it.
        knows: Whether a content has this form. It is a text, or what JSON holds.
        pictures: Reads the pictures of a content that has this form.
        is_json: Whether the file is JSON.
    """

    description: str
    knows: Callable[[Any], bool]
    pictures: Callable[[Any], list[Listed]]
    is_json: bool = False


FORMS = (
    Form("a table image,caption", is_table, table_pictures),
    Form("Karpathy's dataset_*.json", is_karpathy, karpathy_pictures, is_json=True),
    Form("COCO's captions_*.json", is_coco, coco_pictures, is_json=True),
    Form("Flickr's lines name.jpg#0, tab, caption", is_flickr, flickr_pictures),
)
# How the names of files end that a folder is searched for.
ENDINGS = (".json", ".csv", ".txt", ".token", ".tsv")

_FIRST = ", ".join(form.description for form in FORMS[:-1])
DESCRIBED = f"{_FIRST}, or {FORMS[-1].description}"


def may_have_form(path: pathlib.Path) -> bool:
    """Whether a file has the ending of a file of captions."""
    is_zipped = path.suffix == ".gz"
    return (path.with_suffix("").suffix if is_zipped else path.suffix) in ENDINGS


def has_form(path: pathlib.Path) -> bool:
    """Whether a file has one of the forms and can be read."""
    try:
        return form_of(path) is not None
    except ValueError:  # a file of something else, or a damaged one
        return False


def form_of(path: pathlib.Path) -> tuple[Form, Any] | None:
    """The form of a file and its content; None if the form is not known.

    Raises:
        ValueError: If it cannot be read, or is damaged.
    """
    content: Any = text_of(path)
    is_json = content.lstrip()[:1] in ("{", "[")
    if is_json:
        try:
            content = json.loads(content)
        except (ValueError, RecursionError) as error:
            raise ValueError(f"`data` {path} is not JSON: {error}") from None
    known = (form for form in FORMS if form.is_json == is_json and form.knows(content))
    found = next(known, None)
    return found and (found, content)


def text_of(path: pathlib.Path) -> str:
    """The text of a file that a spreadsheet may have written: UTF-8, or UTF-16 with a
    byte order mark, which is Excel's "Unicode Text"."""
    name = f"`data` {path}"
    data = unzipped(read_bytes(path, name), name, f"{path}".endswith(".gz"))
    if data.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
        # A damaged file is refused as UTF-8 would be, with its line and place.
        with contextlib.suppress(UnicodeDecodeError):
            data = data.decode("utf-16").encode()
    return decoded(data, name)
