"""The Neural Turing Machine against the paper, and its state."""

import numpy as np
import pytest
import reference
from both_paths import BOTH_PATHS
from dnc_layers import double_precision, logistic_controller
from layer_weights import ntm_initial_state, ntm_weights
from ntm_layers import (
    CONTROLLERS,
    EPSILONS,
    PAPER_TOLERANCE,
    B,
    F,
    N,
    T,
    W,
    assert_same_state,
    ntm,
    sequences,
    twin,
)

import memnets
from memnets import native


def run_oracle(layer, control, inputs):
    """Outputs and last states of each example, computed by the oracle."""
    runs = [
        reference.ntm_run(
            sequence,
            ntm_initial_state(layer.cell),
            ntm_weights(layer.cell),
            control,
            layer.cell.shift_range,
            *EPSILONS,
        )
        for sequence in inputs
    ]
    return np.array([outputs for outputs, _ in runs]), [s[-1] for _, s in runs]


@CONTROLLERS
@pytest.mark.parametrize("num_heads", [pytest.param(1, marks=pytest.mark.once), 3])
@pytest.mark.parametrize("shift_range", [0, 1, 2])
def test_outputs_agree_with_the_paper(controller, control, num_heads, shift_range):
    layer = ntm(
        controller=controller,
        num_read_heads=num_heads,
        num_write_heads=num_heads,
        shift_range=shift_range,
        return_sequences=True,
    )
    expected, _ = run_oracle(layer, control, sequences())
    np.testing.assert_allclose(layer(sequences()), expected, atol=PAPER_TOLERANCE)


def test_double_precision_is_kept():
    with double_precision():
        layer = ntm(
            controller=logistic_controller(),
            memory_size=7,  # the share of a row is no power of two
            num_read_heads=2,
            return_sequences=True,
            dtype="float64",
        )
        inputs = sequences().astype("float64")
        expected, last = run_oracle(layer, reference.logistic_step, inputs)
        np.testing.assert_allclose(layer(inputs), expected, atol=1e-12, rtol=0)
        memory = layer.trace_memory(inputs[:1]).memory[0, -1]
        np.testing.assert_allclose(memory, last[0].memory, atol=1e-12, rtol=0)
        start = layer.cell.unpack(layer.cell.get_initial_state(batch_size=1))
        np.testing.assert_allclose(start.weightings, np.full((1, 3, 7), 1 / 7), 1e-15)


@CONTROLLERS
@pytest.mark.parametrize("name", ["reads", "weightings", "memory"])
def test_last_state_agrees_with_the_paper(controller, control, name):
    layer = ntm(
        controller=controller, num_read_heads=2, num_write_heads=3, return_state=True
    )
    _, *state = layer(sequences())
    _, expected = run_oracle(layer, control, sequences())
    np.testing.assert_allclose(
        getattr(layer.cell.unpack(state), name),
        [getattr(last, name) for last in expected],
        atol=PAPER_TOLERANCE,
    )


@pytest.mark.parametrize(
    "sizes",
    [
        pytest.param({"memory_size": 1, "shift_range": 0}, id="N=1"),
        pytest.param({"memory_size": 5, "shift_range": 2}, id="N=2K+1"),
        pytest.param({"word_size": 1}, id="W=1", marks=pytest.mark.once),
        pytest.param(
            {"units": 1, "controller_size": 1}, id="units=1", marks=pytest.mark.once
        ),
    ],
)
def test_smallest_sizes_agree_with_the_paper(sizes):
    layer = ntm(controller="feedforward", return_sequences=True, **sizes)
    inputs = sequences(batch_size=1, time=2)
    expected, _ = run_oracle(layer, reference.feedforward_step, inputs)
    np.testing.assert_allclose(layer(inputs), expected, atol=PAPER_TOLERANCE)


def test_one_step_of_one_example_agrees_with_the_paper():
    layer = ntm(controller="lstm", return_sequences=True)
    inputs = sequences(batch_size=1, time=1)
    expected, _ = run_oracle(layer, reference.lstm_step, inputs)
    np.testing.assert_allclose(layer(inputs), expected, atol=PAPER_TOLERANCE)


@pytest.mark.parametrize(
    "controller", ["feedforward", pytest.param("lstm", marks=pytest.mark.once)]
)
@BOTH_PATHS
def test_inputs_are_clipped_to_the_bound(controller, compiled):
    layer = ntm(controller=controller, input_clip=0.5, return_sequences=True)
    free = twin(layer, input_clip=None)
    inputs = sequences()
    assert inputs.min() < -0.5 < 0.5 < inputs.max()
    clipped = np.minimum(np.maximum(inputs, -0.5), 0.5)
    native.set_enabled(compiled)
    try:
        for run in (lambda layer, x: layer(x), memnets.NTM.trace):
            assert_same_state(run(layer, inputs), run(free, clipped))
    finally:
        native.set_enabled(True)
    assert_same_state(layer.trace_heads(inputs), free.trace_heads(clipped))


@BOTH_PATHS
def test_integer_inputs_are_clipped_too(compiled):
    layer = ntm(input_clip=1.5)
    numbers = np.random.default_rng(0).integers(-3, 4, (B, T, F))
    native.set_enabled(compiled)
    try:
        expected = layer(numbers.astype("float32"))
        np.testing.assert_array_equal(layer(numbers.astype("int32")), expected)
    finally:
        native.set_enabled(True)


@pytest.mark.once
def test_unpack_names_the_parts_of_a_state():
    layer = ntm(num_read_heads=2, num_write_heads=3, return_state=True)
    output, *states = layer(sequences())
    state = layer.cell.unpack(states)
    np.testing.assert_array_equal(state.output, output)
    assert [tuple(x.shape) for x in state.controller] == [(B, 6), (B, 6)]
    assert tuple(state.reads.shape) == (B, 2, W)
    assert tuple(state.weightings.shape) == (B, 5, N)
    assert tuple(state.memory.shape) == (B, N, W)


@pytest.mark.once
def test_pack_undoes_unpack():
    layer = ntm(num_read_heads=2, num_write_heads=3, return_state=True)
    _, *states = layer(sequences())
    again = layer.cell.pack(layer.cell.unpack(states))
    for actual, expected in zip(again, states, strict=True):
        np.testing.assert_array_equal(actual, expected)


@pytest.mark.once
def test_unpack_keeps_a_time_axis():
    cell = ntm(num_read_heads=2).cell
    states = [np.zeros((B, T, size), "float32") for size in cell.state_size]
    assert tuple(cell.unpack(states).memory.shape) == (B, T, N, W)


@pytest.mark.once
def test_states_have_the_sizes_of_state_size():
    layer = ntm(num_read_heads=2, num_write_heads=3, return_state=True)
    output, *states = layer(sequences())
    assert [tuple(x.shape) for x in states] == [(B, n) for n in layer.cell.state_size]


@pytest.mark.once
def test_read_vectors_are_the_memory_under_the_read_weightings():
    layer = ntm(num_read_heads=2, num_write_heads=3, return_state=True)
    _, *states = layer(sequences())
    state = layer.cell.unpack(states)
    expected = np.asarray(state.weightings)[:, :2] @ np.asarray(state.memory)
    np.testing.assert_allclose(state.reads, expected, atol=1e-5)
