"""Corpora drawn from the segments of one, and the intervals of scores that follow."""

import dataclasses

import numpy as np

from .checks import check_integer, check_number

# Chosen, for what is drawn from a corpus: more would not fit in memory, nor be of use.
MAX_RESAMPLES = 1_000_000
MAX_SEED = 2**64 - 1


@dataclasses.dataclass(frozen=True)
class Interval:
    """A confidence interval of a score, from bootstrap resampling of the segments.

    Reference:
        Koehn (2004), Statistical Significance Tests for Machine Translation Evaluation.
    """

    low: float
    high: float
    confidence: float
    resamples: int
    seed: int


def checked_bootstrap(confidence, resamples, seed) -> tuple:
    """The arguments of an interval, checked, as numbers of Python.

    Raises:
        ValueError: If one of them is out of its range.
    """
    if confidence is not None:
        confidence = check_number("confidence", confidence, above=0, below=1)
    resamples = check_integer("resamples", resamples, maximum=MAX_RESAMPLES)
    seed = check_integer("seed", seed, minimum=0, maximum=MAX_SEED)
    return confidence, resamples, seed


def resampled_totals(rows: np.ndarray, resamples: int, seed: int) -> np.ndarray:
    """Sums over `resamples` corpora, each drawn with replacement from the rows."""
    rng = np.random.default_rng(seed)
    totals = np.empty((resamples, rows.shape[1]))
    # A few corpora at a time: the rows are read once for all of them.
    for start in range(0, resamples, 16):
        counts = [
            np.bincount(rng.integers(len(rows), size=len(rows)), minlength=len(rows))
            for _ in range(min(16, resamples - start))
        ]
        totals[start : start + 16] = np.array(counts) @ rows
    return totals
