"""What a test of two systems finds."""

import dataclasses

import numpy as np

from ..base import Metric
from ..bootstrap import Interval, interval_of
from ..checks import check_number
from ..scores import Score


@dataclasses.dataclass(frozen=True)
class PairedTest:
    """Two systems compared on the same segments.

    Attributes:
        score: Score of the system.
        baseline: Score of the system it is compared with.
        p_value: Probability of a difference at least this large, in either direction,
            if the systems were equally good.
        method: `"bootstrap"`, `"poisson-bootstrap"` or `"approximate-randomization"`.
        trials: Number of drawn corpora.
        seed: Seed of the random generator.
        interval: Confidence interval of the difference; None for the randomization,
            which says nothing of its size.
        difference: The score of the system minus the score of the baseline.
    """

    score: Score
    baseline: Score
    p_value: float
    method: str
    trials: int
    seed: int
    interval: Interval | None = None
    difference: float = dataclasses.field(init=False)

    def __post_init__(self) -> None:
        difference = self.score.value - self.baseline.value
        object.__setattr__(self, "difference", difference)

    def __str__(self) -> str:
        interval = ""
        if self.interval:
            interval = f" [{self.interval.low:+.4f}, {self.interval.high:+.4f}]"
        return (
            f"difference {self.difference:+.4f}{interval}, p = {self.p_value:.4f} "
            f"({self.method}, {self.trials} trials, seed {self.seed})"
        )


def bootstrapped(
    method: str,
    metric: Metric,
    totals: tuple[np.ndarray, np.ndarray],
    drawn: np.ndarray,
    seed: int,
    confidence: float,
) -> PairedTest:
    """The result of a bootstrap: the drawn differences give the interval and, shifted
    to the mean 0, the p-value.

    Args:
        method: Name of the test.
        metric: The metric.
        totals: The statistics of the corpus for the system, and for the other one.
        drawn: The differences of the drawn corpora.
        seed: Seed of the random generator.
        confidence: Confidence of the interval.
    Raises:
        ValueError: If the confidence is not in (0, 1), or a score is infinite.
    """
    confidence = check_number("confidence", confidence, above=0, below=1)
    interval = interval_of(drawn, confidence, len(drawn), seed)
    with np.errstate(invalid="ignore"):  # `result_of` raises for infinite scores
        shifted = drawn - drawn.mean()
    return result_of(method, metric, totals, shifted, seed, interval)


def result_of(
    method: str,
    metric: Metric,
    totals: tuple[np.ndarray, np.ndarray],
    drawn: np.ndarray,
    seed: int,
    interval: Interval | None = None,
) -> PairedTest:
    """The result of a test: how many of the differences that were drawn without a true
    one are as large as the observed one.

    Args:
        method, metric, totals, seed: As of `bootstrapped`.
        drawn: The differences.
        interval: That of the difference, for a bootstrap.
    Raises:
        ValueError: If a score is infinite.
    """
    score, baseline = map(metric.score_from, totals)
    if not np.isfinite([score.value, baseline.value]).all():
        raise ValueError(
            "`metric` must have finite scores to be compared. Received: "
            f"{score.value} and {baseline.value}"
        )
    observed = abs(score.value - baseline.value)
    # Equal sums that were added in another order may differ in the last digits.
    rounding = 1e-12 * max(1, abs(score.value), abs(baseline.value))
    as_large = int((np.abs(drawn) >= observed - rounding).sum())
    p_value = (as_large + 1) / (len(drawn) + 1)
    if interval is not None:
        segments = float(totals[0][0])
        p_value = max(p_value, 2 * 0.5**segments)  # see `paired_bootstrap`
    return PairedTest(score, baseline, p_value, method, len(drawn), seed, interval)
