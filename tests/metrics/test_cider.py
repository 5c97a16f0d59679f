"""CIDEr and CIDEr-D against their definition."""

import math
import pickle
import re

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from metrics.cider.cider import CIDEr, CIDErD
from metrics.cider.document_frequency import count_documents

BOTH = [CIDEr, CIDErD]

CAPTIONS = [
    ["a dog runs on the grass", "a brown dog is running", "the dog plays outside"],
    ["two men ride a horse", "two people on a horse", "men ride horses"],
    ["a cat sleeps on the sofa", "the cat is asleep"],
]
HYPOTHESES = ["a dog is running on the grass", "two men on a horse", "a cat"]

words = st.lists(st.sampled_from("abc"), max_size=7)
segments = st.tuples(st.lists(words, min_size=1, max_size=3), words)
corpora = st.lists(segments, min_size=2, max_size=4)


def grams(tokens, order):
    return [tuple(tokens[i : i + order]) for i in range(len(tokens) - order + 1)]


def oracle(references, hypotheses, clip, sigma):
    """Scores of segments from equations 1-3 of the paper, in plain loops."""

    def weight(gram):
        documents = sum(
            any(gram in grams(reference, len(gram)) for reference in own)
            for own in references
        )
        return math.log(len(references)) - math.log(max(documents, 1))

    def vector(tokens, order):
        return {
            gram: grams(tokens, order).count(gram) * weight(gram)
            for gram in grams(tokens, order)
        }

    def norm(vector):
        return math.sqrt(sum(value**2 for value in vector.values()))

    scores = []
    for own, hypothesis in zip(references, hypotheses, strict=True):
        total = 0.0
        for reference in own:
            d = len(grams(hypothesis, 2)) - len(grams(reference, 2))
            for order in range(1, 5):
                h, r = vector(hypothesis, order), vector(reference, order)
                if not norm(h) or not norm(r):
                    continue
                for gram, value in h.items():
                    other = r.get(gram, 0.0)
                    product = (min(value, other) if clip else value) * other
                    cosine = product / norm(h) / norm(r)
                    total += cosine * math.exp(-(d**2) / (2 * sigma**2))
        scores.append(10 * total / 4 / len(own))
    return scores


def values(metric, references, hypotheses):
    return [score.value for score in metric.sentence_scores(references, hypotheses)]


@pytest.mark.parametrize(
    ("metric", "clip", "sigma"),
    [
        (CIDEr("none"), False, math.inf),
        (CIDErD("none"), True, 6),
        (CIDErD("none", sigma=1.5), True, 1.5),
    ],
    ids=["cider", "cider-d", "narrow"],
)
@given(corpora)
@settings(max_examples=60, deadline=None)
def test_scores_are_those_of_the_definition(metric, clip, sigma, corpus):
    references, hypotheses = map(list, zip(*corpus, strict=True))
    expected = oracle(references, hypotheses, clip, sigma)
    assert values(metric, references, hypotheses) == pytest.approx(expected, abs=1e-9)


@pytest.mark.parametrize("metric", BOTH)
def test_identical_captions_score_ten(metric):
    references = [["a dog runs fast"], ["two cats sleep here"]]
    hypotheses = [own[0] for own in references]
    assert metric("none").corpus_score(references, hypotheses).value == pytest.approx(
        10
    )


@pytest.mark.parametrize("metric", BOTH)
def test_a_caption_of_two_words_has_only_two_of_the_four_orders(metric):
    score = metric("none").corpus_score([["a dog"], ["two cats"]], ["a dog", ""])
    # 10 (1 + 1 + 0 + 0) / 4 for the first segment, 0 for the second.
    assert score.value == pytest.approx(5 / 2)


@pytest.mark.parametrize("metric", BOTH)
def test_no_overlap_and_empty_texts_score_zero(metric):
    references = [["a dog"], [""], ["the cat"]]
    assert values(metric("none"), references, ["two men", "a dog", ""]) == [0, 0, 0]


def test_a_word_of_all_documents_weighs_nothing():
    references = [["the dog"], ["the cat"]]
    # "the" weighs log(2 / 2) = 0: with it alone nothing is shared.
    assert values(CIDEr("none"), references, ["the", "cat"]) == pytest.approx([0, 2.5])


def test_cider_d_clips_repeated_words():
    references = [["b d"], ["c"]]
    # All weigh log 2. (3) . (1, 1) / (3 * sqrt 2) = 1 / sqrt 2, clipped a third of it;
    # three words have two bigrams, one more than the reference.
    plain = 10 / 4 / math.sqrt(2)
    clipped = plain / 3 * math.exp(-1 / 72)
    assert values(CIDEr("none"), references, ["b b b", ""])[0] == pytest.approx(plain)
    assert values(CIDErD("none"), references, ["b b b", ""])[0] == pytest.approx(
        clipped
    )


def test_cider_d_lowers_the_score_of_another_length():
    references = [["a"], ["b c"], ["d e f"]]
    own = values(CIDErD("none", sigma=1), references, ["a", "b", "d"])
    # One word of one, of two and of three, with the cosine 1 / sqrt of the number.
    assert own == pytest.approx(
        [2.5 * math.exp(-(d**2) / 2) / math.sqrt(d + 1) for d in range(3)]
    )


@pytest.mark.parametrize("metric", BOTH)
def test_corpus_score_is_the_mean_of_sentence_scores(metric):
    score = metric("none").corpus_score(CAPTIONS, HYPOTHESES)
    own = values(metric("none"), CAPTIONS, HYPOTHESES)
    assert score.value == pytest.approx(sum(own) / 3)
    assert score.segments == 3


@pytest.mark.parametrize("metric", BOTH)
def test_a_sentence_scores_differently_in_another_corpus(metric):
    own = values(metric("none"), CAPTIONS, HYPOTHESES)
    fewer = values(metric("none"), CAPTIONS[:2], HYPOTHESES[:2])
    assert own[:2] != pytest.approx(fewer)


@pytest.mark.parametrize("metric", BOTH)
@given(corpora, st.randoms(use_true_random=False))
@settings(max_examples=30, deadline=None)
def test_the_order_of_references_does_not_matter(metric, corpus, random):
    references, hypotheses = map(list, zip(*corpus, strict=True))
    mixed = [random.sample(own, len(own)) for own in references]
    assert values(metric("none"), mixed, hypotheses) == pytest.approx(
        values(metric("none"), references, hypotheses)
    )


@pytest.mark.parametrize("metric", BOTH)
def test_tokens_score_as_their_text(metric):
    references = [[text.split() for text in own] for own in CAPTIONS]
    hypotheses = [text.split() for text in HYPOTHESES]
    assert values(metric("none"), references, hypotheses) == values(
        metric("none"), CAPTIONS, HYPOTHESES
    )


@pytest.mark.parametrize("metric", BOTH)
def test_given_document_frequencies_score_single_sentences(metric):
    frequency = count_documents(CAPTIONS, tokenizer="none")
    given_them = metric("none", document_frequency=frequency, documents=3)
    own = [
        given_them.sentence_score(references, hypothesis).value
        for references, hypothesis in zip(CAPTIONS, HYPOTHESES, strict=True)
    ]
    assert own == pytest.approx(values(metric("none"), CAPTIONS, HYPOTHESES))


@pytest.mark.parametrize("metric", BOTH)
def test_machines_that_share_document_frequencies_add_up_to_the_corpus(metric):
    frequency = count_documents(CAPTIONS[:2], tokenizer="none")
    frequency += count_documents(CAPTIONS[2:], tokenizer="none")
    shared = metric("none", document_frequency=frequency, documents=3)
    totals = [
        shared.corpus_statistics(CAPTIONS[part], HYPOTHESES[part]).sum(axis=0)
        for part in (slice(2), slice(2, 3))
    ]
    whole = metric("none").corpus_score(CAPTIONS, HYPOTHESES)
    assert shared.merge(totals).value == pytest.approx(whole.value)


def test_a_fitted_metric_scores_sentences_and_can_be_pickled():
    fitted = CIDEr("none").fitted(CAPTIONS, HYPOTHESES)
    again = pickle.loads(pickle.dumps(fitted))
    expected = values(CIDEr("none"), CAPTIONS, HYPOTHESES)[0]
    assert again.sentence_score(CAPTIONS[0], HYPOTHESES[0]).value == expected


def test_the_signature_tells_the_frequencies_of_another_corpus():
    fitted = CIDEr("none").fitted(CAPTIONS[:2], HYPOTHESES[:2])
    own = CIDEr("none").corpus_score(CAPTIONS, HYPOTHESES)
    other = fitted.corpus_score(CAPTIONS, HYPOTHESES)
    assert own.value != other.value
    assert "|df:corpus|" in own.signature
    assert "|df:given|docs:2|" in other.signature


def test_scoring_a_corpus_does_not_change_the_metric():
    metric = CIDEr("none")
    before = metric.corpus_score(CAPTIONS[:2], HYPOTHESES[:2]).value
    metric.corpus_score(CAPTIONS, HYPOTHESES)
    assert metric.corpus_score(CAPTIONS[:2], HYPOTHESES[:2]).value == before


@pytest.mark.parametrize("metric", BOTH)
def test_a_corpus_of_one_segment_warns_and_scores_zero(metric):
    warning = f"{metric.__name__} of a corpus of one segment is always 0: each n-gram"
    with pytest.warns(UserWarning, match=warning):
        assert metric("none").corpus_score([["a dog"]], ["a dog"]).value == 0


def test_a_sentence_without_document_frequencies_is_an_error():
    message = (
        "CIDErD must know in how many documents an n-gram is. Call `corpus_score` or "
        "`sentence_scores`, which count the references; or score with "
        "`metric.fitted(references, hypotheses)`; or pass `document_frequency` and "
        "`documents`. Received: none of these."
    )
    with pytest.raises(ValueError, match=f"^{re.escape(message)}$"):
        CIDErD("none").sentence_score(["a dog"], "a dog")


@pytest.mark.parametrize(
    ("arguments", "error", "message"),
    [
        (
            {"documents": 3},
            ValueError,
            "`document_frequency` and `documents` must be given together. Received: "
            "document_frequency=None",
        ),
        (
            {"document_frequency": {}},
            ValueError,
            "`document_frequency` and `documents` must be given together. Received: "
            "documents=None",
        ),
        (
            {"document_frequency": {}, "documents": 1},
            ValueError,
            "`documents` must be an integer of at least 2. Received: documents=1",
        ),
        (
            {"document_frequency": [("a",)], "documents": 2},
            TypeError,
            "`document_frequency` must be a mapping from n-grams to counts. Received: "
            "[('a',)]",
        ),
        (
            {"document_frequency": {"a": 1}, "documents": 2},
            TypeError,
            "`document_frequency` must have n-grams as keys, tuples of tokens. "
            "Received: 'a'",
        ),
        (
            {"document_frequency": {("a", 1): 1}, "documents": 2},
            TypeError,
            "`document_frequency` must have n-grams as keys, tuples of tokens. "
            "Received: ('a', 1)",
        ),
        (
            {"document_frequency": {("a",): "1"}, "documents": 2},
            ValueError,
            "`document_frequency` must have counts from 0 to `documents`. Received: "
            "'1' for ('a',), documents=2",
        ),
        (
            {"document_frequency": {("a",): math.nan}, "documents": 2},
            ValueError,
            "`document_frequency` must have counts from 0 to `documents`. Received: "
            "nan for ('a',), documents=2",
        ),
        (
            {"document_frequency": {("a",): 3}, "documents": 2},
            ValueError,
            "`document_frequency` must have counts from 0 to `documents`. Received: 3 "
            "for ('a',), documents=2",
        ),
    ],
)
def test_document_frequencies_that_do_not_fit_are_errors(arguments, error, message):
    with pytest.raises(error, match=f"^{re.escape(message)}$"):
        CIDEr(**arguments)


def test_sigma_must_be_positive():
    message = "`sigma` must be a finite number above 0. Received: sigma=0"
    with pytest.raises(ValueError, match=re.escape(message)):
        CIDErD(sigma=0)


def test_a_sigma_near_the_default_has_another_signature():
    assert "|sigma:6.0000001|" in CIDErD(sigma=6.0000001).signature()
    assert "|sigma:6|" in CIDErD().signature()


@pytest.mark.parametrize("sigma", [5e-324, 1e-200, 1e200, 1e308, np.float64(1e-200)])
def test_any_sigma_gives_a_number(sigma):
    # Next to nothing of a text of another length counts, or all of it.
    metric = CIDErD("none", sigma=sigma, document_frequency={}, documents=9)
    expected = 10 if sigma > 1 else 0
    texts = ["a dog runs here"], "a dog runs here now"
    plain = CIDEr("none", document_frequency={}, documents=9).sentence_score(*texts)
    value = metric.sentence_score(*texts).value
    assert value == pytest.approx(plain.value * expected / 10)
    assert metric.sentence_score(texts[0], texts[0][0]).value == pytest.approx(10)


def test_a_long_text_scores_zero_rather_than_next_to_nothing():
    # exp(-200^2 / 72) = 1e-241.
    metric = CIDErD("none", document_frequency={}, documents=9)
    assert metric.sentence_score(["a dog"], "a dog" + " runs" * 200).value == 0


def test_signature_says_where_document_frequencies_come_from():
    assert CIDEr().signature().startswith("cider|refs:any|tok:ptb|df:corpus|v:")
    given_them = CIDErD("none", document_frequency={("a",): 1}, documents=40504)
    assert given_them.signature(5).startswith(
        "cider-d|refs:5|tok:none|df:given|docs:40504|sigma:6|v:"
    )


def test_cider_d_equals_pycocoevalcap():
    module = pytest.importorskip("pycocoevalcap.cider.cider")
    score, own = module.Cider().compute_score(
        dict(enumerate(CAPTIONS)), {i: [text] for i, text in enumerate(HYPOTHESES)}
    )
    metric = CIDErD("none")
    assert metric.corpus_score(CAPTIONS, HYPOTHESES).value == pytest.approx(score)
    assert values(metric, CAPTIONS, HYPOTHESES) == pytest.approx(list(own))
