import numpy as np
import pytest

import tasks
from tasks import AssociativeRecall


def example():
    task = AssociativeRecall(2, 2, 2, 2)
    inputs = np.zeros((1, 12, 4), np.float32)
    inputs[0, [0, 3], 2] = 1
    inputs[0, [6, 9], 3] = 1
    inputs[0, [1, 2, 4, 5], :2] = [[0, 1], [1, 1], [1, 0], [0, 1]]
    inputs[0, [7, 8], :2] = [[0, 1], [1, 1]]
    mask = np.zeros((1, 12), np.float32)
    mask[0, 10:] = 1
    return task, tasks.Batch(inputs, task.solve(inputs), mask)


def test_answer_is_the_item_after_the_one_asked_for():
    _, batch = example()
    np.testing.assert_array_equal(batch.targets[0, 10:], [[1, 0], [0, 1]])


def test_docstring_shows_the_example(assert_drawn_in_docstring):
    assert_drawn_in_docstring(*example())


def test_every_item_but_the_last_is_asked_for():
    task = AssociativeRecall(num_bits=16, item_length=2, min_items=2, max_items=4)
    places = set()
    for sequence in task.sample(300, rng=1).inputs:
        starts = np.flatnonzero(sequence[:, 16])
        items = [sequence[s + 1 : s + 3, :16].tolist() for s in starts]
        query = np.flatnonzero(sequence[:, 17])[0] + 1
        asked = items.index(sequence[query : query + 2, :16].tolist())
        places.add((len(items), asked))
    assert places == {(2, 0), (3, 0), (3, 1), (4, 0), (4, 1), (4, 2)}


def test_items_are_similar_in_training_only():
    task = AssociativeRecall(num_bits=16, min_items=3, max_items=5, similar_items=1.0)

    def common(batch):
        """Shares of the other items by their number of vectors in common."""
        counts = np.zeros(4)
        for sequence in batch.inputs:
            starts = np.flatnonzero(sequence[:, 16])
            query = np.flatnonzero(sequence[:, 17])[0] + 1
            wanted = sequence[query : query + 3, :16]
            same = [
                int((sequence[s + 1 : s + 4, :16] == wanted).all(axis=1).sum())
                for s in starts
            ]
            same.remove(3)  # the item itself
            counts += np.bincount(same, minlength=4)
        return counts / counts.sum()

    # By chance two vectors of 16 bits are never the same here.
    np.testing.assert_array_equal(common(task.sample(200, rng=1)), [1, 0, 0, 0])
    trained = task.stream.sample(200, rng=1)
    np.testing.assert_array_equal(common(trained), [0, 1, 0, 0])
    np.testing.assert_array_equal(trained.targets, task.solve(trained.inputs))
    some = AssociativeRecall(num_bits=16, min_items=3, max_items=5)
    shares = common(some.stream.sample(2000, rng=1))
    assert shares[1] == pytest.approx(some.similar_items, abs=0.02)


def test_items_of_one_vector_are_never_similar():
    task = AssociativeRecall(num_bits=16, item_length=1, similar_items=1.0)
    for one, other in zip(
        task.stream.sample(50, rng=1), task.sample(50, rng=1), strict=True
    ):
        np.testing.assert_array_equal(one, other)


def test_the_first_of_two_equal_items_counts():
    task = AssociativeRecall(1, 1, 3, 3)
    inputs = np.zeros((1, 10, 3), np.float32)
    inputs[0, [0, 2, 4], 1] = 1
    inputs[0, [6, 8], 2] = 1
    inputs[0, [1, 5, 7], 0] = 1  # items 1, 0, 1; 1 is asked for
    assert task.solve(inputs)[0, 9, 0] == 0
    inputs[0, [1, 3], 0] = [0, 1]  # items 0, 1, 1; 1 is asked for
    assert task.solve(inputs)[0, 9, 0] == 1


def test_a_single_item_has_no_answer():
    with pytest.raises(
        ValueError, match="`min_items` must be an integer of at least 2"
    ):
        AssociativeRecall(min_items=1)
