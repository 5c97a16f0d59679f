"""Is one system better than another? Tests on paired segments, for every metric."""

import dataclasses

import numpy as np

from .base import NUM_SHARED, Metric, Score
from .bootstrap import MAX_RESAMPLES, MAX_SEED, resampled_totals
from .checks import check_integer, shorten


@dataclasses.dataclass(frozen=True)
class PairedTest:
    """Two systems compared on the same segments.

    Attributes:
        score: Score of the system.
        baseline: Score of the system it is compared with.
        p_value: Chance of a difference at least this large, in either direction, if
            the systems were equally good.
        method: `"bootstrap"` or `"approximate-randomization"`.
        trials: Corpora drawn.
        seed: Seed of the drawing.
    """

    score: Score
    baseline: Score
    p_value: float
    method: str
    trials: int
    seed: int

    @property
    def difference(self) -> float:
        """By how much the score of the system is above the baseline's."""
        return self.score.value - self.baseline.value


def paired_bootstrap(
    metric: Metric, references, hypotheses, baseline, *, trials=1000, seed=12345
) -> PairedTest:
    """Tests a difference by drawing segments, the same for both systems.

    The drawn differences are centred, and those at least as large as the one seen, in
    either direction, are counted, one added above and below the line. One segment says
    nothing: its differences are all the same.

    Deviation: sacreBLEU centres the differences without their signs, which counts one
    direction only; its p-value is half of this one, or less.

    Args:
        metric: A metric.
        references: One list of references for each segment.
        hypotheses: The system's texts.
        baseline: The texts of the system it is compared with.
        trials: Corpora drawn.
        seed: Seed of the drawing.
    Raises:
        TypeError, ValueError: As `Metric.corpus_score`.
    Reference:
        Koehn (2004), Statistical Significance Tests for Machine Translation Evaluation.
    """
    rows = _rows(metric, references, hypotheses, baseline, trials, seed)
    return paired_bootstrap_of_rows(metric, *rows, trials=trials, seed=seed)


def paired_bootstrap_of_rows(
    metric: Metric, rows, baseline_rows, *, trials=1000, seed=12345
) -> PairedTest:
    """`paired_bootstrap` of what `Metric.corpus_statistics` counted.

    Raises:
        TypeError: If an argument is of the wrong type.
        ValueError: If the numbers of rows differ, or an argument is out of its range.
    """
    trials, seed = _checked_draws(metric, trials, seed)
    rows, baseline_rows = _checked_rows(metric, rows, baseline_rows)
    with np.errstate(invalid="ignore"):  # infinite scores: refused in `_result`
        drawn = metric.values_from(resampled_totals(rows, trials, seed))
        drawn -= metric.values_from(resampled_totals(baseline_rows, trials, seed))
        drawn -= drawn.mean()
    return _result("bootstrap", metric, rows, baseline_rows, drawn, seed)


def approximate_randomization(
    metric: Metric, references, hypotheses, baseline, *, trials=10_000, seed=12345
) -> PairedTest:
    """Tests a difference by swapping the systems' segments at random.

    Args:
        metric: A metric.
        references: One list of references for each segment.
        hypotheses: The system's texts.
        baseline: The texts of the system it is compared with.
        trials: Swapped corpora drawn.
        seed: Seed of the drawing.
    Raises:
        TypeError, ValueError: As `Metric.corpus_score`.
    Reference:
        Riezler and Maxwell (2005), On Some Pitfalls in Automatic Evaluation and
        Significance Testing for MT.
    """
    rows = _rows(metric, references, hypotheses, baseline, trials, seed)
    return approximate_randomization_of_rows(metric, *rows, trials=trials, seed=seed)


def approximate_randomization_of_rows(
    metric: Metric, rows, baseline_rows, *, trials=10_000, seed=12345
) -> PairedTest:
    """`approximate_randomization` of what `Metric.corpus_statistics` counted.

    Raises:
        TypeError: If an argument is of the wrong type.
        ValueError: If the numbers of rows differ, or an argument is out of its range.
    """
    trials, seed = _checked_draws(metric, trials, seed)
    rows, baseline_rows = _checked_rows(metric, rows, baseline_rows)
    rng = np.random.default_rng(seed)
    difference = baseline_rows - rows
    moved = np.empty((trials, rows.shape[1]))
    for row in moved:
        row[:] = rng.integers(2, size=len(rows)) @ difference
    with np.errstate(invalid="ignore"):  # infinite scores: refused in `_result`
        drawn = metric.values_from(rows.sum(axis=0) + moved)
        drawn -= metric.values_from(baseline_rows.sum(axis=0) - moved)
    return _result(
        "approximate-randomization", metric, rows, baseline_rows, drawn, seed
    )


def _rows(metric, references, hypotheses, baseline, trials, seed):
    _checked_draws(metric, trials, seed)
    metric._check(references, baseline, "baseline")
    fitted = metric.fitted(references, hypotheses)
    return (
        fitted.corpus_statistics(references, hypotheses),
        fitted.corpus_statistics(references, baseline),
    )


def _checked_draws(metric, trials, seed):
    if not isinstance(metric, Metric):
        raise TypeError(
            "`metric` must be a metric, as `BLEU()`. Received: "
            f"metric={shorten(metric)}"
        )
    trials = check_integer("trials", trials, maximum=MAX_RESAMPLES)
    return trials, check_integer("seed", seed, minimum=0, maximum=MAX_SEED)


def _checked_rows(metric, rows, baseline_rows):
    rows = metric._checked_statistics("rows", rows, 2)
    baseline_rows = metric._checked_statistics("baseline_rows", baseline_rows, 2)
    same = rows.shape == baseline_rows.shape
    if not same or (rows[:, :NUM_SHARED] != baseline_rows[:, :NUM_SHARED]).any():
        raise ValueError(
            "`rows` and `baseline_rows` must be statistics of the same segments. "
            f"Received: shapes {rows.shape} and {baseline_rows.shape}"
        )
    return rows, baseline_rows


def _result(method, metric, rows, baseline_rows, drawn, seed):
    score = metric.score_from(rows.sum(axis=0))
    baseline = metric.score_from(baseline_rows.sum(axis=0))
    if not np.isfinite([score.value, baseline.value]).all():
        raise ValueError(
            "`metric` must have finite scores to be compared. Received: "
            f"{score.value} and {baseline.value}"
        )
    seen = abs(score.value - baseline.value)
    # Equal sums that were added in another order may differ in the last digits.
    rounding = 1e-12 * max(1, abs(score.value), abs(baseline.value))
    as_large = int((np.abs(drawn) >= seen - rounding).sum())
    p_value = (as_large + 1) / (len(drawn) + 1)
    return PairedTest(score, baseline, p_value, method, len(drawn), seed)
