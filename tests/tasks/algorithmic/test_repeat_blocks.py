import numpy as np
import pytest

import tasks
from tasks import RepeatBlocks


def example():
    task = RepeatBlocks(2, 1, 2, 2, 2)
    inputs = np.zeros((1, 10, 3), np.float32)
    inputs[0, [0, 1, 5], :2] = [[1, 0], [0, 1], [1, 1]]
    inputs[0, [2, 6], 2] = 1
    mask = np.zeros((1, 10), np.float32)
    mask[0, [3, 4, 7]] = 1
    return task, tasks.Batch(inputs, task.solve(inputs), mask)


def test_each_block_is_answered_before_the_next():
    _, batch = example()
    answers = batch.targets[0][batch.mask[0] > 0]
    np.testing.assert_array_equal(answers, [[1, 0], [0, 1], [1, 1]])


def test_docstring_shows_the_example(assert_drawn_in_docstring):
    assert_drawn_in_docstring(*example())


def test_every_number_of_blocks_and_every_length_is_drawn():
    task = RepeatBlocks(num_bits=1, min_length=2, max_length=4, max_blocks=3)
    counts, lengths = set(), set()
    for sequence in task.sample(300, rng=1).inputs:
        ends = np.flatnonzero(sequence[:, 1])
        counts.add(len(ends))
        # A block of n vectors has its delimiter n steps after the block before has
        # been answered, and has n steps of answer.
        start = 0
        for end in ends:
            lengths.add(int(end) - start)
            start = 2 * int(end) + 1 - start
    assert (counts, lengths) == ({1, 2, 3}, {2, 3, 4})


@pytest.mark.parametrize(
    ("delimiters", "steps", "what"),
    [
        ([], 5, "has no delimiter"),
        ([2, 4], 9, "asks for a block during an answer"),
        ([2], 4, "ends before its answer"),
    ],
)
def test_other_sequences_are_refused(delimiters, steps, what):
    inputs = np.zeros((1, steps, 3))
    inputs[0, delimiters, 2] = 1
    message = f"must be sequences of the task repeat-blocks. Received one that {what}"
    with pytest.raises(ValueError, match=message):
        RepeatBlocks(2).solve(inputs)
