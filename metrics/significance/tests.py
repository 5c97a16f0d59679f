"""Significance tests of two systems on the same segments, for every metric."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from ..base import Metric, Text, check_metric
from ..bootstrap import MAX_RESAMPLES, MAX_SEED, resampled_totals
from ..checks import check_integer
from ..sums import NUM_SHARED
from .paired_test import PairedTest, bootstrapped, result_of
from .partial_sums import Sums, checked_sums, drawn_corpora

References = Sequence[Sequence[Text]]
# Log-probabilities for metrics of language models.
Hypotheses = Sequence[Any]


def paired_bootstrap(
    metric: Metric,
    references: References,
    hypotheses: Hypotheses,
    baseline: Hypotheses,
    *,
    trials: int = 1000,
    seed: int = 12345,
    confidence: float = 0.95,
) -> PairedTest:
    """Tests a difference by drawing segments with replacement, for both systems alike.

    The differences of the drawn corpora are shifted to the mean 0. With n of them at
    least as large as the observed one, in either direction, the p-value is
    (n + 1) / (trials + 1), so never below 1 / (trials + 1), which more trials lower. It
    is at least 2 / 2^segments, see below.

    Deviation: Koehn's test has no such bound. Drawn corpora of few segments vary too
    little, and equally good systems often differ "significantly": of two segments, in
    half of the cases. If the systems are equally good, each segment may as well be
    exchanged between them. At least two of the 2^segments exchanges have a difference
    as large as the observed one: to exchange no segment, and to exchange all.

    Deviation: sacreBLEU shifts the absolute values of the differences, which counts one
    direction only. Its p-value is this one at most, often about half of it.

    Args:
        metric: A metric.
        references: One list of references for each segment.
        hypotheses: The texts of the system.
        baseline: The texts of the system it is compared with.
        trials: Number of drawn corpora.
        seed: Seed of the random generator.
        confidence: Confidence of the interval of the difference.
    Raises:
        TypeError, ValueError: As `Metric.corpus_score`.
    Reference:
        Koehn (2004), Statistical Significance Tests for Machine Translation Evaluation.
        Riezler and Maxwell (2005), see `approximate_randomization`, for exchanges.
    """
    rows = _rows(metric, references, hypotheses, baseline, trials, seed)
    return paired_bootstrap_of_rows(
        metric, *rows, trials=trials, seed=seed, confidence=confidence
    )


def paired_bootstrap_of_rows(
    metric: Metric,
    rows: np.ndarray,
    baseline_rows: np.ndarray,
    *,
    trials: int = 1000,
    seed: int = 12345,
    confidence: float = 0.95,
) -> PairedTest:
    """`paired_bootstrap` of statistics that are already counted.

    Args:
        metric: A metric.
        rows: Result of `Metric.corpus_statistics` for the system.
        baseline_rows: The same for the system it is compared with.
        trials: Number of drawn corpora.
        seed: Seed of the random generator.
        confidence: Confidence of the interval of the difference.
    Raises:
        TypeError: If an argument is of the wrong type.
        ValueError: If the numbers of rows differ, or an argument is out of its range.
    """
    trials, seed = _checked_draws(metric, trials, seed)
    rows, baseline_rows = _checked_rows(metric, rows, baseline_rows)
    with np.errstate(invalid="ignore"):  # `result_of` raises for infinite scores
        drawn = metric.values_from(resampled_totals(rows, trials, seed))
        drawn -= metric.values_from(resampled_totals(baseline_rows, trials, seed))
    totals = rows.sum(axis=0), baseline_rows.sum(axis=0)
    return bootstrapped("bootstrap", metric, totals, drawn, seed, confidence)


def approximate_randomization(
    metric: Metric,
    references: References,
    hypotheses: Hypotheses,
    baseline: Hypotheses,
    *,
    trials: int = 10_000,
    seed: int = 12345,
) -> PairedTest:
    """Tests a difference by swapping segments between the systems at random.

    With n of the swapped corpora whose difference is at least as large as the observed
    one, in either direction, the p-value is (n + 1) / (trials + 1). So it is never
    below 1 / (trials + 1), which more trials lower.

    Args:
        metric: A metric.
        references: One list of references for each segment.
        hypotheses: The texts of the system.
        baseline: The texts of the system it is compared with.
        trials: Number of random swaps of the whole corpus.
        seed: Seed of the random generator.
    Raises:
        TypeError, ValueError: As `Metric.corpus_score`.
    Reference:
        Riezler and Maxwell (2005), On Some Pitfalls in Automatic Evaluation and
        Significance Testing for MT.
    """
    rows = _rows(metric, references, hypotheses, baseline, trials, seed)
    return approximate_randomization_of_rows(metric, *rows, trials=trials, seed=seed)


def approximate_randomization_of_rows(
    metric: Metric,
    rows: np.ndarray,
    baseline_rows: np.ndarray,
    *,
    trials: int = 10_000,
    seed: int = 12345,
) -> PairedTest:
    """`approximate_randomization` of statistics that are already counted.

    Args:
        metric: A metric.
        rows: Result of `Metric.corpus_statistics` for the system.
        baseline_rows: The same for the system it is compared with.
        trials: Number of random swaps of the whole corpus.
        seed: Seed of the random generator.
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
    with np.errstate(invalid="ignore"):  # `result_of` raises for infinite scores
        drawn = metric.values_from(rows.sum(axis=0) + moved)
        drawn -= metric.values_from(baseline_rows.sum(axis=0) - moved)
    totals = rows.sum(axis=0), baseline_rows.sum(axis=0)
    return result_of("approximate-randomization", metric, totals, drawn, seed)


def paired_bootstrap_of_sums(
    metric: Metric, sums: Sums, baseline_sums: Sums, *, confidence: float = 0.95
) -> PairedTest:
    """`paired_bootstrap` of a corpus that was counted in parts, see `sums`.

    Both systems have the same Poisson weights. The number of trials and the seed are
    those of the sums.

    Args:
        metric: The metric that counted.
        sums: Result of `merge_sums` for the system.
        baseline_sums: The same for the system it is compared with.
        confidence: Confidence of the interval of the difference.
    Raises:
        TypeError: If an argument is of the wrong type.
        ValueError: If the two are not of the same parts and draws, or the confidence is
            not in (0, 1).
    """
    _check_same_draws(metric, sums, baseline_sums)
    with np.errstate(invalid="ignore"):  # `result_of` raises for infinite scores
        drawn = metric.values_from(drawn_corpora(sums, "bootstrap"))
        drawn -= metric.values_from(drawn_corpora(baseline_sums, "bootstrap"))
    totals, seed = (sums.totals, baseline_sums.totals), sums.draws.seed
    return bootstrapped("poisson-bootstrap", metric, totals, drawn, seed, confidence)


def approximate_randomization_of_sums(
    metric: Metric, sums: Sums, baseline_sums: Sums
) -> PairedTest:
    """`approximate_randomization` of a corpus that was counted in parts, see `sums`.

    Args:
        metric: The metric that counted.
        sums: Result of `merge_sums` for the system, with `method="randomization"`.
        baseline_sums: The same for the system it is compared with.
    Raises:
        TypeError, ValueError: As `paired_bootstrap_of_sums`.
    """
    _check_same_draws(metric, sums, baseline_sums)
    moved = drawn_corpora(baseline_sums, "randomization")
    moved = moved - drawn_corpora(sums, "randomization")
    with np.errstate(invalid="ignore"):  # `result_of` raises for infinite scores
        drawn = metric.values_from(sums.totals + moved)
        drawn -= metric.values_from(baseline_sums.totals - moved)
    totals = sums.totals, baseline_sums.totals
    return result_of(
        "approximate-randomization", metric, totals, drawn, sums.draws.seed
    )


def _check_same_draws(metric: Metric, sums: Sums, baseline_sums: Sums) -> None:
    check_metric(metric)
    checked_sums("sums", sums)
    checked_sums("baseline_sums", baseline_sums)
    both = [(own.draws, own.parts, own.totals[0]) for own in (sums, baseline_sums)]
    if both[0] != both[1]:
        raise ValueError(
            "`sums` and `baseline_sums` must be of the same parts, with the same draws."
            f" Received: {sums.draws} and {baseline_sums.draws}, {len(sums.parts)} and "
            f"{len(baseline_sums.parts)} blocks"
        )


def _rows(
    metric: Metric,
    references: References,
    hypotheses: Hypotheses,
    baseline: Hypotheses,
    trials: int,
    seed: int,
) -> tuple[np.ndarray, np.ndarray]:
    _checked_draws(metric, trials, seed)
    metric._check(references, baseline, "baseline")
    fitted = metric.fitted(references, hypotheses)
    return (
        fitted.corpus_statistics(references, hypotheses),
        fitted.corpus_statistics(references, baseline),
    )


def _checked_draws(metric: Metric, trials: int, seed: int) -> tuple[int, int]:
    check_metric(metric)
    trials = check_integer("trials", trials, maximum=MAX_RESAMPLES)
    return trials, check_integer("seed", seed, minimum=0, maximum=MAX_SEED)


def _checked_rows(
    metric: Metric, rows: np.ndarray, baseline_rows: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    rows = metric._checked_statistics("rows", rows, 2)
    baseline_rows = metric._checked_statistics("baseline_rows", baseline_rows, 2)
    same = rows.shape == baseline_rows.shape
    if not same or (rows[:, :NUM_SHARED] != baseline_rows[:, :NUM_SHARED]).any():
        raise ValueError(
            "`rows` and `baseline_rows` must be statistics of the same segments. "
            f"Received: shapes {rows.shape} and {baseline_rows.shape}"
        )
    return rows, baseline_rows
