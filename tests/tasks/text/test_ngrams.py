"""N-gram models, against the definition and against brute force."""

import collections
import itertools
import math

import numpy as np
import pytest

from tasks import NGramModel
from tasks.text.vocabulary import CODE_POINTS, Vocabulary

TEXT = "abracadabra, a bar"


def probability(text, character, context, symbols):
    """The definition, read from the text itself."""
    if context is None:
        return 1 / symbols
    size = len(context)
    after = [
        text[at + size]
        for at in range(len(text) - size)
        if text[at : at + size] == context
    ]
    shorter = probability(text, character, context[1:] if size else None, symbols)
    if not after:
        return shorter
    kinds = len(set(after))
    return (after.count(character) + kinds * shorter) / (len(after) + kinds)


@pytest.mark.parametrize("order", [1, 2, 3, 6])
def test_probabilities_are_those_of_the_definition(order):
    model = NGramModel(TEXT, order)
    read = "a bracadc arb"
    expected = [
        math.log(
            probability(
                TEXT, c, read[max(0, at - order + 1) : at], model.vocabulary.size
            )
        )
        for at, c in enumerate(read)
    ]
    np.testing.assert_allclose(model.log_probabilities(read), expected, rtol=1e-12)


def test_a_small_case_by_hand():
    """Counts a 2, b 2; after a: b 2; after b: a 1. Three tokens, one unknown."""
    model = NGramModel("abab", order=2)
    a = (2 + 2 / 3) / (4 + 2)
    b_after_a = (2 + 1 * a) / (2 + 1)
    a_after_b = (1 + 1 * a) / (1 + 1)
    np.testing.assert_allclose(
        np.exp(model.log_probabilities("aba")), [a, b_after_a, a_after_b]
    )


@pytest.mark.parametrize("order", [1, 3])
def test_probabilities_of_all_tokens_sum_to_one(order):
    model = NGramModel(TEXT, order)
    for text in ("ab", "xx", "a ", "ra"):  # x is unknown
        states = model.initial_states(1)
        _, states = model.read(model.vocabulary.encode(text)[None], states)
        following = np.exp(model.following(states))
        assert following.shape == (1, model.vocabulary.size)
        assert (following > 0).all() and following.sum() == pytest.approx(1)


def test_probabilities_of_all_texts_of_one_length_sum_to_one():
    model = NGramModel("abbab", order=3)
    texts = ["".join(text) for text in itertools.product("ab?", repeat=4)]
    # `?` stands for every other character of Unicode, all equally probable.
    others = CODE_POINTS - 2
    total = sum(
        math.exp(
            model.log_probabilities(text).sum() + text.count("?") * math.log(others)
        )
        for text in texts
    )
    assert total == pytest.approx(1)


def test_reading_in_parts_is_reading_at_once():
    model = NGramModel(TEXT, order=4)
    tokens = model.vocabulary.encode("cadabra rab a")[None]
    whole, end = model.read(tokens, model.initial_states(1))
    states, parts = model.initial_states(1), []
    for part in np.split(tokens, [1, 2, 7], axis=1):
        values, states = model.read(part, states)
        parts.append(values)
    np.testing.assert_array_equal(np.concatenate(parts, axis=1), whole)
    np.testing.assert_array_equal(states[0], end[0])
    # What follows was in the probabilities of what was read.
    _, before = model.read(tokens[:, :5], model.initial_states(1))
    assert model.following(before)[0, tokens[0, 5]] == whole[0, 5]


def test_an_unknown_character_costs_its_share():
    model = NGramModel("aaab", order=2)
    values = model.log_probabilities("aé")
    unknown = probability("aaab", "é", "a", 3)
    assert values[1] == pytest.approx(math.log(unknown / (CODE_POINTS - 2)))
    assert model.bits_per_character("aé") > 10


def test_one_order_more_counts_one_character_more():
    """What follows b depends on what came two before it."""
    text = "abx cby " * 20
    two, three = NGramModel(text, 2), NGramModel(text, 3)
    assert two.bits_per_character(text) > three.bits_per_character(text) + 0.1
    counts = collections.Counter(text)
    entropy = -sum(n / 160 * math.log2(n / 160) for n in counts.values())
    # An order of 1 knows the frequencies only, and keeps a little for the unknown.
    assert NGramModel(text, 1).bits_per_character(text) == pytest.approx(
        entropy, rel=0.02
    )


def test_the_vocabulary_may_be_larger_than_the_text():
    model = NGramModel("ab", 1, Vocabulary("abc"))
    assert np.exp(model.log_probabilities("c")) == pytest.approx([2 / 4 / 4])


def test_a_text_shorter_than_the_order():
    model = NGramModel("a", order=6)
    assert np.exp(model.log_probabilities("a")) == pytest.approx([(1 + 1 / 2) / 2])


@pytest.mark.parametrize(
    ("arguments", "error", "message"),
    [
        (("",), ValueError, "`text` must have at least one character"),
        ((None,), TypeError, "`text` must be a string. Received: text=None"),
        (("a", 0), ValueError, "`order` must be a positive integer"),
        (("a", 21), ValueError, "`order` must be an integer of at most 20"),
    ],
)
def test_wrong_arguments_are_named(arguments, error, message):
    with pytest.raises(error, match=message):
        NGramModel(*arguments)
