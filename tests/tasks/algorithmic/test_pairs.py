"""Tasks with pairs, one vector of which asks for the other."""

import numpy as np
import pytest

import tasks
from tasks import KeyValue, RecallPairs


def key_value():
    task = KeyValue(2, 2, 2)
    inputs = np.zeros((1, 10, 6), np.float32)
    inputs[0, :2, :4] = [[1, 0, 0, 1], [1, 1, 1, 0]]
    inputs[0, [2, 4], :2] = [[1, 1], [1, 0]]
    inputs[0, [2, 4], 4] = 1
    inputs[0, [6, 8], 2:4] = [[1, 0], [0, 1]]
    inputs[0, [6, 8], 5] = 1
    mask = np.zeros((1, 10), np.float32)
    mask[0, [3, 5, 7, 9]] = 1
    return task, tasks.Batch(inputs, task.solve(inputs), mask)


def recall_pairs():
    task = RecallPairs(2, 2, 2)
    inputs = np.zeros((1, 6, 5), np.float32)
    inputs[0, :2, :4] = [[1, 0, 0, 1], [0, 1, 1, 1]]
    inputs[0, [2, 4], :2] = [[0, 1], [1, 0]]
    inputs[0, [2, 4], 4] = 1
    mask = np.zeros((1, 6), np.float32)
    mask[0, [3, 5]] = 1
    return task, tasks.Batch(inputs, task.solve(inputs), mask)


@pytest.mark.parametrize(
    ("example", "expected"),
    [
        (key_value, [[1, 0], [0, 1], [1, 1], [1, 0]]),
        (recall_pairs, [[1, 1], [0, 1]]),
    ],
)
def test_one_vector_asks_for_the_other(example, expected, assert_drawn_in_docstring):
    task, batch = example()
    np.testing.assert_array_equal(batch.targets[0][batch.mask[0] > 0], expected)
    assert_drawn_in_docstring(task, batch)


@pytest.mark.parametrize("task", [KeyValue(3, 8, 8), RecallPairs(3, 8, 8)])
def test_each_vector_asks_once_in_each_round_in_random_order(task):
    # With 3 bits there are just the eight vectors that eight pairs need.
    places = []
    for sequence in task.sample(50, rng=1).inputs:
        for turn, half in enumerate(task.rounds):
            channels = slice(3 * half, 3 * half + 3)
            listed = sequence[:8, channels].tolist()
            asked = sequence[sequence[:, 6 + turn] > 0, channels].tolist()
            assert len({tuple(vector) for vector in listed}) == 8
            assert sorted(asked) == sorted(listed)
            places.append([listed.index(vector) for vector in asked])
    assert np.mean(places, axis=0) == pytest.approx(np.full(8, 3.5), abs=1.2)


def test_the_first_of_two_equal_keys_counts():
    _, batch = recall_pairs()
    inputs = batch.inputs.copy()
    inputs[0, 1, :2] = inputs[0, 2, :2] = [1, 0]
    answers = RecallPairs(2).solve(inputs)[0, [3, 5]]
    np.testing.assert_array_equal(answers, [[0, 1], [0, 1]])


def test_more_pairs_than_vectors_are_drawn_with_repeats():
    batch = RecallPairs(1, 5, 5).sample(2, rng=1)
    assert batch.mask.sum() == 10


@pytest.mark.parametrize(
    ("step", "values", "what"),
    [
        (slice(2, None), 0, "has no question"),
        (4, [1, 0, 0, 0, 2], "has a question with other marks"),
        (3, [0, 1, 0, 0, 1], "has not the blank step of an answer"),
        (5, [0, 1, 0, 0, 1], "has not the blank step of an answer"),
        (4, [1, 1, 0, 0, 1], "asks for what is not in its list"),
    ],
)
def test_other_sequences_are_refused(step, values, what):
    _, batch = recall_pairs()
    inputs = batch.inputs.copy()
    inputs[0, step] = values
    with pytest.raises(
        ValueError, match=f"task recall-pairs. Received one that {what}"
    ):
        RecallPairs(2).solve(inputs)
