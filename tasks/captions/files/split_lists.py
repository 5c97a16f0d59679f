"""Lists that say which pictures are for training, for validation, for testing."""

import hashlib
import pathlib
import re
from collections.abc import Collection

from ...checks import shorten
from ...plain_text import lines_of, read_bytes, text_of
from .listed import SPLITS

# One picture in so many is for validation, as many for testing.
SHARE = 10

# As Flickr_8k.trainImages.txt and val.txt.
NAME = re.compile(r"(?:^|.*[^a-z])(train|val|dev|test)[\w-]*\.txt", re.IGNORECASE)


def listed_splits(captions: pathlib.Path, names: Collection[str]) -> dict[str, str]:
    """The splits of pictures, by lists beside the file of their captions.

    A list is a text file with a name of a picture a line, with or without its ending,
    whose own name has train, val, dev or test in it. A file most of whose lines are
    other words is a text of something else.

    Args:
        captions: The file of captions.
        names: The pictures that it lists.
    Returns:
        The split of each name that is in a list; nothing if there are no lists.
    Raises:
        ValueError: If a picture is in two lists, or one of a list has no captions.
    """
    known = {name.rpartition(".")[0]: name for name in names}
    known |= {name: name for name in names}
    splits: dict[str, str] = {}
    for path in sorted(captions.parent.glob("*.txt")):
        found = NAME.fullmatch(path.name)
        if path == captions or not found:
            continue
        name = f"`data` {path}"
        data = read_bytes(path, name)
        if not _is_list(data, known):
            continue  # a text of something else, in whatever coding
        lines = _names(text_of(data, path, name))
        split = SPLITS[found[1].lower()]
        for line in lines:
            if line not in known:
                raise ValueError(
                    f"`data` must have captions of the pictures in {path}. "
                    f"Received: none of {shorten(line)}"
                )
            if splits.setdefault(known[line], split) != split:
                raise ValueError(
                    "`data` must have each picture in one split. "
                    f"Received: {line} in {splits[known[line]]} and in {split}"
                )
    return splits


def _is_list(data: bytes, known: Collection[str]) -> bool:
    """Whether most lines of a file are names of pictures."""
    names = _names(data.decode("utf-8-sig", errors="replace"))
    return 0 < len(names) <= 2 * sum(name in known for name in names)


def _names(text: str) -> list[str]:
    """The lines of a text that are not empty."""
    return list(filter(None, lines_of(text)))


def splits_by_name(names: Collection[str]) -> dict[str, str]:
    """The split of each picture: a tenth is for testing, a tenth for validation, at
    least one each.

    It depends on the names alone, not on their order.

    Example:
        >>> splits = splits_by_name([f"{n}.png" for n in range(20)])
        >>> sorted(splits.values()).count("test")
        2
    """
    ordered = sorted(names, key=_key)
    size = max(1, len(ordered) // SHARE)
    splits = dict.fromkeys(ordered, "train")
    splits |= dict.fromkeys(ordered[size : 2 * size], "validation")
    return splits | dict.fromkeys(ordered[:size], "test")


def _key(name: str) -> bytes:
    return hashlib.sha256(name.encode("utf-8", "surrogatepass")).digest()
