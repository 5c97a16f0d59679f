"""Levenshtein distance and alignment against the recurrence."""

from unittest import mock

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from metrics.edits import edit_distance
from metrics.edits.edit_distance import EditDistance

words = st.lists(st.sampled_from("abcd"), max_size=10)


def matrix_of(hypothesis, reference):
    matrix = [list(range(len(reference) + 1))]
    for i, word in enumerate(hypothesis, start=1):
        matrix.append([i])
        for j, other in enumerate(reference, start=1):
            matrix[i].append(
                min(
                    matrix[i - 1][j - 1] + (word != other),
                    matrix[i - 1][j] + 1,
                    matrix[i][j - 1] + 1,
                )
            )
    return matrix


def operations_of(hypothesis, reference):
    """The way back through the matrix, that takes the diagonal if it can, then up."""
    matrix = matrix_of(hypothesis, reference)
    i, j = len(hypothesis), len(reference)
    operations = ""
    while i or j:
        is_other = not (i and j) or hypothesis[i - 1] != reference[j - 1]
        if i and j and matrix[i][j] == matrix[i - 1][j - 1] + is_other:
            operations = ("S" if is_other else "=") + operations
            i, j = i - 1, j - 1
        elif i and matrix[i][j] == matrix[i - 1][j] + 1:
            operations = "I" + operations
            i -= 1
        else:
            operations = "D" + operations
            j -= 1
    return operations


@given(words, words)
@settings(max_examples=200, deadline=None)
def test_distance_and_operations_are_those_of_the_matrix(hypothesis, reference):
    edit_distance = EditDistance(reference)
    expected = matrix_of(hypothesis, reference)[-1][-1]
    assert edit_distance.distance(hypothesis) == expected
    assert edit_distance.operations(hypothesis) == operations_of(hypothesis, reference)


@given(words, words)
@settings(max_examples=100, deadline=None)
def test_operations_turn_the_hypothesis_into_the_reference(hypothesis, reference):
    operations = EditDistance(reference).operations(hypothesis)
    own, other, made = iter(hypothesis), iter(reference), []
    for operation in operations:
        word = next(own) if operation != "D" else None
        wanted = next(other) if operation != "I" else None
        if operation == "=":
            assert word == wanted
            made.append(word)
        elif operation in "SD":
            assert word != wanted
            made.append(wanted)
    assert made == reference
    assert not list(own) and not list(other)


@given(st.integers(0, 8), words, st.data())
@settings(max_examples=100, deadline=None)
def test_many_distances_are_those_of_each(length, reference, data):
    one = st.lists(st.sampled_from("abcd"), min_size=length, max_size=length)
    hypotheses = data.draw(st.lists(one, max_size=5))
    edit_distance = EditDistance(reference)
    expected = [edit_distance.distance(own) for own in hypotheses]
    assert edit_distance.distances(hypotheses) == expected


@pytest.mark.parametrize("size", [7, 8, 9, 63, 64, 65, 200])
def test_lengths_at_the_ends_of_bytes_and_machine_words(size):
    reference = [str(i % 5) for i in range(size)]
    hypotheses = [[str(i % 7) for i in range(k, k + 60)] for k in range(4)]
    expected = [matrix_of(own, reference)[-1][-1] for own in hypotheses]
    edit_distance = EditDistance(reference)
    assert [edit_distance.distance(own) for own in hypotheses] == expected
    assert edit_distance.distances(hypotheses) == expected
    expected = operations_of(hypotheses[1], reference)
    assert edit_distance.operations(hypotheses[1]) == expected


def test_kitten_and_sitting():
    assert EditDistance("sitting").distance("kitten") == 3
    assert EditDistance("sitting").operations("kitten") == "S===S=D"
    assert EditDistance("kitten").operations("sitting") == "S===S=I"


def test_empty_sides():
    assert EditDistance("").operations("ab") == "II"
    assert EditDistance("ab").operations("") == "DD"
    assert EditDistance("").operations("") == ""
    assert EditDistance("").distances(["ab", "cd"]) == [2, 2]
    assert EditDistance("abc").distances([""]) == [3]
    assert EditDistance("abc").distances([]) == []


@given(words, words, st.integers(1, 11))
@settings(max_examples=200, deadline=None)
def test_operations_do_not_depend_on_how_many_rows_are_kept(first, second, size):
    whole = EditDistance(second).operations(first)
    with mock.patch.object(edit_distance, "BLOCK", size):
        assert EditDistance(second).operations(first) == whole
