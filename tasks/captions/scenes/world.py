"""Scenes: what is in a picture, where."""

import dataclasses
from collections.abc import Iterable

import numpy as np

# Width and height of a picture in pixels.
SIZE = 64
SHAPES = ("circle", "square", "triangle", "cross", "star")
COLORS = {
    "red": (214, 39, 40),
    "green": (44, 160, 44),
    "blue": (31, 88, 200),
    "yellow": (240, 210, 20),
    "orange": (255, 127, 14),
    "purple": (136, 60, 180),
    "brown": (130, 78, 40),
    "black": (25, 25, 25),
}
# Distance in pixels from the middle to the furthest point.
RADII = {"small": 6.0, "large": 11.0}
# Least distance in pixels between two objects, and to the edge.
GAP = 1.5
# Heuristic: places that are tried for an object before a scene is begun anew.
TRIES = 30
# Colors and shapes that never are together in training.
HELD_BACK = tuple((color, SHAPES[i % len(SHAPES)]) for i, color in enumerate(COLORS))


@dataclasses.dataclass(frozen=True)
class Thing:
    """An object.

    Attributes:
        shape: One of `SHAPES`.
        color: One of `COLORS`.
        size: small or large.
        x: Pixels from the left edge to its middle.
        y: Pixels from the upper edge to its middle.
    """

    shape: str
    color: str
    size: str
    x: float
    y: float

    @property
    def radius(self) -> float:
        """Distance in pixels from its middle to its furthest point."""
        return RADII[self.size]


# The objects of a picture.
Scene = tuple[Thing, ...]


def draw_scene(rng: np.random.Generator, count: int, held_back: bool = False) -> Scene:
    """Draws a scene in which no objects overlap.

    Args:
        rng: The generator.
        count: Number of objects.
        held_back: Whether one of them has a color and a shape of `HELD_BACK`. Without
            that, none has.
    """
    while True:
        things: list[Thing] = []
        for number in range(count):
            color, shape = _kind(rng, held_back and number == 0)
            size = list(RADII)[rng.integers(len(RADII))]
            place = _place(rng, RADII[size], things)
            if place is None:
                break
            things.append(Thing(shape, color, size, *place))
        else:
            return tuple(things[i] for i in rng.permutation(count))


def _kind(rng: np.random.Generator, held_back: bool) -> tuple[str, str]:
    if held_back:
        return HELD_BACK[rng.integers(len(HELD_BACK))]
    while True:
        color = list(COLORS)[rng.integers(len(COLORS))]
        shape = SHAPES[rng.integers(len(SHAPES))]
        if (color, shape) not in HELD_BACK:
            return color, shape


def _place(
    rng: np.random.Generator, radius: float, things: Iterable[Thing]
) -> tuple[float, float] | None:
    low, high = radius + GAP, SIZE - radius - GAP
    for x, y in rng.uniform(low, high, (TRIES, 2)).tolist():
        if all(
            np.hypot(x - thing.x, y - thing.y) >= radius + thing.radius + GAP
            for thing in things
        ):
            return x, y
    return None


def relation(one: Thing, other: Thing) -> str:
    """Where one object is as seen from the other, by the larger difference of their
    places: left, right, above or below."""
    right, down = one.x - other.x, one.y - other.y
    if abs(right) >= abs(down):
        return "right" if right > 0 else "left"
    return "below" if down > 0 else "above"
