"""Bootstrap resampling of the segments of a corpus, and intervals of scores."""

import dataclasses

import numpy as np

from .checks import check_integer, check_number

# Heuristic: a larger number of resamples does not fit in memory.
MAX_RESAMPLES = 1_000_000
MAX_SEED = 2**64 - 1
# Measured on means of normal and of skewed numbers: an interval of 95% holds the true
# mean in 89% of the cases with 10 segments, in 83% with 5, in 48% with 2, never with 1.
FEWEST_SEGMENTS = 10

# Resampled corpora that are summed in one matrix product.
_BATCH = 16


@dataclasses.dataclass(frozen=True)
class Interval:
    """A confidence interval of a score, from bootstrap resampling of the segments.

    Attributes:
        low: Lower end.
        high: Upper end.
        confidence: Share of the resampled scores inside the interval.
        resamples: Number of resampled corpora.
        seed: Seed of the random generator.
    Reference:
        Koehn (2004), Statistical Significance Tests for Machine Translation Evaluation.
    """

    low: float
    high: float
    confidence: float
    resamples: int
    seed: int


def checked_bootstrap(
    confidence: float | None, resamples: int, seed: int
) -> tuple[float | None, int, int]:
    """Checks the arguments of an interval and returns them as Python numbers.

    Raises:
        ValueError: If one of them is out of its range.
    """
    if confidence is not None:
        confidence = check_number("confidence", confidence, above=0, below=1)
    resamples = check_integer("resamples", resamples, maximum=MAX_RESAMPLES)
    seed = check_integer("seed", seed, minimum=0, maximum=MAX_SEED)
    return confidence, resamples, seed


def resampled_totals(rows: np.ndarray, resamples: int, seed: int) -> np.ndarray:
    """Sums of rows over resampled corpora, each drawn with replacement.

    Args:
        rows: Statistics, `(segments, statistics)`.
        resamples: Number of resampled corpora.
        seed: Seed of the random generator.
    Returns:
        Array `(resamples, statistics)`.
    """
    rng = np.random.default_rng(seed)
    totals = np.empty((resamples, rows.shape[1]))
    # Several corpora at a time, so that the rows are read once for all of them.
    for start in range(0, resamples, _BATCH):
        counts = [
            np.bincount(rng.integers(len(rows), size=len(rows)), minlength=len(rows))
            for _ in range(min(_BATCH, resamples - start))
        ]
        totals[start : start + _BATCH] = np.array(counts) @ rows
    return totals


def interval_of(
    values: np.ndarray, confidence: float, resamples: int, seed: int
) -> Interval:
    """The interval that holds a share of the scores of resampled corpora.

    Its ends are values that occurred, not means of two: one may be infinite.
    """
    tail = (1 - confidence) / 2
    low, high = np.quantile(values, [tail, 1 - tail], method="inverted_cdf")
    return Interval(float(low), float(high), confidence, resamples, seed)
