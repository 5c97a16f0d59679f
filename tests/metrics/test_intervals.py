"""Confidence intervals of scores, by the bootstrap."""

import dataclasses
import math
import re

import numpy as np
import pytest

from metrics import BLEU
from metrics.bootstrap import resampled_totals
from metrics.edits.error_rate import WER
from metrics.edits.exact_match import ExactMatch

REFERENCES = [["a b c"], ["a b", "c d"], ["c d e"], ["f"]]
HYPOTHESES = ["a b", "a x y", "c d e f", "f"]


def bootstrap_interval(metric, rows, confidence, resamples, seed):
    """Koehn (2004) in plain loops: of the scores of corpora drawn with replacement, the
    first that a share of `tail` does not exceed, and the first for `1 - tail`."""
    rng = np.random.default_rng(seed)
    values = []
    for _ in range(resamples):
        totals = [0.0] * len(rows[0])
        for index in rng.integers(len(rows), size=len(rows)):
            for column, number in enumerate(rows[index]):
                totals[column] += number
        values.append(metric.score_from(totals).value)

    def first_with(share):
        return min(
            value
            for value in values
            if sum(other <= value for other in values) >= share * resamples
        )

    return first_with((1 - confidence) / 2), first_with((1 + confidence) / 2)


@pytest.mark.parametrize("metric", [WER(), BLEU(max_order=1)])
@pytest.mark.parametrize("confidence", [0.5, 0.9, 0.99])
def test_interval_is_that_of_drawn_corpora(metric, confidence):
    rows = metric.corpus_statistics(REFERENCES * 2, HYPOTHESES * 2)
    low, high = bootstrap_interval(metric, rows.tolist(), confidence, 75, 3)
    score = metric.corpus_score(
        REFERENCES * 2, HYPOTHESES * 2, confidence=confidence, resamples=75, seed=3
    )
    assert score.interval.low == pytest.approx(low, abs=1e-12)
    assert score.interval.high == pytest.approx(high, abs=1e-12)
    assert score.interval.low < score.value < score.interval.high
    assert dataclasses.astuple(score.interval)[2:] == (confidence, 75, 3)


def exact_matches(right):
    """A corpus with a share of right answers."""
    return [["a"]] * len(right), ["a" if own else "b" for own in right]


def test_interval_of_a_share_is_as_wide_as_the_normal_approximation():
    # Width 2 * 1.96 sqrt(p (1 - p) / n); its own error is a few per cent.
    corpus = exact_matches([True] * 120 + [False] * 280)
    score = ExactMatch().corpus_score(*corpus, confidence=0.95, resamples=2000)
    width = score.interval.high - score.interval.low
    assert width == pytest.approx(2 * 1.96 * math.sqrt(0.3 * 0.7 / 400), rel=0.08)


def test_interval_holds_the_true_share_as_often_as_it_says():
    rng = np.random.default_rng(0)
    held = 0
    for seed in range(100):
        corpus = exact_matches(rng.random(100) < 0.4)
        score = ExactMatch().corpus_score(
            *corpus, confidence=0.9, resamples=100, seed=seed
        )
        held += score.interval.low <= 0.4 <= score.interval.high
    # 90 is expected, with a standard deviation of 3.
    assert 80 <= held <= 98


def test_more_confidence_takes_a_wider_interval():
    corpus = exact_matches([True, False, False] * 30)
    narrow, wide = (
        ExactMatch().corpus_score(*corpus, confidence=confidence).interval
        for confidence in (0.5, 0.99)
    )
    assert wide.low < narrow.low < 1 / 3 < narrow.high < wide.high


def test_another_seed_gives_another_interval():
    intervals = {
        WER()
        .corpus_score(REFERENCES, HYPOTHESES, confidence=0.5, resamples=9, seed=seed)
        .interval.low
        for seed in range(10)
    }
    assert len(intervals) > 1


def test_interval_of_one_segment_has_no_width():
    score = BLEU().corpus_score([["a b c d e"]], ["a b c d f"], confidence=0.95)
    assert score.interval.low == score.value == score.interval.high


def test_interval_of_rows_is_that_of_their_corpus():
    metric, arguments = WER(), {"confidence": 0.8, "resamples": 20, "seed": 5}
    rows = metric.corpus_statistics(REFERENCES, HYPOTHESES)
    score = metric.corpus_score(REFERENCES, HYPOTHESES, **arguments)
    assert metric.score_rows(rows, **arguments) == score


def test_drawn_corpora_have_the_size_of_the_corpus_and_any_of_its_rows():
    rows = np.hstack([np.ones((5, 1)), np.eye(5)])
    totals = resampled_totals(rows, 2000, 0)
    assert (totals[:, 0] == 5).all()
    assert (totals[:, 1:].sum(axis=1) == 5).all()
    # How often each row is drawn: 1 on average, 5 (1/5) (4/5) its variance.
    np.testing.assert_allclose(totals[:, 1:].mean(axis=0), 1, atol=0.08)
    np.testing.assert_allclose(totals[:, 1:].var(axis=0), 0.8, atol=0.12)


@pytest.mark.parametrize("confidence", [0, 1, 95, -0.5, math.nan, "0.95", True])
def test_confidence_is_between_0_and_1(confidence):
    message = (
        "`confidence` must be a finite number above 0 and below 1. Received: "
        f"confidence={confidence!r}"
    )
    with pytest.raises(ValueError, match=f"^{re.escape(message)}$"):
        WER().corpus_score(REFERENCES, HYPOTHESES, confidence=confidence)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"resamples": 0}, "`resamples` must be a positive integer."),
        ({"resamples": 10.0}, "`resamples` must be a positive integer."),
        ({"seed": -1}, "`seed` must be a non-negative integer."),
        ({"seed": None}, "`seed` must be a non-negative integer."),
    ],
)
def test_drawing_needs_a_number_and_a_seed(arguments, message):
    with pytest.raises(ValueError, match=f"^{re.escape(message)}"):
        WER().corpus_score(REFERENCES, HYPOTHESES, confidence=0.95, **arguments)


def test_width_of_an_interval_is_that_of_sacrebleu(monkeypatch):
    sacrebleu = pytest.importorskip("sacrebleu")
    monkeypatch.setenv("SACREBLEU_SEED", "12345")
    rng = np.random.default_rng(1)
    words = rng.choice(list("abcdef"), size=(30, 9))
    noise = np.where(rng.random((30, 9)) < 0.2, "x", words)
    references, hypotheses = (list(map(" ".join, own)) for own in (words, noise))
    expected = sacrebleu.BLEU().corpus_score(hypotheses, [references], n_bootstrap=1000)
    score = BLEU().corpus_score(
        [[own] for own in references], hypotheses, confidence=0.95
    )
    # Both draw the same corpora; sacreBLEU's sums are in single precision.
    width = score.interval.high - score.interval.low
    assert 50 * width == pytest.approx(expected._ci, rel=1e-6)
