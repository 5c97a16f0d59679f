"""Traces of a Differentiable Neural Computer."""

import keras
import numpy as np
import pytest
from dnc_layers import (
    MASK,
    OPTIONS,
    B,
    N,
    T,
    W,
    assert_same_state,
    dnc,
    sequences,
    twin,
)
from keras import ops

import memnets

# What records is that of the NTM, whose traces are tested on both backends.
pytestmark = pytest.mark.once


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
    return keras.tree.map_structure(
        lambda *parts: None if parts[0] is None else np.stack(parts, 1), *after
    )


# With each option, tests/memnets/test_dnc.py has the states that are traced.
@pytest.mark.parametrize("name", ["plain", "no links", "many heads, all"])
def test_trace_equals_the_cell_run_step_by_step(name):
    layer = dnc(**OPTIONS[name])
    assert_same_state(
        layer.trace(sequences()), step_by_step(layer, sequences()), atol=1e-5
    )


@pytest.mark.once
def test_trace_under_a_mask_repeats_the_previous_state():
    layer = dnc()
    assert_same_state(
        layer.trace(sequences(), mask=MASK),
        step_by_step(layer, sequences(), MASK),
        atol=1e-5,
    )


@pytest.mark.once
def test_trace_ends_in_the_state_that_the_layer_returns():
    layer = dnc(return_state=True)
    _, *states = layer(sequences())
    last = keras.tree.map_structure(lambda x: x[:, -1], layer.trace(sequences()))
    assert_same_state(last, layer.cell.unpack(states), atol=1e-5)


@pytest.mark.once
def test_trace_of_a_backward_layer_is_in_the_order_of_processing():
    layer = dnc()
    backwards = twin(layer, go_backwards=True)
    reverse = sequences()[:, ::-1]
    assert_same_state(backwards.trace(sequences()), layer.trace(reverse), atol=1e-5)
    assert_same_state(
        backwards.trace_heads(sequences()), layer.trace_heads(reverse), atol=1e-5
    )


@pytest.mark.once
@pytest.mark.parametrize("name", ["plain", "many heads, no links", "many heads, all"])
def test_traced_heads_explain_the_traced_usage(name):
    """Usage after each step follows from the state before it and the free gates."""
    layer = dnc(**OPTIONS[name])
    read, _ = layer.trace_heads(sequences())
    state, readers = layer.trace(sequences()), layer.cell.num_read_heads
    free, weightings, usage = map(
        np.asarray, (read.free_gate, state.weightings, state.usage)
    )
    kept = np.prod(1 - free[:, 1:] * weightings[:, :-1, :readers], axis=2)
    written = 1 - np.prod(1 - weightings[:, :-1, readers:], axis=2)
    expected = (usage[:, :-1] + (1 - usage[:, :-1]) * written) * kept
    np.testing.assert_allclose(usage[:, 1:], expected, atol=1e-5)


def assert_close(actual, expected):
    # `trace_memory` is one compiled call, which rounds otherwise than `trace`.
    np.testing.assert_allclose(actual, expected, rtol=1e-5, atol=1e-6)


@pytest.mark.once
def test_traced_memory_has_the_parts_of_the_trace():
    layer = dnc(num_read_heads=2, num_write_heads=3)
    trace, state = layer.trace_memory(sequences()), layer.trace(sequences())
    read, write = layer.trace_heads(sequences())
    assert [head.name for head in trace.heads] == [
        *("write head 1", "write head 2", "write head 3"),
        *("read head 1", "read head 2"),
    ]
    assert_close(trace.memory, state.memory)
    for i, head in enumerate(trace.heads[:3]):
        assert_close(head.vectors, write.add[:, :, i])
        assert_close(head.weighting, state.weightings[:, :, 2 + i])
    for i, head in enumerate(trace.heads[3:]):
        assert_close(head.vectors, state.reads[:, :, i])
        assert_close(head.weighting, state.weightings[:, :, i])
    ((title, usage),) = trace.row_values
    assert title == "usage"
    assert_close(usage, state.usage)
    values = dict(trace.step_values)
    for i in range(2):
        mode = values[f"read head {i + 1}\nbackward,\ncontent,\nforward"]
        assert_close(mode, read.mode[:, :, i])
    for kind, gate in (
        ("allocation", write.allocation_gate),
        ("write", write.write_gate),
        ("free", read.free_gate),
    ):
        gates = values[f"{kind} gates"]
        assert_close(gates, np.asarray(gate)[..., 0])


@pytest.mark.once
def test_traced_memory_without_links_has_no_read_modes():
    trace = dnc(links=False).trace_memory(sequences())
    assert [title for title, _ in trace.step_values] == [
        *("allocation gates", "write gates", "free gates")
    ]


@pytest.mark.once
def test_traced_memory_is_made_of_arrays_of_numpy():
    layer = dnc(dtype="mixed_bfloat16")
    trace = layer.trace_memory(sequences())
    values = [array for _, array in trace.row_values + trace.step_values]
    arrays = [trace.memory, *values, *(x for head in trace.heads for x in head[2:])]
    assert {type(array) for array in arrays} == {np.ndarray}
    assert {array.dtype.name for array in arrays} == {"float32"}
    assert trace.memory.shape == (B, T, N, W)
    assert isinstance(layer, memnets.TraceableMemory)
