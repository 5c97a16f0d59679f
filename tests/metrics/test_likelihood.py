"""Perplexity and bits per character against their definitions."""

import math
import re

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from metrics.likelihood.likelihood import (
    BitsPerCharacter,
    Perplexity,
    bits_per_character,
    perplexity,
)
from metrics.likelihood.log_probabilities import unmasked
from metrics.significance.tests import paired_bootstrap

HALF, QUARTER, EIGHTH = (math.log(1 / n) for n in (2, 4, 8))

sequences = st.lists(st.floats(0.001, 1), min_size=1, max_size=6)
corpora = st.lists(sequences, min_size=1, max_size=4)


def logs(corpus):
    return [[math.log(p) for p in probabilities] for probabilities in corpus]


@given(corpora)
@settings(max_examples=100, deadline=None)
def test_perplexity_is_the_inverse_geometric_mean_of_the_probabilities(corpus):
    every = [p for probabilities in corpus for p in probabilities]
    expected = math.prod(every) ** (-1 / len(every))
    assert perplexity(logs(corpus)) == pytest.approx(expected, rel=1e-9)


@given(corpora)
@settings(max_examples=100, deadline=None)
def test_bits_per_character_are_those_of_an_ideal_code(corpus):
    texts = [f"{'x' * len(probabilities)}é" for probabilities in corpus]
    bits = sum(-math.log2(p) for probabilities in corpus for p in probabilities)
    expected = bits / sum(map(len, texts))
    assert bits_per_character(logs(corpus), texts) == pytest.approx(
        expected, rel=1e-9, abs=1e-12
    )


def test_a_guess_among_equals_has_their_number_as_perplexity():
    assert perplexity([[-math.log(50)] * 7]) == pytest.approx(50)


def test_a_certain_model_has_perplexity_one_and_no_bits():
    assert perplexity([[0.0, 0.0]]) == 1
    bits = bits_per_character([[0.0, 0.0]], ["text"])
    assert bits == 0 and math.copysign(1, bits) == 1  # not -0.0


def test_corpus_perplexity_weighs_tokens_not_texts():
    score = Perplexity().corpus_score([[], []], [[HALF], [QUARTER, EIGHTH]])
    # 1 + 2 + 3 bits over three tokens; the mean of the texts' would be another.
    assert score.value == pytest.approx(4)
    assert score.cross_entropy == pytest.approx(2 * math.log(2))
    assert score.tokens == 3
    first, second = Perplexity().sentence_scores([[], []], [[HALF], [QUARTER, EIGHTH]])
    assert (first.value, second.value) == pytest.approx((2, 2**2.5))


def test_characters_are_code_points():
    # 6 bits over the four characters of "naïf", however many bytes or tokens.
    score = BitsPerCharacter().sentence_score(["naïf"], [EIGHTH, EIGHTH])
    assert score.value == pytest.approx(1.5)
    assert score.bits == pytest.approx(6)
    assert score.characters == 4


def test_references_change_no_perplexity():
    with_texts = Perplexity().sentence_score(["a text", "another"], [HALF])
    assert with_texts.value == Perplexity().sentence_score([], [HALF]).value


def test_an_impossible_token_makes_both_infinite():
    assert perplexity([[HALF, -math.inf], [HALF]]) == math.inf
    assert bits_per_character([[HALF, -math.inf]], ["ab"]) == math.inf
    assert perplexity([[-1e5]]) == math.inf  # e^100000 is no float


def test_resamples_without_the_impossible_token_are_finite():
    hypotheses = [[-math.inf], [HALF], [QUARTER]]
    rows = Perplexity().corpus_statistics([[]] * 3, hypotheses)
    assert Perplexity().score_from(rows.sum(axis=0)).value == math.inf
    assert Perplexity().score_from(rows[1:].sum(axis=0)).value == pytest.approx(2**1.5)
    assert np.isfinite(rows).all()


def test_machines_add_up_to_the_corpus():
    metric = BitsPerCharacter()
    texts, values = [["ab"], ["c"]], [[HALF], [QUARTER, QUARTER]]
    totals = [metric.statistics(*pair) for pair in zip(texts, values, strict=True)]
    assert metric.merge(totals).value == pytest.approx(5 / 3)


def test_arrays_of_any_float_type_do_as_lists():
    values = [[HALF, QUARTER], [EIGHTH, HALF]]
    expected = perplexity(values)
    assert perplexity(np.array(values)) == expected
    assert perplexity([np.array(row) for row in values]) == expected
    assert perplexity(np.array(values, dtype=np.float32)) == pytest.approx(expected)


def test_masked_positions_are_left_out():
    values = [[HALF, EIGHTH, math.nan], [QUARTER, 0.0, 5.0]]
    mask = np.array([[True, True, False], [True, False, False]])
    assert perplexity(np.array(values), mask=mask) == pytest.approx(4)
    assert perplexity(values, mask=mask.tolist()) == pytest.approx(4)
    assert bits_per_character(values, ["ab", "cdef"], mask=mask) == pytest.approx(1)


def test_rounding_may_take_a_logarithm_above_zero():
    assert perplexity([[1e-7, HALF]]) == pytest.approx(math.sqrt(2))


def test_no_rounding_makes_a_perplexity_less_than_one():
    assert perplexity([[1e-4, 1e-4]]) == 1
    assert bits_per_character([[1e-4]], ["a"]) == 0


@pytest.mark.parametrize("dtype", [np.float64, np.longdouble])
def test_the_lowest_number_is_as_good_as_minus_infinity(dtype):
    # What a mask puts in place of a logit; two of them would be too much for a sum.
    lowest = np.full(2, np.finfo(dtype).min, dtype)
    score = BitsPerCharacter().corpus_score([["ab"], ["c"]], [lowest, [HALF]])
    assert score.value == math.inf
    rows = BitsPerCharacter().corpus_statistics([["ab"]], [lowest])
    assert np.isfinite(rows).all()


@pytest.mark.parametrize("values", [np.array(-1.0), b"abc", range(0), {1: [-1.0]}])
def test_what_is_no_list_of_sequences_is_named(values):
    with pytest.raises(TypeError, match="^`log_probabilities` must be a list, with an"):
        perplexity(values)
    with pytest.raises(TypeError, match="^`hypotheses` must be a list, with an entry"):
        Perplexity().corpus_score([[]], values)


def test_a_sentence_has_no_number_in_messages():
    with pytest.raises(TypeError, match="^`hypothesis` must be real numbers."):
        Perplexity().sentence_score([], ["a"])
    with pytest.raises(TypeError, match="^`references` must be a list of one string"):
        BitsPerCharacter().sentence_score("a", [HALF])


@pytest.mark.parametrize("text", ["", None, ["a"], 5])
def test_a_text_without_characters_is_named(text):
    with pytest.raises(
        (TypeError, ValueError), match=r"^`texts\[1\]` must be a string"
    ):
        bits_per_character([[HALF], [HALF]], ["a", text])


def test_lower_is_better_and_systems_can_be_compared():
    assert not Perplexity.higher_is_better and not BitsPerCharacter.higher_is_better
    texts = [["ab"], ["abc"], ["a"], ["abcd"]] * 5
    good, bad = ([[value] * len(own[0]) for own in texts] for value in (HALF, QUARTER))
    test = paired_bootstrap(BitsPerCharacter(), texts, good, bad, trials=100)
    assert test.difference == pytest.approx(-1)
    assert test.p_value < 0.05


@pytest.mark.parametrize(
    ("values", "error", "message"),
    [
        (
            [HALF, 0.25],
            ValueError,
            "`log_probabilities[1]` must be at most 0, the natural "
            "logarithm of probabilities. Received: 0.25 at position 1",
        ),
        (
            [math.nan],
            ValueError,
            "`log_probabilities[1]` must be at most 0, the natural "
            "logarithm of probabilities. Received: nan at position 0",
        ),
        (
            [],
            ValueError,
            "`log_probabilities[1]` must be 1-D, with at least one number: "
            "a single text goes into a list of its own. Received: shape (0,)",
        ),
        (
            HALF,
            ValueError,
            "`log_probabilities[1]` must be 1-D, with at least one number: "
            "a single text goes into a list of its own. Received: shape ()",
        ),
        (
            [[HALF]],
            ValueError,
            "`log_probabilities[1]` must be 1-D, with at least one number: "
            "a single text goes into a list of its own. Received: shape (1, 1)",
        ),
        (
            [[-1.0], [-1.0, -2.0]],
            ValueError,
            "`log_probabilities[1]` must be 1-D. Received: [[-1.0], [-1.0, -2.0]]",
        ),
        (
            ["-1"],
            TypeError,
            "`log_probabilities[1]` must be real numbers. Received: ['-1']",
        ),
        (
            [None],
            TypeError,
            "`log_probabilities[1]` must be real numbers. Received: [None]",
        ),
    ],
)
def test_what_is_no_log_probability_is_named_with_its_segment(values, error, message):
    with pytest.raises(error, match=f"^{re.escape(message)}$"):
        perplexity([[HALF], values])


@pytest.mark.parametrize(
    ("own", "error", "message"),
    [
        (
            "ab",
            TypeError,
            "`references[0]` must be a list of one string, the text whose "
            "characters are counted. Received: 'ab'",
        ),
        (
            ["ab", "ac"],
            TypeError,
            "`references[0]` must be a list of one string, the text whose "
            "characters are counted. Received: ['ab', 'ac']",
        ),
        (
            [["a", "b"]],
            TypeError,
            "`references[0]` must be a list of one string, the text whose "
            "characters are counted. Received: [['a', 'b']]",
        ),
        (
            [""],
            ValueError,
            "`references[0]` must have at least one character. Received none.",
        ),
    ],
)
def test_the_reference_of_bits_per_character_is_one_text(own, error, message):
    with pytest.raises(error, match=f"^{re.escape(message)}$"):
        BitsPerCharacter().corpus_score([own], [[HALF]])


@pytest.mark.parametrize(
    ("references", "hypotheses", "error", "message"),
    [
        (
            [["a"]],
            [[HALF], [HALF]],
            ValueError,
            "`references` must hold one list of references for each hypothesis. "
            "Received: 1 and 2 hypotheses.",
        ),
        (
            [],
            [],
            ValueError,
            "`references` must hold at least one segment. Received none.",
        ),
        (
            ["a"],
            [[HALF]],
            TypeError,
            "`references[0]` must be a list, and may be empty. Received: 'a'",
        ),
        (
            [["a"]],
            0.5,
            TypeError,
            "`hypotheses` must be a list, with an entry for each segment. "
            "Received: 0.5",
        ),
    ],
)
def test_a_corpus_that_does_not_fit_is_an_error(references, hypotheses, error, message):
    with pytest.raises(error, match=f"^{re.escape(message)}$"):
        Perplexity().corpus_score(references, hypotheses)


@pytest.mark.parametrize(
    ("mask", "error", "message"),
    [
        (
            [[True]],
            ValueError,
            "`mask` must have an entry for each text. Received: 1 and 2 texts.",
        ),
        (
            [[True], [True, True]],
            ValueError,
            "`mask[1]` must have the shape of its log-probabilities, "
            "(1,). Received: (2,)",
        ),
        (
            [[1], [0]],
            TypeError,
            "`mask[0]` must be boolean. Received: [1]",
        ),
    ],
)
def test_a_mask_that_does_not_fit_is_an_error(mask, error, message):
    with pytest.raises(error, match=f"^{re.escape(message)}$"):
        unmasked([[HALF], [HALF]], mask)


def test_a_row_of_padding_alone_is_no_text():
    # exp of the mean of 1 and 2, as torchmetrics; the last row fills up the batch.
    values = np.array([[-1.0, -2.0], [-5.0, -5.0]])
    mask = np.array([[True, True], [False, False]])
    assert perplexity(values, mask=mask) == pytest.approx(math.exp(1.5))
    for text in ("", "anything"):
        bits = bits_per_character(values, ["abc", text], mask=mask)
        assert bits == pytest.approx(3 / math.log(2) / 3)


def test_a_mask_must_leave_a_token():
    message = "`mask` must be true for at least one token. Received: none."
    with pytest.raises(ValueError, match=f"^{re.escape(message)}$"):
        perplexity([[HALF], [HALF]], mask=[[False], [False]])


def test_a_text_without_tokens_is_an_error_without_a_mask():
    with pytest.raises(
        ValueError, match=r"`log_probabilities\[1\]` must be 1-D, with at least"
    ):
        perplexity([[HALF], []])


def test_texts_must_be_one_for_each_sequence():
    with pytest.raises(TypeError, match="`texts` must be a list"):
        bits_per_character([[HALF]], "a")
    with pytest.raises(ValueError, match="`texts` must hold .* Received: 2 and 1"):
        bits_per_character([[HALF]], ["a", "b"])


def test_signatures_name_the_metric():
    assert Perplexity().signature(0).startswith("perplexity|refs:0|v:")
    assert BitsPerCharacter().signature(1).startswith("bits-per-character|refs:1|v:")
