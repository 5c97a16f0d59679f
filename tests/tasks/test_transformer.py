"""The Transformer of `--model`: what it sees, and what it refuses."""

import numpy as np
import pytest

import tasks

SMALL = {"num_layers": 1, "layer_size": 4, "num_heads": 2}


def outputs_of(task, batch, **parameters):
    network = tasks.get_model("transformer", task, **SMALL, **parameters).build(task)
    return lambda inputs: np.asarray(network.predict_on_batch(inputs))


@pytest.mark.parametrize("positions", ["relative", "none"])
def test_padding_changes_nothing_and_every_other_step_does(positions):
    task = tasks.ReverseString(max_length=4)
    batch = task.evaluation.at_length(3).sample(2, 0)
    run = outputs_of(task, batch, positions=positions)
    longer = np.pad(batch.inputs, [(0, 0), (0, 5), (0, 0)])
    before = run(batch.inputs)
    np.testing.assert_allclose(run(longer)[:, :6], before, atol=1e-5)
    changed = batch.inputs.copy()
    changed[:, 2] = changed[:, 2, ::-1]
    assert (np.abs(run(changed) - before).max(axis=(0, 2)) > 1e-6).all()


def test_without_positions_only_what_was_read_counts():
    task = tasks.ReverseString(max_length=4)
    batch = task.evaluation.at_length(4).sample(2, 0)
    run = outputs_of(task, batch, positions="none")
    order = [2, 0, 3, 1]
    shuffled = batch.inputs.copy()
    shuffled[:, :4] = batch.inputs[:, order]
    found = run(shuffled)
    np.testing.assert_allclose(found[:, 4:], run(batch.inputs)[:, 4:], atol=1e-5)


@pytest.mark.parametrize("positions", ["relative", "none"])
def test_a_causal_one_sees_no_later_step(positions):
    task = tasks.Copy(2, 1, 3)
    batch = task.sample(2, 0)
    run = outputs_of(task, batch, positions=positions, causal=True)
    changed = batch.inputs.copy()
    changed[:, 4:] += 1
    before, after = run(batch.inputs), run(changed)
    np.testing.assert_allclose(before[:, :4], after[:, :4], atol=1e-5)
    assert np.abs(before[:, 4:] - after[:, 4:]).max() > 1e-6


@pytest.mark.once
@pytest.mark.parametrize(
    ("task", "message"),
    [
        ("copy", "`causal` must be True for the model transformer and the task copy"),
        ("adding", "must have a task of vectors or symbols with an answer at its"),
        ("memorization", "no texts that are written or read as a stream"),
        ("stories", "no texts that are written or read as a stream"),
    ],
)
def test_protocols_that_it_cannot_serve_are_refused(task, message):
    task = tasks.get_task(task)
    with pytest.raises(ValueError, match=message) as error:
        tasks.get_model("transformer", task).build(task)
    assert "\n" not in str(error.value)


@pytest.mark.once
def test_it_carries_no_state():
    model = tasks.get_model("transformer", causal=True, **SMALL)
    with pytest.raises(ValueError, match="`model` must treat each step"):
        tasks.train("copy", model, stateful=True, sequences=16, progress=False)


@pytest.mark.once
def test_heads_divide_the_width():
    with pytest.raises(ValueError, match="`layer_size` must be a multiple of the 3"):
        tasks.get_model("transformer", num_heads=3)
