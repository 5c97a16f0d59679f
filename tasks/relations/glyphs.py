"""Glyphs of random strokes, drawn as small images that are never twice the same."""

import functools
from typing import NamedTuple

import numpy as np

# Side of an image in pixels; Omniglot is 20 x 20 in Santoro et al. (2016).
SIDE = 20
MIN_STROKES, MAX_STROKES = 3, 5
# Heuristic: on a stroke of the longest length, points are a pixel apart.
POINTS = 20
# Classes of both kinds, about as many as Omniglot has with its rotations.
CLASSES = {"training": 4_000, "evaluation": 1_000}
# Heuristic: how instances of a class differ. A turn of pi / 16 is that of the paper.
MAX_TURN = np.pi / 16  # radians
MAX_SHIFT = 1.0  # pixels
MAX_STRETCH = 0.1  # share of the size, of each axis
JITTER = 0.4  # pixels, standard deviation of the points that define a stroke


class Strokes(NamedTuple):
    """Strokes of glyphs: curves of Bezier, each by three points.

    Attributes:
        points: `(..., MAX_STROKES, 3, 2)`, in pixels from the centre of the image.
        drawn: `(..., MAX_STROKES)`, bool; a glyph may have fewer strokes.
    """

    points: np.ndarray
    drawn: np.ndarray


@functools.cache
def all_glyphs(kind: str) -> Strokes:
    """The glyphs of all classes for training or evaluation; no class is in both.

    Args:
        kind: A key of `CLASSES`.
    """
    # A glyph is drawn from a continuous distribution: no two are equal.
    rng = np.random.default_rng([*kind.encode()])
    count = CLASSES[kind]
    reach = 0.4 * SIDE
    points = rng.uniform(-reach, reach, (count, MAX_STROKES, 3, 2))
    numbers = rng.integers(MIN_STROKES, MAX_STROKES + 1, count)
    drawn = np.arange(MAX_STROKES) < numbers[:, None]
    return Strokes(points, drawn)


def varied(strokes: Strokes, rng: np.random.Generator) -> Strokes:
    """Instances of glyphs: each turned, stretched, shifted and jittered at random."""
    leading = strokes.drawn.shape[:-1]
    turn = rng.uniform(-MAX_TURN, MAX_TURN, leading)
    stretch = 1 + rng.uniform(-MAX_STRETCH, MAX_STRETCH, (*leading, 1, 1, 2))
    shift = rng.uniform(-MAX_SHIFT, MAX_SHIFT, (*leading, 1, 1, 2))
    rotation = np.array([[np.cos(turn), -np.sin(turn)], [np.sin(turn), np.cos(turn)]])
    turned = np.einsum("ij...,...spj->...spi", rotation, strokes.points)
    jitter = rng.normal(0, JITTER, strokes.points.shape)
    return Strokes(turned * stretch + shift + jitter, strokes.drawn)


def images(strokes: Strokes) -> np.ndarray:
    """Images `(..., SIDE * SIDE)` of glyphs, from 0 to 1.

    Each point of a stroke darkens the four pixels around it, the nearer the more.
    """
    leading = strokes.drawn.shape[:-1]
    wide = SIDE + 2  # a margin for what is outside
    places = _points_on(strokes.points) + (SIDE + 1) / 2
    places = np.clip(places.reshape(-1, MAX_STROKES * POINTS, 2), 0, wide - 1)
    ink = np.repeat(strokes.drawn.reshape(-1, MAX_STROKES), POINTS, axis=1)
    # What lies beyond the margin is drawn on its outer edge.
    corner = np.minimum(places.astype(int), wide - 2)
    down, right = np.moveaxis(places - corner, -1, 0)
    pixel = corner[..., 0] * wide + corner[..., 1]
    pixel += np.arange(len(places))[:, None] * wide**2
    shares = {
        0: (1 - down) * (1 - right),
        1: (1 - down) * right,
        wide: down * (1 - right),
        wide + 1: down * right,
    }
    drawn = np.zeros(len(places) * wide**2)
    for offset, share in shares.items():
        index = (pixel + offset).ravel()
        drawn += np.bincount(index, (share * ink).ravel(), len(drawn))
    inside = drawn.reshape(-1, wide, wide)[:, 1:-1, 1:-1]
    return np.minimum(inside, 1.0).reshape(*leading, SIDE**2).astype(np.float32)


def _points_on(points: np.ndarray) -> np.ndarray:
    """Points `(..., strokes, POINTS, 2)` on curves by three points each."""
    t = np.linspace(0, 1, POINTS)
    weights = np.array([(1 - t) ** 2, 2 * t * (1 - t), t**2])
    return np.einsum("pt,...pc->...tc", weights, points)
