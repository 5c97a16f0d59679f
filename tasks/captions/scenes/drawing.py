"""Scenes as pictures."""

import functools

import numpy as np

from .world import COLORS, SIZE, Scene, Thing

BACKGROUND = 235
# Standard deviation of the noise, of 255.
NOISE = 6.0
# Numbers of the noise that pictures have parts of.
NOISE_FIELD = 2**20
# Inner radius of a star whose outer radius is 1, whose edges are those of a pentagram.
INNER = 0.381966


def draw_picture(scene: Scene, rng: np.random.Generator) -> np.ndarray:
    """The picture of a scene, `(SIZE, SIZE, 3)`, uint8.

    Args:
        scene: The objects.
        rng: Draws which part of a field of noise the picture has: to draw all of it
            would take as long as the rest.
    """
    first = rng.integers(NOISE_FIELD)
    picture = _noise()[first : first + 3 * SIZE**2].reshape(SIZE, SIZE, 3)
    picture = picture + np.float32(BACKGROUND)
    for thing in scene:
        rows, columns, inside = _pixels(thing)
        part = picture[rows, columns]
        part[inside] += np.array(COLORS[thing.color], np.float32) - BACKGROUND
    return picture.clip(0, 255).round().astype(np.uint8)


@functools.cache
def _noise() -> np.ndarray:
    drawn = np.random.default_rng(0).standard_normal(NOISE_FIELD, np.float32)
    return NOISE * np.concatenate([drawn, drawn[: 3 * SIZE**2]])


def _pixels(thing: Thing) -> tuple[slice, slice, np.ndarray]:
    """A rectangle around an object, and which of its pixels the object covers."""
    rows, columns = (
        slice(max(0, int(middle - thing.radius)), int(middle + thing.radius) + 2)
        for middle in (thing.y, thing.x)
    )
    y = np.arange(SIZE)[rows, None] + 0.5 - thing.y
    x = np.arange(SIZE)[None, columns] + 0.5 - thing.x
    return rows, columns, COVERS[thing.shape](x / thing.radius, y / thing.radius)


def _circle(x: np.ndarray, y: np.ndarray) -> np.ndarray:
    return x**2 + y**2 <= 1


def _square(x: np.ndarray, y: np.ndarray) -> np.ndarray:
    return np.maximum(abs(x), abs(y)) <= np.sqrt(0.5)


def _triangle(x: np.ndarray, y: np.ndarray) -> np.ndarray:
    # Its corners lie on the circle of radius 1, one of them above.
    return (y <= 0.5) & (np.sqrt(3) * abs(x) <= y + 1)


def _cross(x: np.ndarray, y: np.ndarray) -> np.ndarray:
    long, wide = np.maximum(abs(x), abs(y)), np.minimum(abs(x), abs(y))
    return (long <= 0.95) & (wide <= 0.3)


def _star(x: np.ndarray, y: np.ndarray) -> np.ndarray:
    # By symmetry, all angles can be seen as within 36 degrees of the upper corner.
    fifth = 2 * np.pi / 5
    angle = abs((np.arctan2(x, -y) + fifth / 2) % fifth - fifth / 2)
    length = np.hypot(x, y)
    along, across = length * np.cos(angle), length * np.sin(angle)
    # The edge from the corner (1, 0) to the inner one.
    inner = INNER * np.cos(fifth / 2), INNER * np.sin(fifth / 2)
    return (1 - along) * inner[1] >= across * (1 - inner[0])


COVERS = {
    "circle": _circle,
    "square": _square,
    "triangle": _triangle,
    "cross": _cross,
    "star": _star,
}


def shown(thing: Thing) -> str:
    """An object in a few words, to be looked at."""
    return f"{thing.size} {thing.color} {thing.shape} at {thing.x:.0f}, {thing.y:.0f}"
