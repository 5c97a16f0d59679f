"""Similarity of words, against what people say."""

import dataclasses
from collections.abc import Callable
from typing import Any

import numpy as np

from ..checks import shorten
from ..plain_text import name_of
from .questions import (
    RESAMPLES,
    SEED,
    are_enough,
    check_confidence,
    interval_of,
    read_lines,
)
from .text import Path

# The column of the judgements in SimLex-999 as its authors publish it.
SIMLEX = "SimLex999"


@dataclasses.dataclass(frozen=True)
class SimilarityScore:
    """The rank correlation of cosines with judgements.

    Attributes:
        correlation: Spearman's rho; NaN if fewer than two pairs, or all cosines or all
            judgements, are equal.
        covered: Pairs of which both words have a vector; the others are left out.
        total: All pairs.
        interval: Confidence interval, over the pairs; None if it was not asked for,
            there are fewer than ten, or the correlation is NaN.
    """

    correlation: float
    covered: int
    total: int
    interval: Any = None


def score(
    vectors: np.ndarray,
    find: Callable[[str], int | None],
    path: Path,
    *,
    confidence: float | None,
) -> SimilarityScore:
    """Correlates cosines with the judgements of a file, see `WordVectors.similarity`.

    Args:
        vectors: The vectors, `(V, D)`.
        find: Gives the row of a word, or None.
        path, confidence: As of `WordVectors.similarity`.
    Raises:
        ValueError: As `WordVectors.similarity`.
    """
    confidence = check_confidence(confidence)
    pairs = _read(path)
    found = [(find(a), find(b), value) for a, b, value in pairs]
    known = [row for row in found if row[0] is not None and row[1] is not None]
    deviations = vectors.std(axis=0)
    values = vectors - vectors.mean(axis=0)
    values = values / np.where(deviations > 0, deviations, 1)
    lengths = np.linalg.norm(values, axis=1)
    cosines = np.array(
        [
            values[a] @ values[b] / max(lengths[a] * lengths[b], 1e-30)
            for a, b, _ in known
        ]
    )
    judgements = np.array([value for *_, value in known])
    correlation = spearman(cosines, judgements)
    interval = None
    enough = are_enough(len(known)) and np.isfinite(correlation)
    if confidence is not None and enough:
        rng = np.random.default_rng(SEED)
        draws = (rng.integers(len(known), size=len(known)) for _ in range(RESAMPLES))
        resampled = np.array([spearman(cosines[d], judgements[d]) for d in draws])
        # A resample of one pair alone has no correlation.
        interval = interval_of(resampled[np.isfinite(resampled)], confidence)
    return SimilarityScore(correlation, len(known), len(pairs), interval)


def spearman(x: np.ndarray, y: np.ndarray) -> float:
    """Spearman's rank correlation; equal values have the mean of their ranks.

    Args:
        x, y: Numbers `(n,)`.
    Returns:
        The correlation, NaN where it is not defined.
    Example:
        >>> spearman(np.array([1, 2, 3, 4]), np.array([10, 20, 40, 30]))
        0.8
    """
    if len(x) < 2:
        return float("nan")
    first, second = (_ranks(values) for values in (x, y))
    product = np.sqrt((first @ first) * (second @ second))
    return float(first @ second / product) if product > 0 else float("nan")


def _ranks(values: np.ndarray) -> np.ndarray:
    """Ranks, less their mean."""
    _, places, counts = np.unique(values, return_inverse=True, return_counts=True)
    last = np.cumsum(counts)
    return (last - (counts - 1) / 2)[places] - (len(values) + 1) / 2


def _read(path: Path) -> list[tuple[str, str, float]]:
    """The pairs of a file: two words and the judgement."""
    pairs: list[tuple[str, str, float]] = []
    column, is_first = 2, True
    for number, line in enumerate(read_lines(path), start=1):
        if line.startswith("#") or not line.strip():
            continue
        separator = "\t" if "\t" in line else "," if "," in line else None
        fields = [field.strip() for field in line.split(separator)]
        value = _number(fields[column]) if len(fields) > column else None
        if is_first and value is None and len(fields) > 2:
            is_first = False  # the names of the columns
            column = fields.index(SIMLEX) if SIMLEX in fields else 2
            continue
        is_first = False
        if value is None:
            raise ValueError(
                f"{name_of(path)}, line {number}: two words and a number must stand "
                f"there. Received: {shorten(line)}"
            )
        pairs.append((fields[0], fields[1], value))
    if not pairs:
        raise ValueError(f"{name_of(path)} must have at least one pair. Received: none")
    return pairs


def _number(text: str) -> float | None:
    try:
        value = float(text)
    except ValueError:
        return None
    return value if np.isfinite(value) else None
