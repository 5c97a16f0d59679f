import dataclasses

import numpy as np
import pytest

import tasks
from tasks import RepeatCopy
from tasks.registry import get_model


def example():
    task = RepeatCopy(2, max_length=2, max_repeats=2)
    inputs = np.zeros((1, 9, 4), np.float32)
    # Mean 5.5 and variance 8.25 of a number drawn evenly from 1 to 10.
    count = (2 - 5.5) / np.sqrt(8.25)
    inputs[0, :2, :2] = [[1, 0], [0, 1]]
    inputs[0, 2:4, 2:] = [[0, count], [1, 0]]
    mask = np.array([[0, 0, 0, 0, 1, 1, 1, 1, 1]], np.float32)
    return task, tasks.Batch(inputs, task.solve(inputs), mask)


def test_answer_is_the_vectors_again_and_again_and_the_end_marker():
    _, batch = example()
    answer = [[1, 0, 0], [0, 1, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1]]
    np.testing.assert_array_equal(batch.targets[0, 4:], answer)


def test_docstring_shows_the_example(assert_drawn_in_docstring):
    assert_drawn_in_docstring(*example())


def test_a_delimiter_without_a_count_is_refused():
    task, batch = example()
    with pytest.raises(ValueError, match="has no count before its delimiter"):
        task.solve(batch.inputs[:, 3:])


def test_every_length_and_count_is_drawn():
    task = RepeatCopy(2, 1, 3, 2, 4)
    inputs, targets, mask = task.sample(1000, rng=1)
    lengths = inputs[..., 2].argmax(axis=1) - 1
    repeats = (targets[..., 2].argmax(axis=1) - 2) / lengths - 1
    assert set(zip(lengths, repeats, strict=True)) == {
        (length, count) for length in (1, 2, 3) for count in (2, 3, 4)
    }
    np.testing.assert_array_equal(mask.sum(axis=1), lengths * repeats + 1)


def test_continued_rounds_have_all_vectors_but_the_first():
    task = RepeatCopy(2, 1, 3, 1, 4, continue_rate=1.0)
    batch = task.stream.sample(200, rng=1)
    paper = task.sample(200, rng=1)
    np.testing.assert_array_equal(batch.inputs, paper.inputs)
    for sequence, target, mask, end in zip(
        *batch, paper.targets[..., 2].argmax(axis=1), strict=True
    ):
        length = int(sequence[:, 2].argmax()) - 1
        wanted, asked = np.zeros_like(target), np.zeros_like(mask)
        step = length + 2
        for _ in range(4):  # rounds, whatever the count
            for place in range(length):
                if step < end or place > 0:
                    wanted[step, :2] = sequence[place, :2]
                    asked[step] = 1
                step += 1
        wanted[end, 2] = asked[end] = 1
        np.testing.assert_array_equal(target, wanted)
        np.testing.assert_array_equal(mask, asked)


@pytest.mark.parametrize("repeats", [(1, 10), (1, 20), (5, 5), (3, 4)])
@pytest.mark.parametrize("scale", [2, 10, 100])
def test_input_clip_leaves_the_counts_of_training(repeats, scale):
    task = RepeatCopy(2, 1, 2, *repeats, scale)
    largest = np.abs(task.sample(500, rng=1).inputs).max()
    for name in ("ntm-feedforward", "ntm-lstm"):
        assert largest <= get_model(name, task).input_clip < 2 * largest


def test_continue_rate_is_the_share_of_continued_sequences():
    task = RepeatCopy(2, 2, 3, 1, 3)
    paper = task.sample(4000, rng=1)
    trained = task.stream.sample(4000, rng=1)
    longer = (trained.mask != paper.mask).any(axis=1)
    # Sequences of the most repeats cannot continue.
    assert np.mean(longer) == pytest.approx(task.continue_rate * 2 / 3, abs=0.03)
    np.testing.assert_array_equal(trained.targets[~longer], paper.targets[~longer])
    none = dataclasses.replace(task, continue_rate=0.0).stream.sample(99, rng=1)
    for one, other in zip(none, task.sample(99, rng=1), strict=True):
        np.testing.assert_array_equal(one, other)


@pytest.mark.parametrize("share", [-0.1, 1.1, float("nan"), "a", None])
def test_continue_rate_must_be_a_share(share):
    with pytest.raises(ValueError, match="`continue_rate` must be"):
        RepeatCopy(continue_rate=share)


def test_counts_have_mean_0_and_variance_1_in_training():
    counts = RepeatCopy().sample(20_000, rng=1).inputs[..., 9].sum(axis=1)
    assert abs(counts.mean()) < 4 / np.sqrt(20_000)
    assert counts.var() == pytest.approx(1, abs=0.03)


def test_a_count_beyond_training_is_a_number_beyond_those_seen():
    task = RepeatCopy()
    seen = task.sample(1000, rng=1).inputs[..., 9]
    beyond = task.at_repeats(20).sample(1, rng=1).inputs[..., 9]
    assert beyond.max() > seen.max()
    assert task.at_repeats(20, length=3).size_ranges[0] == (3, 3)
