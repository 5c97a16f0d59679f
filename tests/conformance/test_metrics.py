"""What every public text metric promises, for each row of `metric_descriptors.py`."""

import copy
import dataclasses
import json
import math
import pickle

import numpy as np
import pytest
from conformance.metric_descriptors import (
    ALIKE,
    METRICS,
    TEXT_METRICS,
    public_metric_classes,
    score_of_mixed,
)

import metrics.base
from metrics import approximate_randomization, paired_bootstrap

pytestmark = pytest.mark.once

EACH = pytest.mark.parametrize(
    "descriptor", [pytest.param(row, id=row.name) for row in METRICS]
)
EACH_OF_TEXT = pytest.mark.parametrize(
    "descriptor", [pytest.param(row, id=row.name) for row in TEXT_METRICS]
)
# Sums of real numbers differ by their order in the last digits.
ROUNDING = {"rel": 1e-12, "abs": 1e-12}


def split(corpus):
    """The corpus as lists of tokens."""
    references, hypotheses = corpus
    return (
        [[text.split() for text in own] for own in references],
        [text.split() for text in hypotheses],
    )


@pytest.mark.parametrize("metric_class", public_metric_classes())
def test_every_public_metric_has_a_row(metric_class):
    assert metric_class in {descriptor.metric_class for descriptor in METRICS}


@EACH
def test_a_row_holds_the_statistics_of_its_segment(descriptor):
    metric = descriptor.make().fitted(*descriptor.mixed)
    rows = metric.corpus_statistics(*descriptor.mixed)
    each = [
        metric.statistics(*segment) for segment in zip(*descriptor.mixed, strict=True)
    ]
    np.testing.assert_array_equal(rows, each)


@EACH
def test_a_corpus_of_many_blocks_has_the_same_statistics(descriptor, monkeypatch):
    metric = descriptor.make().fitted(*descriptor.mixed)
    rows = metric.corpus_statistics(*descriptor.mixed)
    monkeypatch.setattr(metrics.base, "BLOCK", 5)
    np.testing.assert_array_equal(rows, metric.corpus_statistics(*descriptor.mixed))


@EACH
def test_the_sum_of_statistics_has_the_score_of_the_corpus_and_keeps_it(descriptor):
    metric = descriptor.make().fitted(*descriptor.mixed)
    totals = metric.corpus_statistics(*descriptor.mixed).sum(axis=0)
    totals.flags.writeable = False
    first, second = metric.score_from(totals), metric.score_from(totals)
    assert first == second == as_signed_by(metric, score_of_mixed(descriptor.name))
    assert metric.values_from(totals[np.newaxis]).tolist() == [first.value]


@EACH
def test_the_sums_of_two_halves_merge_into_the_score_of_the_corpus(descriptor):
    metric = descriptor.make().fitted(*descriptor.mixed)
    halves = zip(*([part[:5], part[5:]] for part in descriptor.mixed), strict=True)
    merged = metric.merge(metric.corpus_statistics(*h).sum(axis=0) for h in halves)
    whole = score_of_mixed(descriptor.name)
    assert merged.value == pytest.approx(whole.value, **ROUNDING)
    assert merged.signature == as_signed_by(metric, whole).signature


def as_signed_by(metric, score):
    """A score of the corpus with the signature of a metric that is fitted to it: that
    names the documents, which may be those of another corpus."""
    references = score.signature.split("|")[1].removeprefix("refs:")
    return dataclasses.replace(score, signature=metric.signature(references))


@EACH
def test_scoring_a_corpus_does_not_change_it(descriptor):
    corpus = copy.deepcopy(descriptor.mixed)
    descriptor.make().corpus_score(*corpus)
    assert corpus == descriptor.mixed


@EACH
def test_a_metric_remembers_no_corpus(descriptor):
    metric = descriptor.make()
    metric.corpus_score(*descriptor.identical)
    metric.corpus_score(*descriptor.disjoint)
    assert metric.corpus_score(*descriptor.mixed) == score_of_mixed(descriptor.name)


@EACH_OF_TEXT
def test_order_of_references_does_not_matter(descriptor):
    references, hypotheses = descriptor.mixed
    reversed_references = [own[::-1] for own in references]
    score = descriptor.make().corpus_score(reversed_references, hypotheses)
    whole = score_of_mixed(descriptor.name)
    assert score.value == pytest.approx(whole.value, **ROUNDING)


@EACH_OF_TEXT
def test_the_first_of_equal_references_counts_only_where_a_program_has_it_so(
    descriptor,
):
    references, hypotheses = ALIKE
    forth, back = (
        descriptor.make().corpus_score([own[::step] for own in references], hypotheses)
        for step in (1, -1)
    )
    same = math.isclose(forth.value, back.value, rel_tol=1e-12)
    assert same is not descriptor.takes_first


@EACH
def test_order_of_segments_does_not_matter(descriptor):
    score = descriptor.make().corpus_score(*(part[::-1] for part in descriptor.mixed))
    whole = score_of_mixed(descriptor.name)
    assert score.value == pytest.approx(whole.value, **ROUNDING)


@EACH
def test_an_identical_corpus_has_the_best_score(descriptor):
    score = descriptor.make().corpus_score(*descriptor.identical)
    assert score.value == pytest.approx(descriptor.best, **ROUNDING)


@EACH
def test_a_corpus_without_overlap_has_the_worst_score(descriptor):
    score = descriptor.make().corpus_score(*descriptor.disjoint)
    assert score.value == pytest.approx(descriptor.worst, **ROUNDING)


@EACH
def test_scores_grow_with_quality_if_higher_is_better_and_else_fall(descriptor):
    metric = descriptor.make()
    best, value, worst = (
        metric.corpus_score(*corpus).value * (1 if metric.higher_is_better else -1)
        for corpus in (descriptor.identical, descriptor.mixed, descriptor.disjoint)
    )
    assert best > value > worst


@pytest.mark.filterwarnings("ignore:BLEU of a text of fewer than")
@EACH_OF_TEXT
@pytest.mark.parametrize("empty", ["", "  ", []], ids=["text", "blanks", "tokens"])
def test_empty_texts_have_finite_scores(descriptor, empty):
    full = ["a", "dog"] if empty == [] else "a dog"
    references = [[full], [empty], [empty], [empty, full], [full]]
    hypotheses = [empty, full, empty, full, full]
    metric = descriptor.make()
    corpus = metric.corpus_score(references, hypotheses, confidence=0.9, resamples=20)
    scores = [corpus, *metric.sentence_scores(references, hypotheses)]
    assert all(math.isfinite(score.value) for score in scores)
    assert math.isfinite(corpus.interval.high)


@EACH_OF_TEXT
def test_empty_hypotheses_alone_have_the_worst_score(descriptor):
    metric = descriptor.make()
    score = metric.corpus_score([["a dog"], ["the cat"]], ["", ""])
    assert score.value == (0 if metric.higher_is_better else 1)


@EACH
def test_scores_of_sentences_are_those_of_each_sentence(descriptor):
    # CIDEr has no score of a sentence but with the documents of a corpus.
    metric = descriptor.make()
    fitted = metric.fitted(*descriptor.mixed)
    each = [
        fitted.sentence_score(*segment)
        for segment in zip(*descriptor.mixed, strict=True)
    ]
    scores = metric.sentence_scores(*descriptor.mixed)
    if fitted is metric:
        assert scores == each
    else:  # its signature names the documents
        assert [one.value for one in scores] == [one.value for one in each]


@EACH
def test_score_of_a_corpus_is_the_mean_of_its_sentences_only_where_defined_so(
    descriptor,
):
    scores = descriptor.make().sentence_scores(*descriptor.mixed)
    mean = math.fsum(score.value for score in scores) / len(scores)
    value = score_of_mixed(descriptor.name).value
    assert math.isclose(value, mean, rel_tol=1e-12) is descriptor.is_mean


@EACH_OF_TEXT
def test_words_between_blanks_score_as_the_text(descriptor):
    score = descriptor.make().corpus_score(*split(descriptor.mixed))
    assert score == score_of_mixed(descriptor.name)


@EACH_OF_TEXT
def test_tuples_score_as_lists(descriptor):
    references, hypotheses = split(descriptor.mixed)
    score = descriptor.make().corpus_score(
        tuple(tuple(map(tuple, own)) for own in references),
        tuple(map(tuple, hypotheses)),
    )
    assert score == score_of_mixed(descriptor.name)


@EACH
def test_parts_of_a_score_are_numbers_that_json_can_write(descriptor):
    score = dataclasses.asdict(score_of_mixed(descriptor.name))
    read = json.loads(json.dumps(score))
    assert read == {k: list(v) if type(v) is tuple else v for k, v in score.items()}


@EACH
def test_a_pickled_metric_scores_the_same(descriptor):
    metric = pickle.loads(pickle.dumps(descriptor.make()))
    assert metric.corpus_score(*descriptor.mixed) == score_of_mixed(descriptor.name)


@EACH
def test_text_of_a_score_is_name_and_value(descriptor):
    score = score_of_mixed(descriptor.name)
    assert str(score) == f"{descriptor.metric_class.name} {score.value:.4f}"


@EACH
def test_representation_of_a_metric_is_class_and_signature(descriptor):
    metric = descriptor.make()
    assert repr(metric) == f"<{type(metric).__name__} {metric.signature()}>"
    assert repr(metric) == repr(descriptor.make())


def scored(descriptor, corpus, **arguments):
    arguments = {"confidence": 0.95, "resamples": 50, **arguments}
    return descriptor.make().corpus_score(*corpus, **arguments)


@EACH
def test_an_interval_holds_the_score_and_changes_nothing_else(descriptor):
    score = scored(descriptor, descriptor.mixed)
    assert score.interval.low < score.value < score.interval.high
    plain = dataclasses.replace(score, interval=None)
    assert plain == score_of_mixed(descriptor.name)


@EACH
def test_the_same_seed_gives_the_same_interval(descriptor):
    first, second = (scored(descriptor, descriptor.mixed, seed=7) for _ in range(2))
    assert first == second


@EACH
def test_interval_of_equal_segments_has_no_width(descriptor):
    corpus = [part[:1] * 6 for part in descriptor.mixed]
    score = scored(descriptor, corpus, confidence=0.99)
    assert score.interval.low == pytest.approx(score.value, **ROUNDING)
    assert score.interval.high == pytest.approx(score.value, **ROUNDING)


@EACH
@pytest.mark.parametrize("compare", [paired_bootstrap, approximate_randomization])
def test_a_system_is_not_better_than_itself(descriptor, compare):
    references, hypotheses = descriptor.mixed
    test = compare(descriptor.make(), references, hypotheses, hypotheses, trials=10)
    assert test.p_value == 1
    assert test.difference == 0
    assert test.score == test.baseline == score_of_mixed(descriptor.name)


@EACH
@pytest.mark.parametrize("compare", [paired_bootstrap, approximate_randomization])
def test_exchanged_systems_have_the_opposite_difference_and_the_same_chance(
    descriptor, compare
):
    references, hypotheses = descriptor.mixed
    other = [*hypotheses[4:8], *hypotheses[4:]]
    forth, back = (
        compare(descriptor.make(), references, *systems, trials=20)
        for systems in ((hypotheses, other), (other, hypotheses))
    )
    assert forth.p_value == back.p_value
    assert forth.difference == -back.difference != 0
