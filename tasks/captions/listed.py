"""What every form of a file of captions says of a picture."""

from typing import NamedTuple


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


def grouped(pairs: list[tuple[str, str]]) -> list[Listed]:
    """Names and captions, a pair for each caption, as pictures in the order in which
    they are first named."""
    captions: dict[str, list[str]] = {}
    for name, caption in pairs:
        captions.setdefault(name, []).append(caption)
    return [Listed(name, own) for name, own in captions.items()]
