"""Edits of TER against Tercom's search in plain loops."""

import math
import random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from metrics.edits.ter import shifts as ter_shifts
from metrics.edits.ter.beam import BeamEditDistance
from metrics.edits.ter.shifts import translation_edits

words = st.lists(st.sampled_from("abcde"), max_size=9)


def beam_matrix(hypothesis, reference):
    """The matrix of costs, infinite outside the beam."""
    n, m = len(hypothesis), len(reference)
    ratio = m / n if n else 1
    beam = math.ceil(ratio / 2 + 25) if ratio / 2 > 25 else 25
    cost = [[math.inf] * (m + 1) for _ in range(n + 1)]
    cost[0] = list(range(m + 1))
    for i in range(1, n + 1):
        diagonal = math.floor(i * ratio)
        for j in range(m + 1):
            if diagonal - beam <= j and (j < diagonal + beam or i == n):
                ways = [cost[i - 1][j] + 1]
                if j:
                    is_other = hypothesis[i - 1] != reference[j - 1]
                    ways += [cost[i][j - 1] + 1, cost[i - 1][j - 1] + is_other]
                cost[i][j] = min(ways)
    return cost


def alignment_of(hypothesis, reference):
    """For each reference word the hypothesis word up to it; wrong words of both."""
    cost = beam_matrix(hypothesis, reference)
    i, j = len(hypothesis), len(reference)
    aligned = {}
    wrong, missing = set(range(i)), set(range(j))
    while i or j:
        same = i and j and hypothesis[i - 1] == reference[j - 1]
        if i and j and cost[i][j] == cost[i - 1][j - 1] + (not same):
            i, j = i - 1, j - 1
            aligned[j] = i
            if same:
                wrong.remove(i)
                missing.remove(j)
        elif i and cost[i][j] == cost[i - 1][j] + 1:
            i -= 1
        else:
            j -= 1
            aligned[j] = i - 1
    return aligned, wrong, missing


def move(words, start, length, target):
    """Takes words out and puts them in before the word that is now at the target.

    Within the words themselves, as many words to the right as the target is.
    """
    taken, rest = words[start : start + length], words[:start] + words[start + length :]
    if target > start + length:
        target -= length
    return rest[:target] + taken + rest[target:]


def edits_of(hypothesis, reference):
    """Greedy search as in Tercom, every shift tried by a whole matrix."""
    if not reference:
        return len(hypothesis)
    shifts = tried = 0
    while True:
        aligned, wrong, missing = alignment_of(hypothesis, reference)
        aligned[-1] = -1
        distance = beam_matrix(hypothesis, reference)[-1][-1]
        results = []
        for start in range(len(hypothesis)):
            for place in range(len(reference)):
                for length in range(1, 11):
                    span = range(start, start + length)
                    if (
                        abs(start - place) <= 50
                        and start + length <= len(hypothesis)
                        and hypothesis[start : start + length]
                        == reference[place : place + length]
                        and wrong & set(span)
                        and missing & set(range(place, place + length))
                        and aligned[place] not in span
                    ):
                        for target in {
                            aligned[index] + 1
                            for index in range(place - 1, place + length)
                        }:
                            tried += 1
                            shifted = move(hypothesis, start, length, target)
                            gain = distance - beam_matrix(shifted, reference)[-1][-1]
                            results.append((gain, length, -start, -target, shifted))
        if not results or max(results)[0] <= 0 or tried >= 1000:
            return shifts + distance
        hypothesis = max(results)[-1]
        shifts += 1


def numbered(letter, count):
    return [f"{letter}{index}" for index in range(count)]


@given(words, words)
@settings(max_examples=150, deadline=None)
def test_edits_are_those_of_the_search_in_plain_loops(hypothesis, reference):
    assert translation_edits(hypothesis, reference) == edits_of(hypothesis, reference)


@pytest.mark.parametrize("seed", range(4))
def test_edits_of_longer_texts(seed):
    rng = random.Random(seed)
    hypothesis = rng.choices("abcdefghijklmnopqrst", k=rng.randint(14, 22))
    reference = rng.choices("abcdefghijklmnopqrst", k=rng.randint(14, 22))
    assert translation_edits(hypothesis, reference) == edits_of(hypothesis, reference)


@pytest.mark.parametrize(
    ("sizes", "in_sight"), [((10, 100), 2), ((5, 45), 3), ((2, 20), 2)]
)
def test_the_beam_hides_matches_far_from_the_diagonal(sizes, in_sight):
    # Row i holds columns from i m / n - 25 on, and the match of word i is in column i.
    hypothesis, reference = numbered("w", sizes[0]), numbered("w", sizes[1])
    edits = sizes[1] - in_sight
    assert edits_of(hypothesis, reference) == edits
    assert translation_edits(hypothesis, reference) == edits


@pytest.mark.parametrize("shift", range(21, 28))
def test_the_beam_is_as_wide_as_sacrebleus(shift):
    # The only matches lie `shift` cells to the right, or to the left, of the diagonal.
    others = numbered("x", shift), numbered("y", shift)
    same = numbered("w", 80 - shift)
    for hypothesis, reference in (
        ([*same, *others[0]], [*others[1], *same]),
        ([*others[0], *same], [*same, *others[1]]),
    ):
        cost = beam_matrix(hypothesis, reference)[-1][-1]
        assert BeamEditDistance(reference).distances([hypothesis]) == [cost]
        operations = BeamEditDistance(reference).operations(hypothesis, cost)
        assert len(operations) - operations.count("=") == cost


@pytest.mark.parametrize("sizes", [(30, 34), (8, 60), (60, 9), (1, 70), (2, 150)])
def test_edits_where_the_beam_matters(sizes):
    rng = random.Random(1)
    vocabulary = numbered("w", 60)
    hypothesis, reference = (rng.sample(vocabulary * 3, k=size) for size in sizes)
    assert translation_edits(hypothesis, reference) == edits_of(hypothesis, reference)


def test_no_shift_is_done_once_a_thousand_have_been_tried(monkeypatch):
    hypothesis, reference = ["a", "b"] * 14, ["b", "b", "a", "a"] * 7
    edits = translation_edits(hypothesis, reference)
    assert edits == edits_of(hypothesis, reference)
    monkeypatch.setattr(ter_shifts, "MAX_TRIED", 10**6)
    assert translation_edits(hypothesis, reference) < edits


def test_a_target_within_the_shifted_words_moves_them_to_the_right():
    hypothesis, reference = list("bbccb"), list("bcbba")
    assert edits_of(hypothesis, reference) == 3  # sacreBLEU's number
    assert translation_edits(hypothesis, reference) == 3


def test_at_most_ten_words_are_shifted_at_once():
    for count, edits in ((10, 1), (11, 2)):
        a, b = numbered("a", count), numbered("b", count)
        assert translation_edits(b + a, a + b) == edits


def test_words_are_shifted_by_at_most_fifty():
    for count, edits in ((50, 1), (51, 2)):
        others = numbered("w", count)
        assert translation_edits(["x", *others], [*others, "x"]) == edits
