import numpy as np
import pytest

import tasks
from tasks import Copy


def test_answer_is_the_sequence_one_step_after_the_delimiter():
    inputs, targets, mask = Copy(2, 3, 3).sample(1, rng=0)
    np.testing.assert_array_equal(inputs[0, :, 2], [0, 0, 0, 1, 0, 0, 0])
    np.testing.assert_array_equal(mask[0], [0, 0, 0, 0, 1, 1, 1])
    np.testing.assert_array_equal(targets[0, 4:], inputs[0, :3, :2])


def test_every_length_in_the_range_is_drawn():
    lengths = Copy(2, 3, 6).sample(500, rng=1).mask.sum(axis=1)
    assert set(lengths) == {3, 4, 5, 6}


def test_batches_have_one_shape():
    shapes = {Copy(2, 1, 6).sample(2, rng=seed).inputs.shape for seed in range(20)}
    assert shapes == {(2, 13, 3)}


def test_render_draws_a_line_for_each_channel():
    inputs = np.zeros((1, 7, 3), np.float32)
    inputs[0, :4] = [[1, 0, 0], [0, 1, 0], [1, 1, 0], [0, 0, 1]]
    task = Copy(2, 1, 3)
    mask = np.array([[0, 0, 0, 0, 1, 1, 1]], np.float32)
    drawn = task.presentation.render(tasks.Batch(inputs, task.solve(inputs), mask))
    assert drawn.splitlines() == [
        "sequence 0",
        "   input  0 █·█····",
        "          1 ·██····",
        "          2 ···█···",
        "  target  0     █·█",
        "          1     ·██",
    ]


def test_shortest_must_not_exceed_longest():
    with pytest.raises(ValueError, match="`min_length` must be at most"):
        Copy(8, 5, 4)


def test_same_seed_gives_the_same_batch_in_every_version():
    # Not from an oracle: drawn once with NumPy 2.4, so that a seed repeats a run.
    inputs = Copy(4, 2, 2).sample(1, rng=7).inputs
    assert inputs[0, :2, :4].tolist() == [[1, 1, 1, 1], [1, 1, 1, 0]]


def test_blank_rate_is_the_share_of_further_blank_vectors_in_training():
    task = Copy(16, 8, 8, blank_rate=0.25)  # blank by chance: one in 65,536
    inputs, targets, mask = task.stream.sample(500, rng=0)
    blank = ~inputs[:, :8, :16].any(axis=2)
    assert blank.mean() == pytest.approx(0.25, abs=0.03)
    # Still sequences of the task: the delimiter is there, and the answer is right.
    assert (inputs[:, 8, 16] == 1.0).all()
    np.testing.assert_array_equal(targets, task.solve(inputs))
    np.testing.assert_array_equal(mask.sum(axis=1), 8)


def test_blank_vectors_are_in_training_only():
    task = Copy(16, 8, 8, blank_rate=1.0)
    assert task.sample(9, rng=1).inputs[:, :8, :16].any(axis=2).all()
    batch = next(task.evaluation.eval_batches(9, np.random.default_rng(1)))
    assert batch.inputs[:, :8, :16].any(axis=2).all()
    assert not task.stream.sample(9, rng=1).targets.any()


def test_without_a_blank_rate_training_is_the_task_itself():
    task = Copy(4, 1, 6, blank_rate=0.0)
    for ours, plain in zip(
        task.stream.sample(9, rng=1), task.sample(9, rng=1), strict=True
    ):
        np.testing.assert_array_equal(ours, plain)


@pytest.mark.parametrize("share", [-0.1, 1.1, float("nan")])
def test_blank_rate_must_be_a_share(share):
    with pytest.raises(ValueError, match="`blank_rate` must be"):
        Copy(blank_rate=share)
