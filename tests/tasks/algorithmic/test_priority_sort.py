import numpy as np
import pytest

from tasks import PrioritySort


def test_answer_is_ordered_by_priority():
    inputs = np.zeros((1, 6, 4), np.float32)
    inputs[0, :, :2] = [[1, 0], [0, 1], [1, 1], [0, 0], [0, 0], [0, 0]]
    inputs[0, :3, 2] = [-0.7, 0.9, 0.1]
    inputs[0, 3, 3] = 1
    answer = PrioritySort(2, 3, 2).solve(inputs)[0, 4:]
    np.testing.assert_array_equal(answer, [[0, 1], [1, 1]])


def test_the_target_depends_on_the_priorities():
    # A generator that sorts each column by itself would ignore the priorities.
    task = PrioritySort(4, 8, 8)
    inputs = task.sample(1, rng=1).inputs
    turned = inputs.copy()
    turned[..., 4] *= -1
    forward, backward = task.solve(inputs)[0, 9:], task.solve(turned)[0, 9:]
    np.testing.assert_array_equal(forward, backward[::-1])
    assert (forward != backward).any()


def test_all_outputs_is_the_whole_sequence():
    inputs, targets, _ = PrioritySort(8, 20, 20).sample(1, rng=1)
    vectors = {tuple(vector) for vector in inputs[0, :20, :8]}
    assert {tuple(vector) for vector in targets[0, 21:]} == vectors


def test_priorities_are_distinct_and_in_range():
    priorities = PrioritySort(2, 20, 4).sample(500, rng=1).inputs[:, :20, 2]
    assert all(len(set(row)) == 20 for row in priorities)
    assert -1 <= priorities.min() < -0.99 and 0.99 < priorities.max() <= 1


def test_ties_are_drawn_again(monkeypatch):
    from tasks.algorithmic import priority_sort

    draws = iter([np.zeros((2, 3)), np.array([[0.1, 0.2, 0.3], [0.3, 0.2, 0.1]])])

    class Rng:
        def uniform(self, low, high, size):
            return next(draws)

    distinct = priority_sort._distinct_priorities(Rng(), 2, 3)
    assert distinct.tolist() == np.float32([[0.1, 0.2, 0.3], [0.3, 0.2, 0.1]]).tolist()


def test_outputs_must_not_outnumber_the_vectors():
    with pytest.raises(ValueError, match="`num_outputs` must be at most"):
        PrioritySort(8, 4, 5)
