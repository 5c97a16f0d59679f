"""Texts to score, read from files: segments by line, or captions by image."""

import dataclasses
import json

from ..karpathy_file import captions_of, is_karpathy
from ..plain_text import (
    STANDARD_INPUT,
    check_standard_input_once,
    lines_of,
    read_text,
)
from ..plain_text import name_of as _name


@dataclasses.dataclass(frozen=True)
class Corpus:
    """The texts to score, aligned: entry n of every list is of the same segment.

    Attributes:
        names: Numbers of the lines, from 1, or the ids of the images.
        references: The references of each segment.
        systems: The texts to score, of each system.
        left_out: Number of images of the annotations that no result is about.
    """

    names: list[int | str]
    references: list[list[str]]
    systems: list[list[str]]
    left_out: int = 0


def read_corpus(
    systems: list[str],
    references: list[str],
    *,
    split: str | None = None,
    num_refs: int | None = None,
) -> Corpus:
    """Reads files of lines, or COCO captions if the references are a JSON file.

    Args:
        systems: A file of each system, all with a text a line, or all of COCO results.
            A file may be gzipped, or `"-"` for standard input.
        references: Files aligned with them, or one file of annotations: COCO's, or that
            of Karpathy's splits (`dataset_coco.json`).
        split: The images to score, of those that Karpathy's file tells apart.
        num_refs: Number of references in a line of the one file of references, which
            tabs separate.
    Returns:
        A `Corpus`.
    Raises:
        ValueError: If a file cannot be read, or does not fit the others; by name.
    """
    for path in systems:
        if path != STANDARD_INPUT and systems.count(path) > 1:
            raise ValueError(f"Systems must be different files. Received {path} twice.")
    check_standard_input_once([*systems, *references])
    if any(map(_is_json, references)):
        if num_refs is not None:
            raise ValueError(
                "`num_refs` must be left out for captions, which say it themselves. "
                f"Received: num_refs={num_refs}"
            )
        return _read_captions(systems, references, split)
    if split is not None:
        raise ValueError(
            "`split` needs Karpathy's file (.json) as references. Received: "
            f"{', '.join(references)}"
        )
    for path in filter(_is_json, systems):
        raise ValueError(
            f"`{path}` needs references by image: one COCO annotations file (.json). "
            f"Received: {', '.join(references)}"
        )
    return _read_lines(systems, references, num_refs)


def _is_json(path):
    return path.removesuffix(".gz").endswith(".json")


def read_segments(path: str) -> list[str]:
    """The lines of a file, see `lines_of`.

    Raises:
        ValueError: If the file cannot be read or is empty.
    """
    return lines_of(_read_text(path))


def _read_fields(path, num_refs):
    """The references of each line, which tabs separate."""
    lines = _read_text(path).removesuffix("\n").split("\n")
    rows = [line.removesuffix("\r").split("\t") for line in lines]
    for number, row in enumerate(rows, start=1):
        if len(row) != num_refs:
            raise ValueError(
                f"`num_refs` must be the number of references in each line of "
                f"{_name(path)}, between tabs. Received: num_refs={num_refs}, and "
                f"{len(row)} in line {number}"
            )
    return [[field.rstrip() for field in row] for row in rows]


def _read_text(path):
    return read_text(path, _name(path))


def _read_lines(systems, references, num_refs):
    if num_refs is not None and len(references) > 1:
        raise ValueError(
            "`num_refs` needs one file of references, with several in a line. "
            f"Received: {', '.join(references)}"
        )
    paths = systems if num_refs is not None else systems + references
    texts = {path: read_segments(path) for path in dict.fromkeys(paths)}
    lengths = {path: len(lines) for path, lines in texts.items()}
    if num_refs is None:
        columns = [texts[path] for path in references]
    else:
        rows = _read_fields(references[0], num_refs)
        lengths[references[0]] = len(rows)
        columns = list(zip(*rows, strict=True))
    _check_lengths(systems[0], lengths)
    return Corpus(
        list(range(1, lengths[systems[0]] + 1)),
        [list(own) for own in zip(*columns, strict=True)],
        [texts[path] for path in systems],
    )


def _check_lengths(first, lengths):
    for path, length in lengths.items():
        if length != lengths[first]:
            longer = path if length > lengths[first] else first
            raise ValueError(
                "Files must have the same number of lines. Received: "
                f"{_name(first)} has {lengths[first]} and {_name(path)} has "
                f"{length}; {_name(longer)} is longer."
            )


def _read_captions(systems, references, split):
    if len(references) > 1:
        raise ValueError(
            "COCO annotations must be one file, with all captions of an image. "
            f"Received: {', '.join(references)}"
        )
    [annotations] = references
    by_image = {}
    for image, caption in _annotations(annotations, split):
        by_image.setdefault(image, []).append(caption)
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
    )


def _results(path, annotations, by_image, split):
    """The one caption of every image, from a COCO results file; of a split, those of
    its images."""
    results = {}
    for image, caption in _captions(path):
        if split is not None and image not in by_image:
            continue
        if image in results:
            raise ValueError(
                f"{_name(path)} must have one caption an image. Received two of image "
                f"{image!r}."
            )
        results[image] = caption
    if not results:
        raise ValueError(f"{_name(path)} has no image of the split {split!r}.")
    _check_images(annotations, results, by_image, path)
    return results


def _check_images(path, needed, images, other):
    lacking = [image for image in needed if image not in images]
    if lacking:
        others = f" and {len(lacking) - 1} more" if len(lacking) > 1 else ""
        raise ValueError(
            f"{_name(path)} lacks image {lacking[0]!r}{others}, of which "
            f"{_name(other)} has captions."
        )


def _annotations(path, split):
    """Pairs of image id and caption from COCO's annotations or Karpathy's file."""
    entries = _read_json(path)
    if not is_karpathy(entries):
        if split is not None:
            raise ValueError(
                f"`split` needs a file with the splits of its images, as Karpathy's "
                f"is; {_name(path)} has none. Received: split={split!r}"
            )
        return _pairs(entries, path, "annotations")
    images = entries["images"]
    try:
        captions = [captions_of(image) for image in images]
    except (KeyError, TypeError, AttributeError):
        raise ValueError(
            f"Each image of {_name(path)} must have `sentences`, which are objects "
            "with `raw`, a string, or `tokens`, a list of strings."
        ) from None
    splits = sorted({str(image.get("split")) for image in images})
    if split is not None and split not in splits:
        raise ValueError(
            f"`split` must be one of {', '.join(splits)}, as {_name(path)} has them. "
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
        raise ValueError(f"{_name(path)} has no sentences{where}.")
    return _pairs(found, path)


def _id_of(image, path):
    """COCO's number of an image of Karpathy's file, or else that of the file."""
    found = image.get("imgid") if image.get("cocoid") is None else image["cocoid"]
    if not isinstance(found, int | str) or isinstance(found, bool):
        raise ValueError(
            f"Each image of {_name(path)} must have a `cocoid` or an `imgid`, an "
            f"integer or a string. Received: {json.dumps(image):.60}"
        )
    return found


def _captions(path):
    """Pairs of image id and caption from a COCO results file."""
    return _pairs(_read_json(path), path)


def _read_json(path):
    text = _read_text(path)
    try:
        return json.loads(text)
    except ValueError as error:  # of JSON, or an integer of thousands of digits
        raise ValueError(f"{_name(path)} must be JSON: {error}.") from error
    except RecursionError as error:
        raise ValueError(f"{_name(path)} must be JSON: nested too deeply.") from error


def _pairs(entries, path, key=None):
    if key:
        entries = entries.get(key) if isinstance(entries, dict) else None
    if not isinstance(entries, list) or not entries:
        what = f"an object with a list `{key}`" if key else "a list"
        raise ValueError(f"{_name(path)} must be {what} of captions.")
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
                    f"Entry {number} of {_name(path)} must have an `image_id` and a "
                    f"`caption` that is a string. Received: {json.dumps(entry):.60}"
                )


def _check_unicode(text, path, number):
    """Raises `ValueError` for half a surrogate pair, which JSON can hold and UTF-8
    cannot."""
    try:
        text.encode()
    except UnicodeEncodeError as error:
        raise ValueError(
            f"Entry {number} of {_name(path)} must be Unicode. Received: "
            f"U+{ord(text[error.start]):04X}"
        ) from error
