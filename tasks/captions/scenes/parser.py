"""Captions read back: what they say, and whether it is true."""

import itertools
import re
from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

from .grammar import BEGINNINGS, RELATION_WORDS, SHAPE_WORDS, SIZE_WORDS
from .world import COLORS, Scene, Thing, relation


class Verdict(NamedTuple):
    """What is said of a caption.

    Attributes:
        parsed: Whether it can be read.
        true: Whether there are objects in the scene of which it is true.
        complete: Whether it is true and names all objects.
    """

    parsed: bool
    true: bool
    complete: bool


class Named(NamedTuple):
    """An object as a caption names it; a size of None is not said."""

    size: str | None
    color: str
    shape: str

    def fits(self, thing: Thing) -> bool:
        """Whether it is true of an object."""
        return (self.color, self.shape) == (
            thing.color,
            thing.shape,
        ) and self.size in (None, thing.size)


class Said(NamedTuple):
    """What a caption says: the objects, and where the first one is as seen from the
    second; None if that is not said."""

    things: tuple[Named, ...]
    relation: str | None


def _alternatives(texts: Iterable[str]) -> str:
    return "|".join(sorted(map(re.escape, texts), key=len, reverse=True))


def _meanings(table: Mapping[str, Sequence[str]]) -> dict[str, str]:
    return {text: meaning for meaning, texts in table.items() for text in texts}


_SIZES, _SHAPES = _meanings(SIZE_WORDS), _meanings(SHAPE_WORDS)
_RELATIONS = _meanings(RELATION_WORDS)
_THING = (
    rf"(?:a|an) (?:({_alternatives(_SIZES)}) )?"
    rf"({_alternatives(COLORS)}) ({_alternatives(_SHAPES)})"
)
_CAPTION = re.compile(
    rf"(?:{_alternatives(BEGINNINGS)}){_THING}"
    rf"(?: ({_alternatives(_RELATIONS)}) {_THING}(?: and {_THING})?)?"
)


def parse(caption: str) -> Said | None:
    """What a caption says, or None if it cannot be read."""
    match = _CAPTION.fullmatch(caption)
    if match is None:
        return None
    groups = match.groups()
    parts = groups[0:3], groups[4:7], groups[7:10]
    things = tuple(
        Named(_SIZES.get(size), color, _SHAPES[shape])
        for size, color, shape in parts
        if color
    )
    return Said(things, _RELATIONS.get(groups[3]))


def holds(caption: str, scene: Scene) -> Verdict:
    """Whether a caption is true of a scene.

    It is if each object that it names is another object of the scene, and the relation
    holds.
    """
    said = parse(caption)
    if said is None:
        return Verdict(False, False, False)
    true = any(
        all(n.fits(thing) for n, thing in zip(said.things, chosen, strict=True))
        and said.relation in (None, relation(*chosen[:2]) if chosen[1:] else None)
        for chosen in itertools.permutations(scene, len(said.things))
    )
    return Verdict(True, true, true and len(said.things) == len(scene))
