"""What every form of a file of captions says of a picture."""

from collections.abc import Iterable
from typing import NamedTuple

# What files call splits. `restval` are the pictures of COCO's validation that Karpathy
# neither validates nor tests with.
SPLITS = {
    **dict.fromkeys(("train", "training", "restval"), "train"),
    **dict.fromkeys(("val", "valid", "validation", "dev"), "validation"),
    **dict.fromkeys(("test", "testing"), "test"),
}


class Listed(NamedTuple):
    """A picture as a file of captions lists it.

    Attributes:
        name: Name of its file, with the folders that the captions name.
        captions: Its captions as they are written there, some perhaps blank.
        split: Its split; "" if the file does not say.
    """

    name: str
    captions: list[str]
    split: str = ""


def grouped(rows: Iterable[tuple[str, str, list[str]]]) -> list[Listed]:
    """Names, splits and captions as pictures in the order in which they are first
    named. One in two splits is listed twice."""
    captions: dict[tuple[str, str], list[str]] = {}
    for name, split, texts in rows:
        captions.setdefault((name, split), []).extend(texts)
    return [Listed(name, own, split) for (name, split), own in captions.items()]
