"""BLEU of sentences and of corpora, against the formula in plain loops."""

import math
import pickle

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import metrics.bleu.bleu
from metrics import corpus_bleu, sentence_bleu
from metrics.bleu.bleu import BLEU, BLEUScore

TEXT = st.lists(st.sampled_from(["a", "b", "C", "c"]), max_size=9)
SEGMENT = st.tuples(st.lists(TEXT, min_size=1, max_size=4), TEXT)
CORPUS = st.lists(SEGMENT, min_size=1, max_size=9)

REFERENCES = [
    ["Two dogs run on the beach.", "A pair of dogs is running, by the sea."],
    ["A man reads a newspaper."],
    ["3,000 people came.", "Some 3,000 came", "They came in 2016."],
    [""],
    ["A reference without words"],
]
HYPOTHESES = [
    "Two dogs are running on the beach.",
    "The man is reading the news-paper!",
    "About 3,000 people came in 2016.",
    "words without a reference",
    "",
]


def windows(tokens, order):
    return [tuple(tokens[i : i + order]) for i in range(len(tokens) - order + 1)]


LENGTHS = {
    "closest": lambda lengths, own: min(lengths, key=lambda length: abs(length - own)),
    "average": lambda lengths, own: sum(lengths) / len(lengths),
    "shortest": lambda lengths, own: lengths[0],
}


def bleu_by_hand(segments, max_order, smoothing, effective_order, kind="closest"):
    """Papineni et al. (2002) with sacreBLEU's smoothing, in plain loops."""
    c = r = 0
    matches, totals = [0.0] * max_order, [0.0] * max_order
    for references, hypothesis in segments:
        c += len(hypothesis)
        lengths = sorted(len(reference) for reference in references)
        r += LENGTHS[kind](lengths, len(hypothesis))
        for n in range(1, max_order + 1):
            own = windows(hypothesis, n)
            totals[n - 1] += len(own)
            for ngram in set(own):
                most = max(windows(other, n).count(ngram) for other in references)
                matches[n - 1] += min(own.count(ngram), most)
    if not matches[0]:
        return 0.0
    product, orders, halves = 1.0, max_order, 1.0
    for n, (match, total) in enumerate(zip(matches, totals, strict=True), start=1):
        if smoothing == "add-k" and n > 1:
            match, total = match + 1, total + 1
        if not total:
            product *= effective_order
            orders = min(orders, n - 1) if effective_order else orders
            continue
        if not match and smoothing == "exp":
            halves /= 2
            match = halves
        if not match and smoothing == "floor":
            match = 0.1
        product *= match / total
    penalty = 1.0 if c > r else math.exp(1 - r / c)
    return penalty * product ** (1 / orders)


@settings(max_examples=150, deadline=None)
@given(
    CORPUS,
    st.integers(1, 5),
    st.sampled_from(["none", "floor", "add-k", "exp"]),
    st.booleans(),
)
def test_bleu_is_that_of_the_paper(segments, max_order, smoothing, effective_order):
    bleu = BLEU(max_order, smoothing=smoothing, effective_order=effective_order)
    score = bleu.corpus_score(*zip(*segments, strict=True))
    by_hand = bleu_by_hand(segments, max_order, smoothing, effective_order)
    assert score.value == pytest.approx(by_hand, abs=1e-12)


@settings(max_examples=150, deadline=None)
@given(CORPUS, st.sampled_from(sorted(LENGTHS)))
def test_references_have_the_length_that_is_asked_for(segments, kind):
    bleu = BLEU(2, smoothing="add-k", reference_length=kind)
    references, hypotheses = zip(*segments, strict=True)
    score = bleu.corpus_score(list(references), list(hypotheses))
    assert score.value == pytest.approx(bleu_by_hand(segments, 2, "add-k", False, kind))
    sums = [LENGTHS[kind](sorted(map(len, own)), len(h)) for own, h in segments]
    assert score.reference_length == pytest.approx(sum(sums))


@settings(max_examples=100, deadline=None)
@given(CORPUS, st.sampled_from(["exp", "method5"]), st.booleans())
def test_block_has_the_statistics_of_its_segments(segments, smoothing, lowercase):
    bleu = BLEU(3, smoothing=smoothing, lowercase=lowercase)
    one_by_one = [bleu.statistics(*segment).tolist() for segment in segments]
    references, hypotheses = zip(*segments * metrics.bleu.bleu.MIN_BLOCK, strict=True)
    together = bleu.corpus_statistics(references, hypotheses)
    assert together.tolist() == one_by_one * metrics.bleu.bleu.MIN_BLOCK


@pytest.mark.parametrize(
    "smoothing", ["none", "floor", "add-k", "exp", "method1", "method2", "method3"]
)
def test_identical_texts_score_exactly_one(smoothing):
    texts = ["A man, a plan.", "a canal in Panama"] * 7
    assert corpus_bleu([[t] for t in texts], texts, smoothing=smoothing).value == 1.0


@pytest.mark.parametrize("smoothing", ["none", "floor", "exp", "method1", "method4"])
def test_texts_without_a_common_word_score_zero(smoothing):
    score = BLEU(smoothing=smoothing).sentence_score(["a b c d"], "e f g h")
    assert (score.value, score.precisions) == (0.0, (0.0,) * 4)


@pytest.mark.parametrize(
    "references, hypothesis, penalty",
    [(["a b"], "", 0.0), ([""], "a b", 1.0), ([""], "", 1.0), (["", "a"], "", 1.0)],
)
def test_empty_texts_score_zero(references, hypothesis, penalty):
    score = sentence_bleu(references, hypothesis)
    assert (score.value, score.brevity_penalty) == (0.0, penalty)


def test_score_shows_what_it_is_made_of():
    # 5 of 6 words, 3 of 5 pairs ("the cat", "on the", "the mat"), 1 of 4 triples; BP 1.
    score = sentence_bleu(["the cat is on the mat"], "the cat sat on the mat")
    assert score == BLEUScore(
        value=pytest.approx((5 / 6 * 3 / 5 * 1 / 4 * 1 / (2 * 3)) ** (1 / 4)),
        precisions=(5 / 6, 3 / 5, 1 / 4, 1 / 6),
        brevity_penalty=1.0,
        hypothesis_length=6,
        reference_length=6,
        counts=(5, 3, 1, 0),
        totals=(6, 5, 4, 3),
        signature=score.signature,
    )


@pytest.mark.parametrize(
    "lengths, closest",
    [((8, 6), 6), ((6, 8), 6), ((9, 6), 6), ((8, 5), 8), ((2, 11), 11), ((12, 15), 12)],
)
def test_reference_length_is_the_closest_and_of_two_the_shorter(lengths, closest):
    references = [["a"] * length for length in lengths]
    assert sentence_bleu(references, ["a"] * 7).reference_length == closest


def test_brevity_penalty_compares_the_whole_corpus():
    # 2 + 6 words against 4 + 4: too short and too long make up for each other.
    references = [["a b c d"], ["a b c d"]]
    score = corpus_bleu(references, ["a b", "a b c d e f"], max_order=1)
    assert (score.brevity_penalty, score.value) == (1.0, 6 / 8)


def test_corpus_score_is_not_the_mean_of_sentence_scores():
    references, hypotheses = [["a b c d"], ["e f"]], ["a b c x", "e f"]
    bleu = BLEU(2)
    mean = sum(s.value for s in bleu.sentence_scores(references, hypotheses)) / 2
    # (5 of 6 words, 3 of 4 pairs) against the mean of sqrt(3/4 * 2/3) and 1.
    assert bleu.corpus_score(references, hypotheses).value == pytest.approx(
        math.sqrt(5 / 6 * 3 / 4)
    )
    assert mean == pytest.approx((math.sqrt(3 / 4 * 2 / 3) + 1) / 2)


def test_order_of_references_does_not_matter():
    turned = [references[::-1] for references in REFERENCES]
    assert corpus_bleu(turned, HYPOTHESES) == corpus_bleu(REFERENCES, HYPOTHESES)


IS_ZERO = "^BLEU of a text of fewer than 4 words is 0, .+ `effective_order=True`; "


def test_word_of_one_scores_one_only_with_an_effective_order():
    effective = BLEU(effective_order=True)
    assert effective.sentence_score(["yes"], "yes").value == 1.0
    assert effective.sentence_scores([["yes"]], ["yes"])[0].value == 1.0
    with pytest.warns(UserWarning, match=IS_ZERO) as told:
        assert BLEU().sentence_score(["yes"], "yes").value == 0.0
        [score] = BLEU().sentence_scores([["yes"]], ["yes"])
    assert score.value == 0.0
    assert [warning.filename for warning in told] == [__file__] * 2


def test_no_order_is_missed_where_it_changes_no_score():
    # No match, and four words: the scores are 0 with an effective order, too.
    assert BLEU().sentence_score(["yes"], "no").value == 0.0
    scores = BLEU(smoothing="none").sentence_scores([["a b c d"]] * 2, ["a d c b", ""])
    assert [score.value for score in scores] == [0.0, 0.0]
    assert BLEU(max_order=1).sentence_score(["yes"], "yes").value == 1.0
    assert BLEU().corpus_score([["yes"]], ["yes"]).value == 0.0


def test_sentence_bleu_has_an_effective_order_unless_told_otherwise():
    assert sentence_bleu(["yes"], "yes").value == 1.0
    with pytest.warns(UserWarning, match=IS_ZERO):
        assert sentence_bleu(["yes"], "yes", effective_order=False).value == 0.0
    # NLTK's: 1, and 0.1 for each order without n-grams.
    score = sentence_bleu(["yes"], "yes", smoothing="method1")
    assert score.value == pytest.approx(0.1 ** (3 / 4))


def test_case_matters_unless_lowered():
    assert sentence_bleu(["The Cat"], "the cat").value == 0.0
    assert sentence_bleu(["The Cat"], "the cat", lowercase=True).value == 1.0
    assert sentence_bleu([["The"]], ["the"], lowercase=True).value == 1.0


def test_token_lists_are_not_tokenised():
    assert sentence_bleu([["end."]], ["end", "."]).value == 0.0
    assert sentence_bleu(["end."], "end .").value == 1.0


def test_function_may_be_the_tokenizer():
    def letters(text):
        return list(text)

    score = sentence_bleu(["ab"], "ba", tokenizer=letters, max_order=1)
    assert score.value == 1.0
    assert "|tok:test_function_may_be_the_tokenizer.<locals>.letters|" in (
        score.signature
    )


def test_merged_sums_score_as_the_corpus():
    bleu = BLEU()
    rows = bleu.corpus_statistics(REFERENCES, HYPOTHESES)
    sums = [rows[:3].sum(axis=0), rows[3:].sum(axis=0)]
    assert bleu.merge(sums) == bleu.corpus_score(REFERENCES, HYPOTHESES)


def test_options_of_the_corpus_score_are_passed_on():
    score = corpus_bleu(REFERENCES, HYPOTHESES, confidence=0.9, resamples=50, seed=3)
    assert (score.interval.confidence, score.interval.seed) == (0.9, 3)
    assert score.interval.low <= score.value <= score.interval.high


def test_metric_can_be_pickled():
    bleu = pickle.loads(pickle.dumps(BLEU(3, smoothing="floor", lowercase=True)))
    assert bleu.signature() == BLEU(3, smoothing="floor", lowercase=True).signature()
    assert bleu.sentence_score(["A b c"], "a B c").value == 1.0
