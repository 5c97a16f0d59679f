"""A picture of words by their vectors, drawn with Matplotlib."""

from collections.abc import Iterable
from typing import TYPE_CHECKING

import numpy as np

from ..figures.memory_figures import BLUE
from .word_vectors import WordVectors

if TYPE_CHECKING:
    from ..figures.figure import Figure


def draw_words(vectors: WordVectors, words: Iterable[str]) -> "Figure":
    """Words where the first two principal components of their vectors put them.

    Args:
        vectors: The vectors.
        words: The words to draw, at least two.
    Raises:
        ValueError: If there are fewer words, or one has no vector.
    """
    from ..figures.figure import Figure

    names = list(words)
    if len(names) < 2:
        raise ValueError(f"`words` must be at least two words. Received: {len(names)}")
    points, shares = principal_components(np.stack([vectors[word] for word in names]))
    figure = Figure(figsize=(7, 5), layout="constrained")
    axes = figure.subplots()
    axes.scatter(points[:, 0], points[:, 1], s=12, color=BLUE)
    for name, point in zip(names, points, strict=True):
        axes.annotate(name, point, (4, 4), textcoords="offset points")
    axes.set_xlabel(f"first component, {shares[0]:.0%} of the variance")
    axes.set_ylabel(f"second component, {shares[1]:.0%}")
    axes.margins(0.12)
    axes.grid(alpha=0.3)
    return figure


def principal_components(values: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The first two principal components of vectors.

    Args:
        values: `(n, D)`, n at least 2.
    Returns:
        `(points, shares)`: `(n, 2)`, and the share of the variance of each, `(2,)`.
        The largest point of each component is positive.
    """
    centred = values.astype(float) - values.mean(axis=0)
    left, sizes, _ = np.linalg.svd(centred, full_matrices=False)
    points = np.zeros((len(values), 2))
    points[:, : min(2, len(sizes))] = (left * sizes)[:, :2]
    # The signs of an SVD are arbitrary.
    signs = np.sign(points[np.abs(points).argmax(axis=0), [0, 1]])
    shares = np.zeros(2)
    shares[: min(2, len(sizes))] = sizes[:2] ** 2 / max((sizes**2).sum(), 1e-30)
    return points * np.where(signs == 0, 1, signs), shares
