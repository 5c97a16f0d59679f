"""Paired tests of two systems, against exact enumeration and other implementations."""

import dataclasses
import itertools
import math
import re

import numpy as np
import pytest

from metrics import (
    BLEU,
    PairedTest,
    approximate_randomization,
    approximate_randomization_of_sums,
    merge_sums,
    paired_bootstrap,
    paired_bootstrap_of_sums,
    sums,
)
from metrics.chrf.chrf import CHRF
from metrics.edits.error_rate import WER
from metrics.edits.exact_match import ExactMatch
from metrics.edits.ter.ter import TER
from metrics.significance.tests import (
    approximate_randomization_of_rows,
    paired_bootstrap_of_rows,
)

BOTH = pytest.mark.parametrize("compare", [paired_bootstrap, approximate_randomization])

REFERENCES = [
    ["the cat sat on the mat"],
    ["two dogs run through the snow", "two dogs are running in snow"],
    ["a man rides a red bike"],
    ["children play in the park"],
    ["she reads a long book by the window"],
    ["the train leaves at nine"],
    ["birds sing early in the morning"],
    ["the old house stands on a hill"],
]
SYSTEM = [
    "the cat sat on a mat",
    "two dogs run through snow",
    "a man rides a bike",
    "children play in the park",
    "she is reading a book by the window",
    "the train leaves at ten",
    "early in the morning birds sing",
    "an old house is on a hill",
]
BASELINE = [
    "a cat on the mat",
    "two dogs run in the snow",
    "a man on a red bike",
    "children in the park",
    "she reads a long letter",
    "the train leaves at nine",
    "birds sing in the morning",
    "the house stands there",
]


def values(metric, many_totals):
    return np.array([metric.score_from(totals).value for totals in many_totals])


def exact_randomization(metric, references, system, baseline):
    """Share of all 2^n exchanges that differ as much as the systems or more."""
    system_rows = metric.corpus_statistics(references, system)
    baseline_rows = metric.corpus_statistics(references, baseline)
    masks = np.array(list(itertools.product([0, 1], repeat=len(system_rows))))
    differences = values(
        metric, masks @ system_rows + (1 - masks) @ baseline_rows
    ) - values(metric, masks @ baseline_rows + (1 - masks) @ system_rows)
    observed = values(metric, [system_rows.sum(axis=0)]) - values(
        metric, [baseline_rows.sum(axis=0)]
    )
    return np.mean(np.abs(differences) >= abs(observed) - 1e-12)


def all_drawn_differences(metric, references, system, baseline):
    """The difference in each of all n^n corpora, and the observed one."""
    system_rows = metric.corpus_statistics(references, system)
    baseline_rows = metric.corpus_statistics(references, baseline)
    drawn = np.array(
        list(itertools.product(range(len(system_rows)), repeat=len(system_rows)))
    )
    differences = values(metric, system_rows[drawn].sum(axis=1)) - values(
        metric, baseline_rows[drawn].sum(axis=1)
    )
    observed = values(metric, [system_rows.sum(axis=0)]) - values(
        metric, [baseline_rows.sum(axis=0)]
    )
    return differences, observed


def exact_bootstrap(metric, *corpus):
    """Share of all n^n corpora whose difference, centred, is as large or larger."""
    differences, observed = all_drawn_differences(metric, *corpus)
    centred = differences - differences.mean()
    return np.mean(np.abs(centred) >= abs(observed) - 1e-12)


def drawn_close_to(p_value, trials):
    """Within four standard errors of a share of so many trials, and the one added."""
    error = 4 * math.sqrt(p_value * (1 - p_value) / trials) + 1 / trials
    return pytest.approx(p_value, abs=error)


@pytest.mark.parametrize("metric", [BLEU(), BLEU(max_order=1, tokenizer="none"), TER()])
def test_approximate_randomization_draws_from_all_exchanges(metric):
    exact = exact_randomization(metric, REFERENCES, SYSTEM, BASELINE)
    test = approximate_randomization(
        metric, REFERENCES, SYSTEM, BASELINE, trials=2000, seed=1
    )
    assert test.p_value == drawn_close_to(exact, 2000)


@pytest.mark.parametrize("segments", [slice(0, 4), slice(2, 6), slice(4, 8)])
@pytest.mark.parametrize("metric", [BLEU(max_order=2), CHRF()])
def test_paired_bootstrap_draws_from_all_corpora(metric, segments):
    corpus = REFERENCES[segments], SYSTEM[segments], BASELINE[segments]
    exact = exact_bootstrap(metric, *corpus)
    test = paired_bootstrap(metric, *corpus, trials=1000, seed=1)
    # The mean of the drawn differences is drawn too, and moves some across the line:
    # a bit more than three standard errors of a share.
    assert test.p_value == pytest.approx(max(exact, 2 / 2**4), abs=0.05)


@pytest.mark.parametrize("metric", [BLEU(max_order=2), CHRF()])
def test_the_interval_of_a_difference_is_that_of_all_corpora(metric):
    corpus = REFERENCES[2:6], SYSTEM[2:6], BASELINE[2:6]
    drawn, _ = all_drawn_differences(metric, *corpus)
    interval = paired_bootstrap(metric, *corpus, trials=4000, confidence=0.8).interval
    assert (interval.confidence, interval.resamples) == (0.8, 4000)
    # Four standard errors of the share of 4,000 draws that lie below.
    error = 4 * math.sqrt(0.1 * 0.9 / 4000)
    for end, share in ((interval.low, 0.1), (interval.high, 0.9)):
        assert np.mean(drawn < end - 1e-12) <= share + error
        assert np.mean(drawn <= end + 1e-12) >= share - error
    exchanged = paired_bootstrap(metric, corpus[0], *corpus[:0:-1], trials=4000)
    assert exchanged.interval.high > -interval.low  # 95% hold more than 80%


def test_only_a_bootstrap_has_an_interval_of_the_difference():
    corpus = REFERENCES, SYSTEM, BASELINE
    assert approximate_randomization(BLEU(), *corpus, trials=50).interval is None
    with pytest.raises(ValueError, match="`confidence`.*Received: confidence=1"):
        paired_bootstrap(BLEU(), *corpus, confidence=1)


def test_a_test_in_words_and_as_a_dictionary_has_the_difference():
    test = paired_bootstrap(BLEU(), [["a b c d"]] * 3, ["a b c d"] * 3, ["a b c"] * 3)
    difference = 1 - test.baseline.value
    assert dataclasses.asdict(test)["difference"] == test.difference == difference
    # All drawn corpora are the same.
    assert str(test) == (
        f"difference +{difference:.4f} [+{difference:.4f}, +{difference:.4f}], "
        "p = 0.2500 (bootstrap, 1000 trials, seed 12345)"
    )


def test_approximate_randomization_of_right_and_wrong_is_the_sign_test():
    # Of 14 segments that only one system has right, 11 or more are one system's.
    references = [["a"]] * 40
    system = ["a"] * 11 + ["b"] * 3 + ["a"] * 26
    baseline = ["b"] * 11 + ["a"] * 29
    exact = 2 * sum(math.comb(14, k) for k in range(11, 15)) / 2**14
    test = approximate_randomization(
        ExactMatch(), references, system, baseline, trials=4000
    )
    assert test.p_value == drawn_close_to(exact, 4000)


def test_paired_bootstrap_of_right_and_wrong_is_near_the_normal_approximation():
    # Differences are 1 (25 times), -1 (15) and 0 (160): 10 in sum, and the variance of
    # a drawn sum is 40 - 100 / 200.
    references = [["a"]] * 200
    system = ["a"] * 25 + ["b"] * 15 + ["a"] * 160
    baseline = ["b"] * 25 + ["a"] * 175
    test = paired_bootstrap(ExactMatch(), references, system, baseline, trials=2000)
    # Sums are whole, and their mean of about 10 decides whether a sum of just twice as
    # much, or of 0, is counted: half a sum more or less.
    low, high = (math.erfc(sum / math.sqrt(2 * 39.5)) for sum in (10.5, 9.5))
    assert low - 0.02 < test.p_value < high + 0.02


def sums_of_halves(metric, references, hypotheses, **options):
    size = len(hypotheses) // 2
    return merge_sums(
        sums(metric, references[own], hypotheses[own], key=str(own.start), **options)
        for own in (slice(0, size), slice(size, None))
    )


@pytest.mark.parametrize("metric", [BLEU(), TER()])
def test_randomization_of_sums_draws_from_all_exchanges(metric):
    exact = exact_randomization(metric, REFERENCES, SYSTEM, BASELINE)
    both = (
        sums_of_halves(metric, REFERENCES, own, resamples=2000, method="randomization")
        for own in (SYSTEM, BASELINE)
    )
    test = approximate_randomization_of_sums(metric, *both)
    assert test.p_value == drawn_close_to(exact, 2000)
    assert test.method == "approximate-randomization"
    assert test.score == metric.corpus_score(REFERENCES, SYSTEM)


def test_bootstrap_of_sums_is_near_the_normal_approximation():
    # Differences are 1 (25 times), -1 (15) and 0 (160). Weights vary by 1 each, so the
    # variance of a drawn sum is 40, and that of a share 39.5: see the test above.
    references = [["a"]] * 200
    system = ["a"] * 25 + ["b"] * 15 + ["a"] * 160
    baseline = ["b"] * 25 + ["a"] * 175
    both = (
        sums_of_halves(ExactMatch(), references, own, resamples=2000)
        for own in (system, baseline)
    )
    test = paired_bootstrap_of_sums(ExactMatch(), *both)
    low, high = (math.erfc(sum / math.sqrt(2 * 39.5)) for sum in (10.5, 9.5))
    assert low - 0.02 < test.p_value < high + 0.02
    assert (test.method, test.trials) == ("poisson-bootstrap", 2000)


@BOTH
def test_a_test_tells_the_scores_and_how_it_was_made(compare):
    test = compare(BLEU(), REFERENCES, SYSTEM, BASELINE, trials=30, seed=4)
    assert isinstance(test, PairedTest)
    assert test.score == BLEU().corpus_score(REFERENCES, SYSTEM)
    assert test.baseline == BLEU().corpus_score(REFERENCES, BASELINE)
    assert test.difference == test.score.value - test.baseline.value > 0
    assert (test.trials, test.seed) == (30, 4)
    assert test.method == compare.__name__.removeprefix("paired_").replace("_", "-")


@BOTH
def test_a_hugely_better_system_has_the_smallest_chance(compare):
    references = [[f"a {letter} b c d"] for letter in "efghijklmnopqrstuvwx"]
    system = [own[0] for own in references]
    test = compare(BLEU(), references, system, ["a c d"] * 20, trials=200)
    assert test.p_value == 1 / 201


@BOTH
def test_a_lower_error_rate_is_as_significant_as_a_higher_score(compare):
    # The rate of words replaced falls by as much as the share of right ones grows.
    references = [["a"]] * 20
    systems = ["a"] * 20, ["a"] * 13 + ["b"] * 7
    rate = compare(TER(), references, *systems, trials=200)
    share = compare(ExactMatch(), references, *systems, trials=200)
    assert rate.difference == pytest.approx(-share.difference, abs=1e-12)
    assert rate.p_value == share.p_value < 0.05


@BOTH
def test_one_segment_proves_nothing(compare):
    test = compare(ExactMatch(), [["a"]], ["a"], ["b"], trials=50)
    assert test.p_value == 1


def test_one_segment_of_sums_proves_nothing():
    right, wrong = (
        sums(ExactMatch(), [["a"]], [text], resamples=50, key="k") for text in "ab"
    )
    assert paired_bootstrap_of_sums(ExactMatch(), right, wrong).p_value == 1


@pytest.mark.parametrize("segments", [2, 3, 5])
def test_few_segments_prove_no_more_by_bootstrap_than_by_exchanges(segments):
    corpus = [["a"]] * segments, ["a"] * segments, ["b"] * segments
    exact = exact_randomization(ExactMatch(), *corpus)
    assert exact == 2 / 2**segments
    assert paired_bootstrap(ExactMatch(), *corpus).p_value == exact
    right, wrong = (
        sums(ExactMatch(), corpus[0], own, resamples=1000, key="k")
        for own in corpus[1:]
    )
    assert paired_bootstrap_of_sums(ExactMatch(), right, wrong).p_value >= exact


def test_equally_good_systems_of_two_segments_are_never_significant():
    rng = np.random.default_rng(1)
    words = rng.choice(list("ab"), size=(30, 3, 2, 4))
    for references, *systems in words:
        texts = [[" ".join(text) for text in own] for own in (references, *systems)]
        corpus = [[text] for text in texts[0]], texts[1], texts[2]
        assert paired_bootstrap(WER(), *corpus, trials=100).p_value >= 0.5


@BOTH
def test_the_same_seed_gives_the_same_chance_and_another_another(compare):
    chances = [
        compare(BLEU(), REFERENCES, SYSTEM, BASELINE, trials=60, seed=seed).p_value
        for seed in (1, 1, 2, 3, 4)
    ]
    assert chances[0] == chances[1]
    assert len(set(chances)) > 1


@BOTH
@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (
            {"trials": 0},
            "^`trials` must be a positive integer. Received: trials=0",
        ),
        ({"trials": 1.5}, "^`trials` must be a positive integer."),
        ({"seed": -1}, "^`seed` must be a non-negative integer. Received: seed=-1"),
    ],
)
def test_drawing_needs_a_number_and_a_seed(compare, arguments, message):
    with pytest.raises(ValueError, match=message):
        compare(BLEU(), REFERENCES, SYSTEM, BASELINE, **arguments)


@BOTH
@pytest.mark.parametrize("size", [7, 9])
def test_both_systems_have_a_text_for_each_segment(compare, size):
    texts = (SYSTEM * 2)[:size]
    for systems in ((texts, BASELINE), (SYSTEM, texts)):
        with pytest.raises(ValueError, match=f"8 and {size} hypotheses"):
            compare(BLEU(), REFERENCES, *systems)


OF_ROWS = {
    paired_bootstrap: paired_bootstrap_of_rows,
    approximate_randomization: approximate_randomization_of_rows,
}


@BOTH
def test_counted_statistics_are_tested_as_their_texts(compare):
    rows = [BLEU().corpus_statistics(REFERENCES, own) for own in (SYSTEM, BASELINE)]
    test = OF_ROWS[compare](BLEU(), *rows, trials=30, seed=4)
    assert test == compare(BLEU(), REFERENCES, SYSTEM, BASELINE, trials=30, seed=4)


@BOTH
def test_what_is_no_metric_is_named(compare):
    for metric in ("bleu", BLEU, None):
        with pytest.raises(TypeError, match="^`metric` must be a metric such as `BLEU"):
            compare(metric, REFERENCES, REFERENCES, REFERENCES)


@BOTH
def test_trials_that_do_not_fit_in_memory_are_refused(compare):
    with pytest.raises(
        ValueError, match="^`trials` must be an integer of at most 1000"
    ):
        compare(BLEU(), [["a"]], ["a"], ["a"], trials=10**9)


@pytest.mark.parametrize(
    "compare", [paired_bootstrap_of_rows, approximate_randomization_of_rows]
)
def test_rows_are_checked_by_name(compare):
    rows = BLEU().corpus_statistics([["a"]], ["a"])
    with pytest.raises(ValueError, match="^`rows` must be a 2-D array"):
        compare(BLEU(), [], rows)
    with pytest.raises(ValueError, match="^`baseline_rows` must be finite"):
        compare(BLEU(), rows, rows * np.nan)


@BOTH
def test_counted_statistics_are_of_the_same_segments(compare):
    rows = BLEU().corpus_statistics(REFERENCES, SYSTEM)
    message = (
        "`rows` and `baseline_rows` must be statistics of the same segments. Received: "
        "shapes (8, 13) and (7, 13)"
    )
    with pytest.raises(ValueError, match=f"^{re.escape(message)}$"):
        OF_ROWS[compare](BLEU(), rows, rows[1:])


@pytest.fixture(scope="module")
def noisy_systems():
    """References and two systems that replace words, one of them a little oftener."""
    rng = np.random.default_rng(3)
    words = rng.choice(list("abcdefghij"), size=(100, 8))
    texts = [words]
    for rate in (0.3, 0.34):
        other = rng.choice(list("abcdefghij"), size=words.shape)
        texts.append(np.where(rng.random(words.shape) < rate, other, words))
    return [[" ".join(text) for text in own] for own in texts]


def sacrebleu_test(kind, references, system, baseline, trials):
    sacrebleu = pytest.importorskip("sacrebleu")
    from sacrebleu.significance import PairedTest

    systems = [("baseline", baseline), ("system", system)]
    bleu = {"BLEU": sacrebleu.BLEU()}
    _, results = PairedTest(systems, bleu, [references], kind, trials)()
    return results["BLEU"][1].p_value


def test_approximate_randomization_agrees_with_sacrebleu(noisy_systems):
    references, system, baseline = noisy_systems
    expected = sacrebleu_test("ar", references, system, baseline, 1000)
    test = approximate_randomization(
        BLEU(), [[own] for own in references], system, baseline, trials=1000
    )
    assert 0.01 < test.p_value < 0.5
    error = math.sqrt(2 * expected * (1 - expected) / 1000)
    assert test.p_value == pytest.approx(expected, abs=4 * error)


def test_paired_bootstrap_counts_both_tails_of_which_sacrebleu_counts_one(
    noisy_systems, monkeypatch
):
    monkeypatch.setenv("SACREBLEU_SEED", "12345")
    references, system, baseline = noisy_systems
    expected = sacrebleu_test("bs", references, system, baseline, 1000)
    test = paired_bootstrap(BLEU(), [[own] for own in references], system, baseline)
    assert 0.01 < expected < 0.2
    assert 1.5 * expected < test.p_value < 3 * expected
