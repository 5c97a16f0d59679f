"""Memories with least recently used access against the paper."""

import lrua_reference
import numpy as np
import pytest
from arrays import weighting
from both_paths import BOTH_PATHS, path
from dnc_layers import (
    CONTROLLERS,
    assert_double_precision_is_kept,
    assert_same_state,
    double_precision,
)
from layer_weights import ntm_weights, randomise

import memnets
from memnets.lrua import rules
from memnets.memory import addressing

B, T, F, N, W = 3, 6, 3, 7, 4
MASK = np.array([[1, 1, 1, 1, 1, 0], [0, 1, 1, 0, 1, 1], [1, 1, 0, 0, 0, 0]], bool)
OPTIONS = {
    "paper": {},
    "one head": {"num_read_heads": 1},
    "every row": {"num_read_heads": N},
    "strengths": {"strengths": True, "decay": 0.5},
    "both": {"strengths": True, "separate_add": True, "decay": 0.0},
}
EACH_OPTION = pytest.mark.parametrize("name", OPTIONS)


def sequences(batch_size=B, time=T, seed=0):
    rng = np.random.default_rng(seed)
    return rng.standard_normal((batch_size, time, F)).astype("float32")


def lrua(**changes):
    sizes = {
        "memory_size": N,
        "word_size": W,
        "num_read_heads": 2,
        "controller_size": 5,
    }
    layer = memnets.LRUA(2, **{**sizes, **changes})
    layer.build((B, None, F))
    return randomise(layer)


def run_oracle(layer, control, inputs):
    """Outputs `(B, T, units)` and the states of every example and step."""
    cell = layer.cell
    start = cell.unpack(cell.get_initial_state(batch_size=1))
    first = [np.asarray(part, "float64")[0] for part in start[2:]]
    controller = tuple(np.asarray(part, "float64")[0] for part in start.controller)
    options = lrua_reference.Options(
        cell.num_read_heads, W, cell.decay, cell.strengths, cell.separate_add
    )
    runs = [
        lrua_reference.lrua_run(
            np.asarray(sequence, "float64"),
            lrua_reference.LRUAState(controller, *first),
            ntm_weights(cell),
            control,
            options,
            addressing.NORM_EPSILON,
        )
        for sequence in inputs
    ]
    return np.array([outputs for outputs, _ in runs]), [states for _, states in runs]


# --- the formulas ---


def test_usage_agrees_with_the_paper():
    before = np.random.default_rng(0).uniform(size=(B, N)).astype("float32")
    read, write = weighting(1, B, 2, N), weighting(2, B, 2, N)
    expected = [
        lrua_reference.update_usage(*each, 0.9)
        for each in zip(before, read, write, strict=True)
    ]
    actual = rules.update_usage(before, read, write, 0.9)
    np.testing.assert_allclose(actual, expected, atol=1e-6)


@pytest.mark.parametrize("count", [1, 3, N])
def test_least_used_rows_agree_with_the_paper(count):
    # Few values: equal ones are among them, of which the first comes first.
    usage = np.random.default_rng(0).integers(0, 3, (20, N)).astype("float32")
    rows = np.asarray(rules.least_used_weighting(usage, count))
    assert set(np.unique(rows)) <= {0.0, 1.0} and (rows.sum(axis=2) == 1).all()
    expected = [lrua_reference.least_used(each, count) for each in usage]
    np.testing.assert_array_equal(rows.argmax(axis=2), expected)


def test_rows_of_the_paper_are_those_up_to_the_nth_smallest_usage():
    usage = np.random.default_rng(1).uniform(size=(20, N)).astype("float32")
    rows = np.asarray(rules.least_used_weighting(usage, 3)).sum(axis=1)
    bound = np.sort(usage, axis=1)[:, 2:3]
    np.testing.assert_array_equal(rows, usage <= bound)  # eq. 6


@pytest.mark.once
def test_more_heads_than_rows_is_an_error():
    with pytest.raises(ValueError, match="at most the number of rows, 3. Received: nu"):
        rules.least_used_weighting(np.zeros((1, 3)), 4)
    with pytest.raises(ValueError, match="at most `memory_size`. Received: num_read_h"):
        memnets.LRUA(2, memory_size=3, num_read_heads=4)


@pytest.mark.parametrize("row_axis", [1, 2])
def test_write_agrees_with_the_paper(row_axis):
    rng = np.random.default_rng(0)
    memory = rng.standard_normal((B, N, W)).astype("float32")
    add = rng.standard_normal((B, 2, W)).astype("float32")
    gate = rng.uniform(size=(B, 2, 1)).astype("float32")
    usage, before = rng.uniform(size=(B, N)).astype("float32"), weighting(1, B, 2, N)
    free = rules.least_used_weighting(usage, 2)
    write = rules.write_weighting(before, free, gate)
    moved = memory if row_axis == 1 else memory.swapaxes(1, 2)
    actual = rules.write(moved, write, add, free, row_axis=row_axis)
    for b in range(B):
        rows = lrua_reference.least_used(usage[b], 2)
        written = [
            lrua_reference.write_weighting(before[b, h], rows[h], float(gate[b, h, 0]))
            for h in range(2)
        ]
        expected = lrua_reference.write(memory[b], written, add[b], rows)
        new = np.asarray(actual)[b]
        np.testing.assert_allclose(new if row_axis == 1 else new.T, expected, atol=1e-6)


@pytest.mark.once
def test_gate_of_zero_replaces_the_least_used_row_and_no_other():
    memory, add = np.ones((1, N, W)), np.full((1, 1, W), 5.0)
    free = np.eye(N)[[[3]]]
    write = rules.write_weighting(np.full((1, 1, N), 1 / N), free, np.zeros((1, 1, 1)))
    new = np.asarray(rules.write(memory, write, add, free))[0]
    np.testing.assert_array_equal(new[3], add[0, 0])
    np.testing.assert_array_equal(np.delete(new, 3, 0), np.ones((N - 1, W)))


# --- the layer ---


@CONTROLLERS
@EACH_OPTION
def test_outputs_and_states_agree_with_the_paper(controller, control, name):
    with double_precision():
        layer = lrua(
            controller=controller,
            initial_memory="random",
            return_sequences=True,
            dtype="float64",
            **OPTIONS[name],
        )
        inputs = sequences().astype("float64")
        outputs, states = run_oracle(layer, control, inputs)
        trace = layer.trace(inputs)
        np.testing.assert_allclose(trace.output, outputs, atol=1e-6, rtol=0)
        for part in ("reads", "weightings", "usage", "memory"):
            expected = [[getattr(step, part) for step in steps] for steps in states]
            np.testing.assert_allclose(
                getattr(trace, part), expected, atol=1e-6, rtol=1e-6, err_msg=part
            )


@pytest.mark.parametrize("name", ["paper", "both"])
def test_double_precision_is_kept(name):
    assert_double_precision_is_kept(
        lrua, run_oracle, sequences(), controller_size=None, **OPTIONS[name]
    )


@BOTH_PATHS
@CONTROLLERS
@pytest.mark.parametrize(
    "name",
    # On every backend, the states above are compared for each.
    [
        name if name == "both" else pytest.param(name, marks=pytest.mark.once)
        for name in OPTIONS
    ],
)
def test_outputs_in_single_precision_agree_with_the_paper(
    compiled, controller, control, name
):
    # Its memory begins at zero.
    layer = lrua(controller=controller, return_sequences=True, **OPTIONS[name])
    expected, _ = run_oracle(layer, control, sequences())
    with path(compiled):
        np.testing.assert_allclose(layer(sequences()), expected, atol=1e-4)


@pytest.mark.once
def test_masked_steps_leave_the_memory_and_its_usage_unchanged():
    layer = lrua()
    masked = layer.trace(sequences(), mask=MASK)
    kept = layer.trace(sequences()[1:2][:, MASK[1]])
    last = [np.asarray(part)[1:2, -1] for part in masked[2:]]
    assert_same_state(last, [np.asarray(part)[:, -1] for part in kept[2:]], 1e-5)
    np.testing.assert_array_equal(masked.usage[1, 0], np.zeros(N))


@pytest.mark.once
def test_rows_are_taken_in_turn_where_heads_write_to_the_least_used():
    layer = lrua(num_read_heads=1)
    kernel, bias = layer.cell.heads.get_weights()
    bias[W] = -100.0  # the gate: never the rows that were read
    layer.cell.heads.set_weights([0 * kernel, bias])
    trace = layer.trace(sequences(time=N))
    written = np.asarray(trace.weightings)[:, :, 1]
    np.testing.assert_array_equal(written.argmax(axis=2), [range(N)] * B)


@pytest.mark.once
def test_traced_memory_shows_usage_and_gates():
    # `trace_memory` is one compiled call, which rounds otherwise than `trace`.
    layer = lrua()
    trace, state = layer.trace_memory(sequences()), layer.trace(sequences())
    _, write = layer.trace_heads(sequences())
    assert [head.name for head in trace.heads] == [
        *("write head 1", "write head 2", "read head 1", "read head 2")
    ]
    np.testing.assert_allclose(
        trace.heads[1].vectors, write.add[:, :, 1], rtol=1e-5, atol=1e-6
    )
    np.testing.assert_allclose(
        trace.heads[1].weighting, state.weightings[:, :, 3], rtol=1e-5, atol=1e-6
    )
    np.testing.assert_allclose(
        trace.heads[3].weighting, state.weightings[:, :, 1], rtol=1e-5, atol=1e-6
    )
    ((_, usage),) = trace.row_values
    np.testing.assert_allclose(usage / (1 - usage), state.usage, rtol=1e-5)
    ((_, gates),) = trace.step_values
    np.testing.assert_allclose(
        gates, np.asarray(write.gate)[..., 0], rtol=1e-5, atol=1e-6
    )


@pytest.mark.once
@pytest.mark.parametrize("decay", [1.0, -0.1, float("nan"), "0.5"])
def test_decay_must_be_a_share_below_one(decay):
    with pytest.raises(
        ValueError, match="`decay` must be a finite number at least 0 and b"
    ):
        memnets.LRUA(2, decay=decay)
