"""Captions to score, read from COCO's files or Karpathy's."""

import json
from collections.abc import Collection, Iterable, Iterator
from typing import Any

from ..captions.files.karpathy import captions_of, is_karpathy
from ..plain_text import name_of, read_text
from .corpus_of_texts import Corpus, lacking

# What an image is called in a file.
Image = int | str


def read_captions(
    systems: list[str], references: list[str], split: str | None
) -> Corpus:
    """Reads captions by image.

    Args:
        systems: COCO results.
        references: One file of annotations: COCO's or Karpathy's.
        split: The images to score, of those that Karpathy's file tells apart.
    Raises:
        ValueError: If a file cannot be read, or does not fit the others; by name.
    """
    if len(references) > 1:
        raise ValueError(
            "COCO annotations must be one file, with all captions of an image. "
            f"Received: {', '.join(references)}"
        )
    [annotations] = references
    by_image = references_by_image(annotations, split)
    results = [_results(path, annotations, by_image, split) for path in systems]
    images = list(results[0])
    for path, own in zip(systems[1:], results[1:], strict=True):
        _check_images(path, images, own, systems[0])
        _check_images(systems[0], own, images, path)
    return Corpus(
        images,
        [by_image[image] for image in images],
        [[own[image] for image in images] for own in results],
        left_out=len(by_image) - len(images),
        files=tuple(systems),
    )


def references_by_image(path: str, split: str | None = None) -> dict[Image, list[str]]:
    """The captions of each image of a file of annotations.

    Raises:
        ValueError: If it cannot be read, or has none.
    """
    by_image: dict[Image, list[str]] = {}
    for image, caption in _annotations(path, split):
        by_image.setdefault(image, []).append(caption)
    return by_image


def _results(
    path: str, annotations: str, by_image: dict[Image, list[str]], split: str | None
) -> dict[Image, str]:
    """The one caption of every image, from a COCO results file; of a split, those of
    its images."""
    results = {}
    for image, caption in _captions(path):
        if split is not None and image not in by_image:
            continue
        if image in results:
            raise ValueError(
                f"{name_of(path)} must have one caption an image. Received two of "
                f"image {image!r}."
            )
        results[image] = caption
    if not results:
        raise ValueError(f"{name_of(path)} has no image of the split {split!r}.")
    _check_images(annotations, results, by_image, path)
    return results


def _check_images(
    path: str, needed: Iterable[Image], images: Collection[Image], other: str
) -> None:
    if missing := lacking(needed, images):
        raise ValueError(
            f"{name_of(path)} lacks image {missing}, of which {name_of(other)} has "
            f"captions.{_of_another_kind(needed, images)}"
        )


def _of_another_kind(needed: Iterable[Image], images: Collection[Image]) -> str:
    """A sentence about the first image that is not there, if its id is a number in one
    file and a string in the other."""
    missing = next(image for image in needed if image not in images)
    for image in images:
        if str(image) == str(missing):
            return (
                f" There the `image_id` is {json.dumps(image)}, not "
                f"{json.dumps(missing)}: both files must have numbers, or both strings."
            )
    return ""


def _annotations(path: str, split: str | None) -> Iterator[tuple[Image, str]]:
    """Pairs of image id and caption from COCO's annotations or Karpathy's file."""
    entries = _read_json(path)
    if isinstance(entries, list):
        raise ValueError(
            f"{name_of(path)} must be annotations, an object. It is a list, as results "
            "are: results are the first file, and annotations the second."
        )
    if not is_karpathy(entries):
        if split is not None:
            raise ValueError(
                f"`split` needs a file with the splits of its images, as Karpathy's "
                f"is; {name_of(path)} has none. Received: split={split!r}"
            )
        return _pairs(entries, path, "annotations")
    images = entries["images"]
    try:
        captions = [captions_of(image) for image in images]
    except (KeyError, TypeError, AttributeError):
        raise ValueError(
            f"Each image of {name_of(path)} must have `sentences`, which are objects "
            "with `raw`, a string, or `tokens`, a list of strings."
        ) from None
    splits = sorted({str(image.get("split")) for image in images})
    if split is not None and split not in splits:
        raise ValueError(
            f"`split` must be one of {', '.join(splits)}, as {name_of(path)} has them. "
            f"Received: split={split!r}"
        )
    found = [
        {"image_id": _id_of(image, path), "caption": caption}
        for image, own in zip(images, captions, strict=True)
        if split is None or image.get("split") == split
        for caption in own
    ]
    if not found:
        where = "" if split is None else f" in the split {split!r}"
        raise ValueError(f"{name_of(path)} has no sentences{where}.")
    return _pairs(found, path)


def _id_of(image: dict[str, Any], path: str) -> Image:
    """COCO's number of an image of Karpathy's file, or else that of the file."""
    found = image.get("imgid") if image.get("cocoid") is None else image["cocoid"]
    if not isinstance(found, int | str) or isinstance(found, bool):
        raise ValueError(
            f"Each image of {name_of(path)} must have a `cocoid` or an `imgid`, an "
            f"integer or a string. Received: {json.dumps(image):.60}"
        )
    return found


def _captions(path: str) -> Iterator[tuple[Image, str]]:
    """Pairs of image id and caption from a COCO results file."""
    entries = _read_json(path, "COCO results, as the references are annotations")
    return _pairs(entries, path)


def _read_json(path: str, what: str = "") -> Any:
    text = read_text(path, name_of(path))
    needed = f"{name_of(path)} must be JSON" + f" ({what})" * bool(what)
    try:
        return json.loads(text)
    except ValueError as error:  # of JSON, or an integer of thousands of digits
        raise ValueError(f"{needed}: {error}.") from error
    except RecursionError as error:
        raise ValueError(f"{needed}: nested too deeply.") from error


def _pairs(
    entries: Any, path: str, key: str | None = None
) -> Iterator[tuple[Image, str]]:
    if key:
        entries = entries.get(key) if isinstance(entries, dict) else None
    if not isinstance(entries, list) or not entries:
        what = f"an object with a list `{key}`" if key else "a list"
        raise ValueError(f"{name_of(path)} must be {what} of captions.")
    for number, entry in enumerate(entries):
        match entry:
            # Booleans are integers to Python, and True == 1.
            case {"image_id": int() | str() as image, "caption": str() as caption} if (
                not isinstance(image, bool)
            ):
                _check_unicode(f"{image}{caption}", path, number)
                yield image, caption
            case _:
                raise ValueError(
                    f"Entry {number} of {name_of(path)} must have an `image_id` and a "
                    f"`caption` that is a string. Received: {json.dumps(entry):.60}"
                )


def _check_unicode(text: str, path: str, number: int) -> None:
    """Raises `ValueError` for half a surrogate pair, which JSON can hold and UTF-8
    cannot."""
    try:
        text.encode()
    except UnicodeEncodeError as error:
        raise ValueError(
            f"Entry {number} of {name_of(path)} must be Unicode. Received: "
            f"U+{ord(text[error.start]):04X}"
        ) from error
