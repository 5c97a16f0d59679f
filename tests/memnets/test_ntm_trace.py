"""Traces of the memory and the heads of a Neural Turing Machine."""

import keras
import numpy as np
import pytest
import reference
from keras import ops
from layer_weights import ntm_initial_state, ntm_weights
from ntm_layers import (
    CONTROLLERS,
    EPSILONS,
    MASK,
    PAPER_TOLERANCE,
    B,
    N,
    T,
    W,
    assert_same_state,
    ntm,
    sequences,
    twin,
    unbuilt_ntm,
)

import memnets


def step_by_step(layer, inputs, mask=None):
    """The named states after every step, stacked along the time axis."""
    states, after = layer.cell.get_initial_state(batch_size=len(inputs)), []
    for step in range(inputs.shape[1]):
        _, new = layer.cell(inputs[:, step], states)
        if mask is not None:
            new = [
                ops.where(mask[:, step, None], x, prev_x)
                for x, prev_x in zip(new, states, strict=True)
            ]
        states = new
        after.append(layer.cell.unpack(states))
    return keras.tree.map_structure(lambda *parts: np.stack(parts, 1), *after)


@pytest.mark.parametrize("controller", ["lstm", "feedforward"])
def test_trace_equals_the_cell_run_step_by_step(controller):
    layer = ntm(controller=controller, num_read_heads=2, num_write_heads=3)
    assert_same_state(
        layer.trace(sequences()), step_by_step(layer, sequences()), atol=1e-5
    )


def test_trace_under_a_mask_repeats_the_previous_state():
    layer = ntm()
    mask = MASK | (np.arange(T) == 0)
    assert_same_state(
        layer.trace(sequences(), mask=mask),
        step_by_step(layer, sequences(), mask),
        atol=1e-5,
    )


@pytest.mark.once
def test_trace_under_a_mask_of_the_first_step_holds_the_initial_state():
    layer = ntm()
    assert_same_state(
        layer.trace(sequences(), mask=MASK),
        step_by_step(layer, sequences(), MASK),
        atol=1e-5,
    )


@pytest.mark.once
def test_trace_ends_in_the_state_that_the_layer_returns():
    layer = ntm(return_state=True)
    _, *states = layer(sequences())
    last = keras.tree.map_structure(lambda x: x[:, -1], layer.trace(sequences()))
    assert_same_state(last, layer.cell.unpack(states), atol=1e-5)


def test_trace_starts_from_the_initial_state_passed_in():
    layer = ntm(return_state=True)
    _, *state = layer(sequences()[:, :2])
    actual = layer.trace(sequences()[:, 2:], initial_state=state)
    expected = layer.trace(sequences())
    assert_same_state(
        actual, keras.tree.map_structure(lambda x: x[:, 2:], expected), atol=1e-5
    )


@pytest.mark.once
def test_trace_of_a_backward_layer_is_in_the_order_of_processing():
    layer = ntm()
    backwards = twin(layer, go_backwards=True)
    assert_same_state(
        backwards.trace(sequences()), layer.trace(sequences()[:, ::-1]), atol=1e-5
    )


@pytest.mark.once
def test_trace_builds_a_new_layer():
    trace = unbuilt_ntm().trace(sequences())
    assert tuple(trace.memory.shape) == (B, T, N, W)


@pytest.mark.once
def test_trace_leaves_the_state_of_a_stateful_layer():
    layer = twin(ntm(), stateful=True)
    layer(sequences())
    before = [np.array(state) for state in layer.states]
    layer.trace(sequences())
    assert_same_state(layer.states, before, 0)


@pytest.mark.once
def test_trace_weightings_are_weightings():
    weightings = np.asarray(ntm(num_read_heads=3).trace(sequences()).weightings)
    assert np.all(weightings >= 0)
    np.testing.assert_allclose(weightings.sum(axis=-1), 1.0, atol=1e-5)


@CONTROLLERS
@pytest.mark.parametrize("go_backwards", [False, True])
def test_traced_heads_are_those_of_the_paper(controller, control, go_backwards):
    layer = ntm(controller=controller, num_write_heads=2, go_backwards=go_backwards)
    addressing_params, write_params = layer.trace_heads(
        sequences()[:, ::-1] if go_backwards else sequences()
    )
    traced = {**addressing_params._asdict(), **write_params._asdict()}
    weights = ntm_weights(layer.cell)
    for b, sequence in enumerate(sequences()):
        start = ntm_initial_state(layer.cell)
        run = (weights, control, layer.cell.shift_range, *EPSILONS)
        states = [start, *reference.ntm_run(sequence, start, *run)[1]]
        for t, state in enumerate(states[:-1]):
            joined = np.concatenate([sequence[t], state.reads.ravel()])
            hidden, _ = control(joined, state.controller, weights.controller)
            kernel, bias = weights.heads
            parameters = reference.head_parameters(hidden @ kernel + bias, 1, 2, W, 1)
            for name, values in parameters._asdict().items():
                np.testing.assert_allclose(
                    traced[name][b, t], values, atol=PAPER_TOLERANCE, err_msg=name
                )


def assert_close(actual, expected):
    # `trace_memory` is one compiled call, which rounds otherwise than `trace`.
    np.testing.assert_allclose(actual, expected, rtol=1e-5, atol=1e-6)


def test_traced_memory_has_the_parts_of_the_trace():
    layer = ntm(num_read_heads=2, num_write_heads=3)
    trace, state = layer.trace_memory(sequences()), layer.trace(sequences())
    assert [head.name for head in trace.heads] == [
        *("write head 1", "write head 2", "write head 3"),
        *("read head 1", "read head 2"),
    ]
    assert [head.kind for head in trace.heads] == ["write"] * 3 + ["read"] * 2
    assert_close(trace.memory, state.memory)
    _, write_params = layer.trace_heads(sequences())
    for i, head in enumerate(trace.heads[:3]):
        assert_close(head.vectors, write_params.add[:, :, i])
        assert_close(head.weighting, state.weightings[:, :, 2 + i])
    for i, head in enumerate(trace.heads[3:]):
        assert_close(head.vectors, state.reads[:, :, i])
        assert_close(head.weighting, state.weightings[:, :, i])


@pytest.mark.once
def test_single_heads_have_no_number():
    trace = ntm().trace_memory(sequences())
    assert [head.name for head in trace.heads] == ["write head", "read head"]


@pytest.mark.once
def test_traced_memory_is_made_of_arrays_of_numpy():
    trace = ntm(dtype="mixed_bfloat16").trace_memory(sequences())
    arrays = [trace.memory, *(part for head in trace.heads for part in head[2:])]
    assert {type(array) for array in arrays} == {np.ndarray}
    assert {array.dtype.name for array in arrays} == {"float32"}


@pytest.mark.once
def test_only_layers_with_a_memory_can_be_traced():
    assert isinstance(ntm(), memnets.TraceableMemory)
    assert not isinstance(memnets.StackedLSTM(2), memnets.TraceableMemory)


@pytest.mark.once
@pytest.mark.parametrize(
    ("layer_class", "go_backwards"),
    # All turn their steps in the same lines.
    [
        (memnets.NTM, False),
        (memnets.NTM, True),
        (memnets.DNC, True),
        (memnets.LRUA, False),
        (memnets.StackRNN, True),
        (memnets.TapeRNN, False),
    ],
)
def test_traced_memory_under_a_mask_is_that_of_the_other_steps(
    layer_class, go_backwards
):
    sizes = {"depth": 5} if layer_class is memnets.StackRNN else {"memory_size": 5}
    layer = layer_class(3, **sizes, go_backwards=go_backwards)
    inputs = sequences()[:1]
    mask = np.array([[True, False, True, True, False, False]])[:, : inputs.shape[1]]
    trace = layer.trace_memory(inputs, mask=mask)
    short = layer.trace_memory(inputs[:, mask[0]])
    seen = mask[0][::-1] if go_backwards else mask[0]
    np.testing.assert_allclose(trace.memory[:, seen], short.memory, atol=1e-6)
    for head, like in zip(trace.heads, short.heads, strict=True):
        for values, right in zip(head[2:], like[2:], strict=True):
            np.testing.assert_allclose(values[:, seen], right, atol=1e-6)
            assert np.isnan(values[:, ~seen]).all()
    for values, right in zip(
        [*trace.row_values, *trace.step_values],
        [*short.row_values, *short.step_values],
        strict=True,
    ):
        np.testing.assert_allclose(values[1][:, seen], right[1], atol=1e-6)
        assert np.isnan(values[1][:, ~seen]).all()
    after = np.flatnonzero(~seen[1:]) + 1  # the memory stays
    np.testing.assert_array_equal(trace.memory[:, after], trace.memory[:, after - 1])
    parameters = layer.trace_heads(inputs, mask=mask)
    for values in filter(lambda x: x is not None, keras.tree.flatten(parameters)):
        assert np.isnan(ops.convert_to_numpy(values)[:, ~seen]).all()
    kept = keras.tree.map_structure(
        lambda x: x if x is None else ops.convert_to_numpy(x)[:, seen], parameters
    )
    keras.tree.map_structure(
        lambda x, y: x is None or np.testing.assert_allclose(x, y, atol=1e-6),
        kept,
        layer.trace_heads(inputs[:, mask[0]]),
    )
