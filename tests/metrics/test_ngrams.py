"""N-grams and their clipped matches, against lists in plain loops."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from metrics.ngrams import block_matches, clipped_matches, ngrams

TEXT = st.lists(st.sampled_from("abc"), max_size=12)
SEGMENT = st.tuples(st.lists(TEXT, min_size=1, max_size=4), TEXT)


def matches_by_hand(references, hypothesis, order):
    """The definition with nothing but lists."""

    def windows(tokens):
        return [tokens[i : i + order] for i in range(len(tokens) - order + 1)]

    own = windows(hypothesis)
    kinds = [ngram for i, ngram in enumerate(own) if ngram not in own[:i]]
    return sum(
        min(own.count(ngram), max(windows(other).count(ngram) for other in references))
        for ngram in kinds
    )


def test_ngrams_are_listed_from_left_to_right():
    assert list(ngrams(["a", "b", "a", "b"], 3)) == [("a", "b", "a"), ("b", "a", "b")]


@pytest.mark.parametrize("tokens", [[], ["a"], ["a", "b"]])
def test_short_text_has_no_ngrams(tokens):
    assert list(ngrams(tokens, 3)) == []


def test_matches_are_clipped_by_the_reference_that_has_most():
    # Papineni et al. (2002), section 2.1: 2 of 7 unigrams.
    references = ["the cat is on the mat".split(), "there is a cat on the mat".split()]
    assert clipped_matches(references, ["the"] * 7, 1) == [2]


def test_matches_of_several_references_are_not_added_up():
    assert clipped_matches([["a"], ["a"]], ["a", "a"], 1) == [1]


@settings(max_examples=100, deadline=None)
@given(SEGMENT)
def test_matches_are_those_of_the_definition(segment):
    references, hypothesis = segment
    by_hand = [matches_by_hand(references, hypothesis, n) for n in (1, 2, 3, 4, 5)]
    assert clipped_matches(references, hypothesis, 5) == by_hand


@settings(max_examples=100, deadline=None)
@given(st.lists(SEGMENT, min_size=1, max_size=8), st.integers(1, 6))
def test_block_of_segments_has_the_matches_of_each(segments, max_order):
    one_by_one = [clipped_matches(*segment, max_order) for segment in segments]
    assert block_matches(iter(segments), max_order).tolist() == one_by_one


def test_block_does_not_mix_segments_or_texts():
    # "b c" crosses from one hypothesis, or one reference, to the next.
    segments = [([["b"], ["c"]], ["a", "b"]), ([["c"], ["b"]], ["c", "b"])]
    assert block_matches(segments, 2).tolist() == [[1, 0], [2, 0]]


def test_block_of_empty_texts_has_no_matches():
    assert block_matches([([[]], []), ([[], ["a"]], [])], 3).tolist() == [[0] * 3] * 2


def test_long_ngrams_of_a_large_block_are_told_apart():
    # 9 words to the power of 30 are more than 64 bits can number.
    words = [str(n) for n in range(9)] * 5
    segments = [([words], words), ([words[:-1]], words)] * 50
    assert block_matches(segments, 30)[:2, 29].tolist() == [16, 15]
