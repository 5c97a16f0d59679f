"""The formula of METEOR, from counted words, in plain loops."""

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from metrics.meteor.constants import ENGLISH_TASKS, LANGUAGES, ORIGINAL
from metrics.meteor.score import Formula

FUNCTION_WORDS = frozenset({"the", "of"})
RANK = Formula(
    alpha=0.85,
    beta=0.2,
    gamma=0.6,
    delta=0.75,
    weights=(1, 0.6, 0.8, 0.6),
    function_words=FUNCTION_WORDS,
)


def oracle(formula, matches, reference, hypothesis, chunks):
    """Precision, recall, mean, penalty and score, word by word."""

    def weight(word):
        own = 1 - formula.delta if word in FUNCTION_WORDS else formula.delta
        return own * (len(word) if formula.size else 1)

    matched = matched_reference = words = 0
    for j, reference_length, i, length, stage in matches:
        for word in hypothesis[i : i + length]:
            matched += formula.weights[stage] * weight(word)
        for word in reference[j : j + reference_length]:
            matched_reference += formula.weights[stage] * weight(word)
        words += length + reference_length
    if not matched or not matched_reference:
        return 0
    precision = matched / sum(map(weight, hypothesis))
    recall = matched_reference / sum(map(weight, reference))
    mean = 1 / ((1 - formula.alpha) / precision + formula.alpha / recall)
    whole = words == len(reference) + len(hypothesis) and chunks == 1
    if whole and formula.no_penalty_for_one_chunk:
        return mean
    return mean * (1 - formula.gamma * (chunks / (words / 2)) ** formula.beta)


@st.composite
def segments(draw):
    """Words, and matches of one word or of a phrase, from left to right."""
    sides = [
        draw(st.lists(st.sampled_from(["the", "of", "cat", "dogs"]), max_size=8))
        for _ in range(2)
    ]
    matches, j, i = [], 0, 0
    while True:
        length, other_length = draw(st.tuples(*[st.sampled_from([1, 1, 2])] * 2))
        j, i = j + draw(st.integers(0, 1)), i + draw(st.integers(0, 1))
        if j + length > len(sides[0]) or i + other_length > len(sides[1]):
            return (*sides, matches)
        matches.append((j, length, i, other_length, draw(st.integers(0, 3))))
        j, i = j + length, i + other_length


@given(
    segments(),
    st.sampled_from([None, len]),
    st.booleans(),
    st.tuples(*[st.floats(0.05, 0.95)] * 4),
)
def test_scores_are_those_of_the_formula_word_by_word(segment, size, forgives, given):
    reference, hypothesis, matches = segment
    alpha, beta, gamma, delta = given
    weights = (1.0, 0.5, 0.8, 0.25)
    formula = Formula(
        alpha, beta, gamma, delta, weights, forgives, size, FUNCTION_WORDS
    )
    counts = formula.statistics(matches, reference, hypothesis)
    ends = {(m[0] + m[1], m[2] + m[3]) for m in matches}
    chunks = sum((m[0], m[2]) not in ends for m in matches)
    expected = oracle(formula, matches, reference, hypothesis, chunks)
    assert formula.score(counts).value == pytest.approx(expected, abs=1e-12)


def test_statistics_count_content_and_function_words_by_stage_and_side():
    reference = "the old ships of the line".split()
    hypothesis = "the ship of lines sank".split()
    # the-the (exact), ships-ship (stem), of-of (exact), line-lines (synonym).
    matches = [(0, 1, 0, 1, 0), (2, 1, 1, 1, 1), (3, 1, 2, 1, 0), (5, 1, 3, 1, 2)]
    assert RANK.statistics(matches, reference, hypothesis) == [
        *(5, 6, 2, 3),  # lengths, then function words: hypothesis, reference
        *(0, 0, 2, 2),  # exact: content, content, function, function
        *(1, 1, 0, 0),
        *(1, 1, 0, 0),
        *(0, 0, 0, 0),
        *(3, 4, 4),  # chunks, words matched
    ]


def test_parts_of_a_score_by_hand():
    # Of `the ship of lines sank` and `the old ships of the line`, as above.
    counts = [5, 6, 2, 3, 0, 0, 2, 2, 1, 1, 0, 0, 1, 1, 0, 0, 0, 0, 0, 0, 3, 4, 4]
    score = RANK.score(counts)
    matched = 0.25 * 2 + 0.75 * (0.6 + 0.8)
    assert score.precision == pytest.approx(matched / (0.75 * 3 + 0.25 * 2))
    assert score.recall == pytest.approx(matched / (0.75 * 3 + 0.25 * 3))
    mean = 1 / (0.15 / score.precision + 0.85 / score.recall)
    assert score.f_mean == pytest.approx(mean)
    assert score.penalty == pytest.approx(0.6 * (3 / 4) ** 0.2)
    assert score.value == pytest.approx(mean * (1 - score.penalty))
    assert (score.chunks, score.matches) == (3, 4)


def test_function_words_are_told_whatever_their_case():
    counts = RANK.statistics([], ["The", "THE"], ["Of", "Cat"])
    assert counts[:4] == [2, 2, 1, 2]


def test_a_segment_matched_in_one_piece_has_no_chunk():
    matches = [(0, 1, 0, 1, 0), (1, 1, 1, 1, 1)]
    own = (["the", "cat"], ["the", "cats"])
    assert RANK.statistics(matches, *own)[-3:] == [0, 2, 2]
    assert RANK.statistics(matches[:1], *own)[-3:] == [1, 1, 1]
    plain = Formula(0.9, 3, 0.5, 0.5, (1, 1), no_penalty_for_one_chunk=False)
    assert plain.statistics(matches, *own)[-3:] == [1, 2, 2]


def test_chunks_may_be_given():
    matches = [(0, 1, 0, 1, 0), (1, 1, 1, 1, 0)]
    own = (["a", "b", "c"], ["a", "b"])
    assert RANK.statistics(matches, *own, chunks=2)[-3:] == [2, 2, 2]


def test_words_may_count_by_their_size():
    formula = Formula(0.5, 1, 0.5, 0.5, (1,), size=len, function_words=FUNCTION_WORDS)
    counts = formula.statistics([(0, 1, 0, 1, 0)], ["cat", "dogs"], ["cat", "of", "it"])
    assert counts[:8] == [7, 7, 2, 0, 3, 3, 0, 0]
    assert counts[-3:] == [1, 1, 1]  # fragments are still of words


@pytest.mark.parametrize(
    "counts",
    [
        [0] * 23,
        [3, 2, 1, 1] + [0] * 19,
        # Matched, but by a stage of weight zero.
        [1, 1, 0, 0, *[0] * 4, 1, 1, *[0] * 10, 1, 1, 1],
    ],
)
def test_nothing_matched_scores_zero(counts):
    formula = Formula(0.65, 0.1, 0.55, 0.65, (1, 0, 0, 0.8))
    score = formula.score(counts)
    assert (score.value, score.f_mean) == (0, 0)
    assert not math.isnan(score.precision)


def test_constants_are_those_of_the_program():
    # From its help and the tables of Denkowski and Lavie (2014).
    assert ENGLISH_TASKS["rank"][:4] == (0.85, 0.2, 0.6, 0.75)
    assert ENGLISH_TASKS["adq"][:4] == (0.75, 1.4, 0.45, 0.7)
    assert ENGLISH_TASKS["hter"][:4] == (0.4, 1.5, 0.35, 0.55)
    assert ENGLISH_TASKS["util"][:4] == (0.65, 0.1, 0.55, 0.65)
    assert ENGLISH_TASKS["li"][:4] == (0.75, 1.4, 0.7, 0.5)
    assert ENGLISH_TASKS["universal"] == (
        *(0.7, 1.4, 0.3, 0.7),
        {"exact": 1.0, "paraphrase": 0.6},
    )
    assert LANGUAGES["de"].constants == (
        *(0.95, 1.0, 0.55, 0.55),
        {"exact": 1.0, "stem": 0.8, "paraphrase": 0.2},
    )
    assert LANGUAGES["it"].constants == ENGLISH_TASKS["li"]
    assert ORIGINAL[:3] == (0.9, 3.0, 0.5)


@pytest.mark.parametrize("delta", [5e-324, 1e-310, 1e-9, 0.5])
def test_a_delta_of_any_size_cancels_without_function_words(delta):
    formula = Formula(0.5, 1.0, 0.0, delta, weights=(0.75,))
    words = ["cat"] * 6
    matches = [(i, 1, i, 1, 0) for i in range(6)]
    counts = formula.statistics(matches, words, words)
    assert formula.score(counts).value == pytest.approx(0.75, abs=1e-12)
