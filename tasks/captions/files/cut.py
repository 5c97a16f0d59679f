"""Splits of pictures that come without."""

import hashlib
from collections.abc import Collection

# One picture in so many is for validation, as many for testing.
SHARE = 10


def cut(names: Collection[str]) -> dict[str, str]:
    """The split of each picture: a tenth is for testing, a tenth for validation, at
    least one each.

    It depends on the names alone, not on their order.

    Example:
        >>> sorted(cut([f"{n}.png" for n in range(20)]).values()).count("test")
        2
    """
    ordered = sorted(names, key=_key)
    size = max(1, len(ordered) // SHARE)
    splits = dict.fromkeys(ordered, "train")
    splits |= dict.fromkeys(ordered[size : 2 * size], "validation")
    return splits | dict.fromkeys(ordered[:size], "test")


def _key(name: str) -> bytes:
    return hashlib.sha256(name.encode("utf-8", "surrogatepass")).digest()
