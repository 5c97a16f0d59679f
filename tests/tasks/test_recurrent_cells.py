"""The recurrent cells of the package as models of `--model`."""

import numpy as np
import pytest

import tasks
from memnets import cells

CELLS = {
    "elman": cells.ElmanCell,
    "jordan": cells.JordanCell,
    "leaky-rnn": cells.LeakyRNNCell,
    "clockwork-rnn": cells.ClockworkRNNCell,
    "delayed-rnn": cells.DelayedRNNCell,
    "deep-transition-rnn": cells.DeepTransitionRNNCell,
    "peephole-lstm": cells.PeepholeLSTMCell,
}
BOTH_WAYS = ("blstm", "bgru")


def outputs_of(network, inputs):
    return np.asarray(network(inputs, training=False))


@pytest.mark.parametrize("name", CELLS)
def test_a_model_runs_its_cell_and_sees_no_later_step(name):
    task = tasks.Copy(2, 1, 3)
    network = tasks.get_model(name, task, units=8).build(task)
    found = [type(layer.cell) for layer in network.layers if hasattr(layer, "cell")]
    assert found == [CELLS[name]]
    batch = task.sample(2, 0)
    changed = batch.inputs.copy()
    changed[:, 4:] += 1
    before, after = (outputs_of(network, i) for i in (batch.inputs, changed))
    assert before.shape == batch.targets.shape
    np.testing.assert_allclose(before[:, :4], after[:, :4], atol=1e-6)
    assert np.abs(before[:, 4:] - after[:, 4:]).max() > 1e-6


@pytest.mark.parametrize("name", BOTH_WAYS)
def test_both_ends_are_read_and_the_padding_is_not(name):
    task = tasks.ReverseString(max_length=4)
    network = tasks.get_model(name, task, units=8).build(task)
    batch = task.evaluation.at_length(3).sample(2, 0)
    before = outputs_of(network, batch.inputs)
    longer = np.pad(batch.inputs, [(0, 0), (0, 5), (0, 0)])
    np.testing.assert_allclose(outputs_of(network, longer)[:, :6], before, atol=1e-6)
    changed = batch.inputs.copy()
    changed[:, -1] += 1
    assert (np.abs(outputs_of(network, changed) - before).max(axis=(0, 2)) > 0).all()


@pytest.mark.parametrize("name", [*CELLS, *BOTH_WAYS])
def test_an_answer_at_the_end_is_read_there(name):
    task = tasks.Adding(min_steps=10)
    network = tasks.get_model(name, task, units=8).build(task)
    batch = task.sample(3, 0)
    assert outputs_of(network, batch.inputs).shape == batch.targets.shape


@pytest.mark.once
@pytest.mark.parametrize(
    ("name", "parameters", "message"),
    [
        ("clockwork-rnn", {"units": 10}, "`units` must be a multiple of the 8 modules"),
        ("deep-transition-rnn", {"depth": 1}, "`depth` must be"),
        ("leaky-rnn", {"slowest": 1.0}, "`slowest` must be"),
        ("delayed-rnn", {"delay": 0}, "`delay` must be"),
        ("jordan", {"self_connection": 2.0}, "`self_connection` must be"),
        ("elman", {"truncated": 1}, "`truncated` must be"),
    ],
)
def test_parameters_out_of_range_are_named(name, parameters, message):
    with pytest.raises((ValueError, TypeError), match=message):
        tasks.get_model(name, **parameters)


@pytest.mark.once
@pytest.mark.parametrize("name", BOTH_WAYS)
def test_both_ends_are_refused_where_answers_would_be_seen(name):
    task = tasks.get_task("copy")
    with pytest.raises(ValueError, match="must have a task whose answer comes after"):
        tasks.get_model(name, task).build(task)
