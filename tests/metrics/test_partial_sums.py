"""Scores of a corpus in parts, and the corpora that are drawn from each part."""

import hashlib
import math
import os
import re
import zlib
from fractions import Fraction

import numpy as np
import pytest

import metrics
from metrics import BLEU, merge_sums, score_sums, sums
from metrics.base import BLOCK
from metrics.edits.error_rate import WER
from metrics.edits.exact_match import ExactMatch
from metrics.significance.draws import Draws

REFERENCES = [["a b c"], ["a b", "c d"], ["c d e"], ["f"]]
HYPOTHESES = ["a b", "a x y", "c d e f", "f"]


def parts(metric, size, **options):
    """The sums of parts of the corpus."""
    return [
        sums(
            metric,
            REFERENCES[start : start + size],
            HYPOTHESES[start : start + size],
            key=f"{start}.tsv",
            **options,
        )
        for start in range(0, len(HYPOTHESES), size)
    ]


def poisson_quantile(share):
    """The smallest k with P(K <= k) above a share, for a Poisson variable of mean 1."""
    total, term, k = math.exp(-1), math.exp(-1), 0
    while total <= share:
        k += 1
        term /= k
        total += term
    return k


def uniform_draws(key, block, count, size, seed):
    hashed = hashlib.blake2b(key.encode(), digest_size=8).digest()
    rng = np.random.default_rng([seed, int.from_bytes(hashed, "little"), block])
    for _ in range(count):
        draws = rng.integers(2**32, size=size, dtype=np.uint32)
        yield [Fraction(int(draw), 2**32) for draw in draws]


def test_drawn_corpora_are_weighted_sums_of_segments():
    # From the definition: quantiles of uniform numbers, and plain loops.
    found = merge_sums(parts(WER(), 2, resamples=70, seed=5)).drawn
    rows = WER().corpus_statistics(REFERENCES, HYPOTHESES).tolist()
    expected = np.zeros(found.shape)
    for start in (0, 2):
        draws = uniform_draws(f"{start}.tsv", 0, 70, 2, 5)
        for corpus, shares in enumerate(draws):
            for row, share in zip(rows[start : start + 2], shares, strict=True):
                for column, number in enumerate(row):
                    expected[corpus, column] += poisson_quantile(share) * number
    np.testing.assert_array_equal(found, expected)


def test_parts_whose_names_have_one_crc_are_drawn_apart():
    assert zlib.crc32(b"plumless") == zlib.crc32(b"buckeroo")
    draws = Draws("bootstrap", 50, 1)
    rows = np.ones((20, 1))
    first, other = (draws.weighted_sums(rows, k, 0) for k in ("plumless", "buckeroo"))
    assert (first != other).any()


def test_weights_have_the_distribution_of_poisson():
    draws = Draws("bootstrap", 1000, 1)
    ones = np.ones((1, 1))
    weights = np.array([draws.weighted_sums(ones, "key", n) for n in range(300)])
    size = weights.size
    for k in range(7):
        share = math.exp(-1) / math.factorial(k)
        error = 4 * math.sqrt(share * (1 - share) / size)
        assert np.mean(weights == k) == pytest.approx(share, abs=error)
    # No two blocks, keys or seeds have the same ones.
    assert abs(np.corrcoef(weights[0].ravel(), weights[1].ravel())[0, 1]) < 0.2
    for other in (
        draws.weighted_sums(ones, "other", 0),
        Draws("bootstrap", 1000, 2).weighted_sums(ones, "key", 0),
    ):
        assert abs(np.corrcoef(weights[0].ravel(), other.ravel())[0, 1]) < 0.2


@pytest.mark.parametrize("size", [1, 2, 3, 4])
def test_parts_of_any_size_have_the_score_of_the_corpus(size):
    own = parts(BLEU(), size)
    whole = BLEU().corpus_score(REFERENCES, HYPOTHESES)
    assert score_sums(BLEU(), merge_sums(own)) == whole
    assert score_sums(BLEU(), merge_sums(reversed(own))) == whole
    assert BLEU().merge(part.totals for part in own) == whole


def test_a_part_may_be_counted_block_by_block():
    references, hypotheses = [["a"]] * (BLOCK + 1), ["a"] * BLOCK + ["b"]
    options = {"resamples": 3, "key": "long"}
    whole = sums(ExactMatch(), references, hypotheses, **options)
    blocks = merge_sums(
        sums(ExactMatch(), references[own], hypotheses[own], block=n, **options)
        for n, own in enumerate([slice(BLOCK), slice(BLOCK, None)])
    )
    np.testing.assert_array_equal(whole.drawn, blocks.drawn)
    assert whole.parts == blocks.parts == {("long", 0), ("long", 1)}


def test_a_key_may_be_the_name_of_a_file_that_is_no_text():
    name = os.fsdecode(b"x\xff.tsv")
    part = sums(WER(), [["a"]], ["a"], resamples=9, key=name)
    assert merge_sums([part]).parts == {(name, 0)}


def test_interval_of_a_share_is_as_wide_as_the_normal_approximation():
    # Width 2 * 1.96 sqrt(p (1 - p) / n); its own error is a few per cent.
    answers = ["a"] * 120 + ["b"] * 280
    own = sums(ExactMatch(), [["a"]] * 400, answers, resamples=2000, key="answers")
    score = score_sums(ExactMatch(), own, confidence=0.95)
    width = score.interval.high - score.interval.low
    assert width == pytest.approx(2 * 1.96 * math.sqrt(0.3 * 0.7 / 400), rel=0.08)
    assert score.interval.low < score.value == 0.3 < score.interval.high
    assert vars(score.interval)["resamples"] == 2000
    assert "|bs:poisson|v:" in score.signature


def test_interval_holds_the_true_share_as_often_as_it_says():
    rng = np.random.default_rng(0)
    held = 0
    for seed in range(100):
        answers = ["a" if right else "b" for right in rng.random(100) < 0.4]
        own = sums(
            ExactMatch(),
            [["a"]] * 100,
            answers,
            resamples=100,
            seed=seed,
            key="answers",
        )
        interval = score_sums(ExactMatch(), own, confidence=0.9).interval
        held += interval.low <= 0.4 <= interval.high
    # 90 is expected, with a standard deviation of 3.
    assert 80 <= held <= 98


def test_drawn_corpora_without_a_segment_are_left_out():
    own = sums(WER(), [["a"]], ["b"], resamples=50, key="one")
    assert (own.drawn[:, 0] == 0).any()
    interval = score_sums(WER(), own, confidence=0.95).interval
    assert (interval.low, interval.high) == (1, 1)


ONE = sums(WER(), [["a"]], ["b"])
DRAWN = sums(WER(), [["a"]], ["b"], resamples=9, key="k")
COINS = sums(WER(), [["a"]], ["b"], resamples=9, key="k", method="randomization")


@pytest.mark.parametrize(
    ("call", "error", "message"),
    [
        (
            lambda: sums(WER, [["a"]], ["a"]),
            TypeError,
            "`metric` must be a metric such",
        ),
        (
            lambda: sums(WER(), [["a"]], ["a"], resamples=9),
            ValueError,
            "`key` must be a string that names the part, where corpora are drawn. "
            "Received: key=''",
        ),
        (
            lambda: sums(WER(), [["a"]], ["a"], resamples=-1),
            ValueError,
            "`resamples` must be a non-negative integer. Received: resamples=-1",
        ),
        (
            lambda: sums(WER(), [["a"]], ["a"], method="jackknife"),
            ValueError,
            "`method` must be one of 'bootstrap', 'randomization'. Received: "
            "method='jackknife'",
        ),
        (
            lambda: sums(metrics.CIDEr(), [["a"]], ["a"]),
            ValueError,
            "CIDEr must know in how many documents an n-gram is.",
        ),
        (lambda: merge_sums([]), ValueError, "`parts` must have at least one part."),
        (
            lambda: merge_sums(5),
            TypeError,
            "`parts` must be a list of sums. Received: 5",
        ),
        (
            lambda: merge_sums([5]),
            TypeError,
            "`parts` must come from `metrics.sums`. Received: 5",
        ),
        (
            lambda: merge_sums([DRAWN, DRAWN]),
            ValueError,
            "`parts` must be different parts, each with a `key` of its own. Received "
            "twice: key='k', block=0",
        ),
        (
            lambda: merge_sums(2 * [sums(WER(), [["a"]], ["a"], key="k")]),
            ValueError,
            "`parts` must be different parts, each with a `key` of its own. Received "
            "twice: key='k', block=0",
        ),
        (
            lambda: score_sums("wer", ONE),
            TypeError,
            "`metric` must be a metric such as `BLEU()`. Received: metric='wer'",
        ),
        (
            lambda: metrics.paired_bootstrap_of_sums(WER, DRAWN, DRAWN),
            TypeError,
            "`metric` must be a metric such as `BLEU()`. Received: ",
        ),
        (
            lambda: merge_sums([ONE, DRAWN]),
            ValueError,
            "`parts` must be sums of one metric with the same draws. Received: ",
        ),
        (
            lambda: score_sums(WER(), ONE, confidence=0.95),
            ValueError,
            "`sums` must have corpora that were drawn: `resamples` of at least 1, "
            "method='bootstrap'. Received: ",
        ),
        (
            lambda: score_sums(WER(), COINS, confidence=0.95),
            ValueError,
            "`sums` must have corpora that were drawn",
        ),
        (
            lambda: metrics.paired_bootstrap_of_sums(WER(), DRAWN, ONE),
            ValueError,
            "`sums` and `baseline_sums` must be of the same parts, with the same ",
        ),
        (
            lambda: metrics.approximate_randomization_of_sums(WER(), DRAWN, DRAWN),
            ValueError,
            "`sums` must have corpora that were drawn",
        ),
    ],
)
def test_what_is_wrong_is_named(call, error, message):
    with pytest.raises(error, match=f"^{re.escape(message)}"):
        call()
