"""The stream of training sequences."""

import numpy as np
import pytest

import tasks
from tasks.contract.task import Batch
from tasks.registry import get_model
from tasks.runs import TrainingConfig
from tasks.training.data import TaskSequence, padded

TASK = tasks.Copy(2, 1, 3)


def test_data_depend_on_seed_epoch_and_index_only():
    sequence = TaskSequence(
        TASK, TrainingConfig(seed=5, sequences=16_000, batch_size=4)
    )
    first = sequence[7]
    _ = sequence[3]
    np.testing.assert_array_equal(sequence[7][0], first[0])
    sequence.epoch = 1
    assert (sequence[7][0] != first[0]).any()


def test_training_draws_with_sample_for_training():
    task = tasks.RepeatCopy(2, 2, 3, 1, 3, continue_rate=1.0)
    config = TrainingConfig(seed=5, sequences=800, batch_size=4)
    rng = np.random.default_rng([5, 0, 1])
    batch = TaskSequence(task, config)[7]  # sequences 28 to 31: of the second block
    for found, block in zip(batch, task.stream.sample(16, rng), strict=True):
        np.testing.assert_array_equal(found, block[12:])


def stream(task, batch_size, sequences, **options):
    """All sequences of a training, in order."""
    config = TrainingConfig(
        seed=5, sequences=sequences, batch_size=batch_size, **options
    ).resolved(task, get_model("ntm-lstm", task))
    batches = TaskSequence(task, config)
    drawn = []
    for batches.epoch in range(config.epochs):
        drawn += [batches[index] for index in range(len(batches))]
    return [np.concatenate(arrays) for arrays in zip(*drawn, strict=True)]


@pytest.mark.parametrize("batch_size", [1, 3, 8, 24, 100])
def test_sequences_do_not_depend_on_the_batch_size(batch_size):
    reference = stream(TASK, 16, 4800)
    for one, other in zip(stream(TASK, batch_size, 4800), reference, strict=True):
        assert len(one) == 4800
        np.testing.assert_array_equal(one, other)


@pytest.mark.parametrize(("batch_size", "count"), [(6, 3), (24, 2), (64, 4)])
def test_parts_of_processes_are_the_pieces_of_each_batch(batch_size, count):
    config = TrainingConfig(seed=5, sequences=4800, batch_size=batch_size)
    whole, *parts = (
        TaskSequence(TASK, config, part)
        for part in [(0, 1), *((index, count) for index in range(count))]
    )
    for index in (0, 1, 7):
        drawn = [part[index] for part in parts]
        for arrays, expected in zip(
            zip(*drawn, strict=True), whole[index], strict=True
        ):
            assert {len(array) for array in arrays} == {batch_size // count}
            np.testing.assert_array_equal(np.concatenate(arrays), expected)


def test_a_batch_that_a_task_draws_whole_is_cut_too():
    class InWhole(tasks.Stream):
        def batch(self, index, size, seed):
            return self.task.sample(size, [seed, index])

    class Whole(tasks.Copy):
        stream = tasks.Beside(InWhole)

    config = TrainingConfig(seed=5, sequences=800, batch_size=4)
    whole, second = (
        TaskSequence(Whole(2, 1, 3), config, part)[3] for part in ((0, 1), (1, 2))
    )
    for one, other in zip(second, whole, strict=True):
        np.testing.assert_array_equal(one, other[2:])


def test_blocks_of_other_processes_are_not_drawn(monkeypatch):
    drawn = []
    data = TaskSequence(
        TASK, TrainingConfig(seed=5, sequences=6400, batch_size=64), (1, 2)
    )
    draw = data._draw
    monkeypatch.setattr(data, "_draw", lambda block: drawn.append(block) or draw(block))
    _ = data[0], data[1]
    assert drawn == [2, 3, 6, 7]


def test_processes_must_divide_a_batch():
    with pytest.raises(
        ValueError,
        match="`batch_size` must be a multiple of 3, the number of processes. "
        "Received: batch_size=64",
    ):
        TaskSequence(TASK, TrainingConfig(sequences=6400, batch_size=64), (0, 3))


def test_no_two_blocks_are_the_same():
    inputs, _, _ = stream(tasks.Copy(8, 20, 20), 16, 4800)
    assert len(np.unique(inputs.reshape(4800, -1), axis=0)) == 4800


def test_a_curriculum_grows_to_all_sizes():
    task = tasks.Copy(1, 1, 20)
    _, _, mask = stream(task, 8, 16_000, curriculum=0.5)
    longest = mask.sum(axis=1).reshape(-1, 1600).max(axis=1)
    # One block in five has all sizes from the start.
    assert longest[-5:].tolist() == [20] * 5
    lengths = mask.sum(axis=1).reshape(10, -1)
    assert np.all(np.diff(lengths.mean(axis=1)[:5]) > 0)
    assert lengths[0].mean() < 5 < 9 < lengths[-1].mean()


def test_each_start_begins_with_small_sequences():
    task = tasks.Copy(1, 1, 20)
    options = {"starts": 3, "start_sequences": 1600, "curriculum": 0.5}
    _, _, mask = stream(task, 8, 16_000, **options)
    lengths = mask.sum(axis=1).reshape(10, -1).mean(axis=1)
    # The network that goes on has the first or second or third epoch, and then the
    # last seven; the curriculum ends with the fourth of these eight.
    assert np.all(lengths[:3] < 5)
    assert np.all(np.diff([*lengths[2:6]]) > 0)
    assert np.all(lengths[6:] > 9)


def test_targets_of_a_sequence_are_not_padded_even_if_as_wide_as_it_is_long():
    batch = Batch(np.ones((2, 5, 1)), np.ones((2, 5)), np.ones(2))
    longer = padded(batch, 8, every_step=False)
    assert longer.inputs.shape == (2, 8, 1)
    assert longer.targets.shape == (2, 5)
    assert padded(batch._replace(mask=np.ones((2, 5))), 8).targets.shape == (2, 8)


def test_batches_of_several_lengths_are_named():
    batch = Batch(np.ones((2, 9, 1)), np.ones((2, 9, 1)), np.ones((2, 9)))
    with pytest.raises(ValueError, match="batches of 8 and of 9 steps"):
        padded(batch, 8)
