"""What every algorithmic task promises."""

import dataclasses

import numpy as np
import pytest
from conformance.task_descriptors import small_tasks

from tasks import BitTask, get_task

SMALL = small_tasks(BitTask)
EXACT = [name for name, task in SMALL.items() if task.exact]
# Vectors come in, and an answer of vectors is due after them.
OF_VECTORS = [name for name in EXACT if hasattr(SMALL[name], "num_bits")]


@pytest.fixture(params=SMALL)
def task(request):
    return SMALL[request.param]


@pytest.fixture(params=EXACT)
def exact_task(request):
    return SMALL[request.param]


@pytest.fixture(params=OF_VECTORS)
def vectors_task(request):
    return SMALL[request.param]


def test_targets_are_the_solution_under_the_mask(exact_task):
    batch = exact_task.sample(32, rng=1)
    shown = batch.mask[..., None] > 0
    np.testing.assert_array_equal(
        np.where(shown, exact_task.solve(batch.inputs), 0), batch.targets
    )


def test_shapes_are_those_announced(task):
    inputs, targets, mask = task.sample(7, rng=1)
    steps = inputs.shape[1]
    assert inputs.shape == (7, steps, task.input_size)
    assert targets.shape == (7, steps, task.output_size)
    assert mask.shape == (7, steps)
    assert {inputs.dtype, targets.dtype, mask.dtype} == {np.dtype(np.float32)}


def test_same_seed_gives_same_batch(task):
    for one, two in zip(task.sample(4, rng=5), task.sample(4, rng=5), strict=True):
        np.testing.assert_array_equal(one, two)


def test_other_seed_gives_other_batch(task):
    assert (task.sample(4, rng=5).inputs != task.sample(4, rng=6).inputs).any()


def test_a_generator_gives_another_batch_each_time(task):
    rng = np.random.default_rng(5)
    assert (task.sample(4, rng).inputs != task.sample(4, rng).inputs).any()


def test_inputs_are_zero_while_the_answer_is_due(vectors_task):
    batch = vectors_task.sample(16, rng=2)
    assert not batch.inputs[batch.mask > 0].any()


def test_bits_are_fair(vectors_task):
    batch = vectors_task.sample(2000, rng=3)
    # The first two vectors of the answer, which every sequence has.
    steps = np.argsort(-batch.mask, axis=1, stable=True)[:, :2]
    answers = batch.targets[np.arange(2000)[:, None], steps, : vectors_task.num_bits]
    # Four standard deviations of a fair coin.
    assert abs(answers.mean() - 0.5) < 4 * 0.5 / np.sqrt(answers.size)


def test_at_length_draws_only_that_length(task):
    longer = task.evaluation.at_length(9)
    assert longer.size_ranges[0] == (9, 9)
    assert longer.input_size == task.input_size
    assert longer.sample(3, rng=1).inputs.shape[1] > task.sample(3, 1).inputs.shape[1]


@pytest.mark.parametrize("length", [0, -1, 2.5, "9", True])
def test_at_length_refuses_other_values(task, length):
    with pytest.raises(
        ValueError, match=r"must be (a positive integer|an integer of at least 2)\. Rec"
    ):
        task.evaluation.at_length(length)


@pytest.mark.parametrize("batch_size", [0, -1, 2.5, None])
def test_batch_size_must_be_positive(task, batch_size):
    with pytest.raises(ValueError, match="`batch_size` must be a positive integer"):
        task.sample(batch_size)


def test_lengths_beyond_the_largest_are_refused(task):
    with pytest.raises(ValueError, match="of at most 10000. Received"):
        task.evaluation.at_length(10**6)
    longest = task.evaluation.at_length(10_000)
    assert max(longest.eval_lengths) == 10_000


def test_every_parameter_is_checked(task):
    for field in dataclasses.fields(task):
        kind = "a.* integer" if field.type is int else "a finite number"
        with pytest.raises(ValueError, match=f"`{field.name}` must be {kind}"):
            dataclasses.replace(task, **{field.name: 0 if field.type is int else -1})


def test_batches_to_train_with_have_the_form_of_the_others(task):
    trained, drawn = task.stream.sample(5, rng=1), task.sample(5, rng=1)
    for one, other in zip(trained, drawn, strict=True):
        assert one.shape == other.shape
        assert one.dtype == other.dtype
    assert not trained.targets[trained.mask == 0].any()
    for one, other in zip(trained, task.stream.sample(5, rng=1), strict=True):
        np.testing.assert_array_equal(one, other)
    with pytest.raises(ValueError, match="`batch_size` must be"):
        task.stream.sample(0)


def test_evaluation_goes_beyond_training(task):
    assert max(task.eval_lengths) > task.size[0]


def test_render_marks_exactly_the_wrong_bits(task):
    batch = task.sample(2, rng=1)
    logits = batch.targets * 2 - 1
    assert "x" not in task.presentation.render(batch, logits)
    step = int(np.flatnonzero(batch.mask[1])[0])
    logits[1, step, 0] *= -1
    first, second = task.presentation.render(batch, logits).split("\n\n")
    assert "x" not in first
    assert second.count("x") == 1


def test_unknown_task_is_refused_with_the_names_that_exist():
    with pytest.raises(
        ValueError,
        match="two-sequence, or registered first: tasks.register_task, .*task='sort'",
    ):
        get_task("sort")
