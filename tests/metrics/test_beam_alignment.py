"""The search of the program METEOR 1.5, against a plain reading of its steps.

That the steps are those of the program is for test_meteor_jar.py to show.
"""

import dataclasses

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from metrics.meteor.alignment import count_chunks
from metrics.meteor.beam_alignment import beam_alignment


@dataclasses.dataclass
class State:
    """What is known after some words of the reference."""

    used: frozenset = frozenset()
    here: int = 0
    there: int = 0
    chunks: int = 0
    last: int = -1
    distance: int = 0
    until: int = 0
    matches: tuple = ()

    def order(self):
        return -(self.here + self.there), self.chunks, self.distance

    def closed(self):
        open_chunk = self.last != -1
        return dataclasses.replace(self, chunks=self.chunks + open_chunk, last=-1)

    def taking(self, match):
        j, reference_length, i, length, stage = match
        weight = 1.0 if stage == 0 else 0.5
        return dataclasses.replace(
            self,
            used=self.used | set(range(i, i + length)),
            here=int(self.here + weight * length),  # cut off, as an integer in Java
            there=int(self.there + weight * reference_length),
            chunks=self.chunks + (self.last not in (-1, i)),
            last=i + length,
            until=j + reference_length,
            matches=(*self.matches, match),
        )


def is_definite(match, candidates):
    """Whether no other candidate covers a word of a match, on either side."""
    every = [other for own in candidates for other in own]
    return sum(rivals(match, other) for other in every) == 1


def rivals(match, other):
    """Whether two candidates share a word, as each does with itself."""
    return any(
        start < other_start + other_length and other_start < start + length
        for start, length, other_start, other_length in (
            (match[0], match[1], other[0], other[1]),
            (match[2], match[3], other[2], other[3]),
        )
    )


def oracle(candidates, beam):
    states = [State()]
    for j, own in enumerate(candidates):
        following = []
        for state in states:
            if j < state.until:
                following.append(state)
            elif own and is_definite(own[0], candidates):
                taken = state.taking(own[0])
                taken.distance += abs(own[0][0] - own[0][2])
                following.append(taken)
            else:
                for match in own:
                    if state.used.isdisjoint(range(match[2], match[2] + match[3])):
                        following.append(state.taking(match))
                        # Not of the new state, but of what is left of the old one.
                        state.distance += abs(match[0] - match[2])
                following.append(state.closed())
        states = sorted(following, key=State.order)[:beam]
    # Open chunks are counted only now: none of the states left out comes back.
    best = min([state.closed() for state in states], key=State.order)
    return list(best.matches)


@st.composite
def candidate_lists(draw):
    """Words of small alphabets, and a few phrases, which may stand alone."""
    reference = draw(st.lists(st.integers(0, 4), min_size=1, max_size=7))
    hypothesis = draw(st.lists(st.integers(0, 4), min_size=1, max_size=7))
    # Pairs of different words that another stage matches.
    pairs = draw(st.sets(st.tuples(st.integers(0, 4), st.integers(0, 4)), max_size=4))
    found = [
        [(j, 1, i, 1, 0) for i, word in enumerate(hypothesis) if word == target]
        + [
            (j, 1, i, 1, stage)
            for stage in (1, 2)
            for i, word in enumerate(hypothesis)
            if word != target and ((target, word) in pairs or word + target == stage)
        ]
        for j, target in enumerate(reference)
    ]
    for _ in range(draw(st.integers(0, 2))):
        j = draw(st.integers(0, len(reference) - 1))
        i = draw(st.integers(0, len(hypothesis) - 1))
        reference_length = draw(st.integers(1, min(3, len(reference) - j)))
        length = draw(st.integers(1, min(3, len(hypothesis) - i)))
        phrase = (j, reference_length, i, length, 3)
        if draw(st.booleans()):  # nothing beside it, so that it is definite
            found = [[m for m in own if not rivals(m, phrase)] for own in found]
        found[j].append(phrase)
    return found


@given(candidate_lists(), st.sampled_from([1, 2, 3, 40]))
@settings(max_examples=400, deadline=None)
def test_matches_are_those_of_the_steps_one_by_one(candidates, beam):
    assert beam_alignment(candidates, beam) == oracle(candidates, beam)


def exact(reference, hypothesis):
    """Candidates of equal words, from strings of words of one letter."""
    return [
        [(j, 1, i, 1, 0) for i, word in enumerate(hypothesis) if word == target]
        for j, target in enumerate(reference)
    ]


def test_a_definite_match_is_taken_whatever_its_stage():
    assert beam_alignment([[(0, 1, 0, 1, 1)]]) == [(0, 1, 0, 1, 1)]


def test_an_ambiguous_inexact_word_is_left_out():
    # Found by stem and by synonym it counts nothing, and opens a chunk.
    assert beam_alignment([[(0, 1, 0, 1, 1), (0, 1, 0, 1, 2)]]) == []


def test_an_ambiguous_inexact_word_is_taken_inside_a_chunk():
    candidates = [[(0, 1, 0, 1, 0)], [(1, 1, 1, 1, 1), (1, 1, 1, 1, 2)]]
    candidates.append([(2, 1, 2, 1, 0)])
    assert [match[2] for match in beam_alignment(candidates)] == [0, 1, 2]


def test_two_words_of_a_phrase_count_one():
    # Found twice, so not definite; two words on one side are enough.
    phrase = (0, 2, 0, 1, 3)
    assert beam_alignment([[phrase, phrase], []]) == [phrase]


def test_a_chunk_goes_on_after_a_definite_phrase():
    # c (w x) c: the second c follows the phrase.
    candidates = [[], [(1, 2, 1, 1, 3)], [], [(3, 1, 0, 1, 0), (3, 1, 2, 1, 0)]]
    assert beam_alignment(candidates) == [(1, 2, 1, 1, 3), (3, 1, 2, 1, 0)]


def test_distance_is_charged_to_later_candidates():
    # The word itself is farther, but its sibling pays for it.
    candidates = [[(0, 1, 3, 1, 0), (0, 1, 0, 1, 0)]]
    assert beam_alignment(candidates) == [(0, 1, 3, 1, 0)]


def test_the_number_of_states_matters():
    # Of one state kept, the first b is the first of the hypothesis, and `ba` is lost.
    candidates = exact("bba", "aba")
    chunks = [count_chunks(beam_alignment(candidates, beam)) for beam in (1, 40)]
    assert chunks == [2, 1]


def test_with_one_state_an_ambiguous_inexact_word_is_taken():
    # Its chunk is open when the other state is dropped; the program gives .6 with -x 1.
    candidates = [[(0, 1, 0, 1, 1), (0, 1, 0, 1, 2)]]
    assert beam_alignment(candidates, 1) == [(0, 1, 0, 1, 1)]


@pytest.mark.parametrize("beam", [1, 40])
def test_nothing_to_match_gives_nothing(beam):
    assert beam_alignment([], beam) == []
    assert beam_alignment([[], []], beam) == []
