"""Candidates of each stage, against a loop over all pairs of words."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from metrics.meteor.matching import Matcher, definite

WORDS = ["a", "ab", "abc", "b", "ba", "c", "cb"]
# The first letter is the stem; of these words some have meanings in common.
MEANINGS = {"a": {1}, "ab": {1, 2}, "b": {2}, "ba": {1, 3}, "c": {3}}
TABLE = [
    (["a"], ["b", "c"]),
    (["a"], ["ab"]),
    (["a", "b"], ["c"]),
    (["c"], ["a", "b"]),
    (["b", "b"], ["b"]),
    (["b"], ["b"]),
]
words = st.lists(st.sampled_from(WORDS), max_size=7)


def stem(word):
    return word[0]


def synsets(word):
    return frozenset(MEANINGS.get(word, ()))


def paraphrases(words, start):
    for length in (1, 2):
        for phrase, paraphrase in TABLE:
            if words[start : start + length] == phrase and len(phrase) == length:
                yield length, paraphrase


def matcher(*stages):
    return Matcher(stages, stem=stem, synsets=synsets, paraphrases=paraphrases)


def pairs(stage, reference, hypothesis):
    """All (reference start, length, hypothesis start, length) of a stage of words."""
    allow = {
        "exact": lambda a, b: a == b,
        "stem": lambda a, b: a != b and stem(a) == stem(b),
        "synonym": lambda a, b: a != b and bool(synsets(a) & synsets(b)),
    }[stage]
    return [
        (j, 1, i, 1)
        for j, target in enumerate(reference)
        for i, word in enumerate(hypothesis)
        if allow(target, word)
    ]


def phrase_pairs(reference, hypothesis):
    """Entries found in the reference and exchanged in the hypothesis, then those found
    in the hypothesis, each by its place there."""
    found = []
    for first, second, turned in (
        (reference, hypothesis, False),
        (hypothesis, reference, True),
    ):
        for start in range(len(first)):
            for length, paraphrase in paraphrases(first, start):
                for other in range(len(second)):
                    if second[other : other + len(paraphrase)] == paraphrase:
                        here, there = (start, length), (other, len(paraphrase))
                        found.append((*there, *here) if turned else (*here, *there))
    return found


@given(st.lists(st.tuples(words, words), min_size=1, max_size=4))
def test_candidates_are_those_of_a_loop_over_all_pairs(sentences):
    stages = ("exact", "stem", "synonym", "paraphrase")
    one = matcher(*stages)  # what it remembers of a pair must not change another
    for reference, hypothesis in sentences:
        every = [pairs(stage, reference, hypothesis) for stage in stages[:3]]
        every.append(phrase_pairs(reference, hypothesis))
        expected = [
            [(*pair, number) for number, own in enumerate(every) for pair in own]
        ]
        expected = [
            [c for c in expected[0] if c[0] == j] for j in range(len(reference))
        ]
        assert [list(own) for own in one.candidates(reference, hypothesis)] == expected


def test_a_pair_may_be_found_by_several_stages():
    # Stem and meaning are the same; equal words are found by the first stage only.
    assert matcher("exact", "stem", "synonym").candidates(["a"], ["ab", "a"]) == [
        [(0, 1, 1, 1, 0), (0, 1, 0, 1, 1), (0, 1, 0, 1, 2)]
    ]


def test_stages_are_numbered_as_they_are_given():
    assert matcher("exact", "synonym").candidates(["a"], ["ab"]) == [[(0, 1, 0, 1, 1)]]


def test_candidates_of_a_stage_are_by_place_in_the_hypothesis():
    found = matcher("exact", "synonym").candidates(["a"], ["ba", "ab", "x", "ba", "ab"])
    assert [candidate[2] for candidate in found[0]] == [0, 1, 3, 4]


@pytest.mark.parametrize(("reference", "hypothesis"), [([], ["a"]), (["a"], [])])
def test_an_empty_side_has_no_candidates(reference, hypothesis):
    found = matcher("exact", "stem", "synonym", "paraphrase")
    assert found.candidates(reference, hypothesis) == [[] for _ in reference]


def test_paraphrases_are_found_from_either_side():
    one = matcher("exact", "paraphrase")
    found = one.candidates(["a"], ["b", "c"])
    assert found == [[(0, 1, 0, 2, 1)]]
    found = one.candidates(["x", "b", "c"], ["a", "x"])
    assert found == [[(0, 1, 1, 1, 0)], [(1, 2, 0, 1, 1)], []]


def test_an_entry_that_stands_both_ways_round_is_found_twice():
    # c -> a b and a b -> c.
    assert matcher("exact", "paraphrase").candidates(["c"], ["a", "b"]) == [
        [(0, 1, 0, 2, 1), (0, 1, 0, 2, 1)]
    ]


def test_definite_is_the_only_candidate_of_all_its_words():
    only = (0, 1, 4, 1, 0)
    assert definite([[only]]) == [only]
    assert definite([[]]) == [None]


@pytest.mark.parametrize(
    "rivals",
    [
        [[(0, 1, 2, 1, 0), (0, 1, 3, 1, 0)]],  # two choices for the reference
        [[(0, 1, 2, 1, 0)], [(1, 1, 2, 1, 0)]],  # two for the hypothesis
        [[(0, 1, 2, 1, 1), (0, 1, 2, 1, 2)]],  # the same pair by two stages
        [[(0, 2, 2, 1, 3)], [(1, 1, 5, 1, 0)]],  # a word inside a phrase
        [[(0, 1, 2, 2, 3)], [(1, 1, 3, 1, 0)]],
    ],
)
def test_competing_candidates_are_not_definite(rivals):
    assert definite(rivals) == [None] * len(rivals)


def test_a_phrase_may_be_definite():
    phrase, word = (0, 2, 3, 3, 3), (2, 1, 0, 1, 0)
    assert definite([[phrase], [], [word]]) == [phrase, None, word]
