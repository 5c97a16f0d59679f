"""Sparse access memories against the paper."""

import numpy as np
import pytest
import reference
import sam_reference
from arrays import normal, weighting
from cases import once
from dnc_layers import CONTROLLERS, assert_double_precision_is_kept, double_precision
from gradients import gradient
from keras import ops
from layer_weights import ntm_weights, randomise

import memnets
from memnets.memory import addressing
from memnets.sam import row_choice, rules

B, T, F, N, W, R, K = 3, 6, 3, 8, 4, 2, 3
MASK = np.array([[1, 1, 1, 1, 1, 0], [0, 1, 1, 0, 1, 1], [1, 1, 0, 0, 0, 0]], bool)
OPTIONS = {
    "two heads": {},
    "one head, one row": {"num_read_heads": 1, "num_rows_read": 1},
    "every row": {"num_rows_read": N},
    "heads as rows": {"num_read_heads": N, "num_rows_read": 2},
    # So few rows that all buckets are looked at.
    "by an index": {"search": "hashing"},
}
# JAX compiles each operation: it takes seconds to run what follows.
EACH_OPTION = pytest.mark.parametrize(
    "name",
    [
        name
        if name in ("two heads", "by an index")
        else pytest.param(name, marks=pytest.mark.once)
        for name in OPTIONS
    ],
)


def sequences(batch_size=B, time=T, seed=0):
    return normal(seed, batch_size, time, F)


def sam(**changes):
    sizes = {
        "memory_size": N,
        "word_size": W,
        "num_read_heads": R,
        "num_rows_read": K,
        "controller_size": 5,
    }
    layer = memnets.SAM(2, **{**sizes, **changes})
    layer.build((B, None, F))
    return randomise(layer)


def run_oracle(layer, control, inputs):
    """Outputs `(B, T, units)` and the states of every example and step."""
    cell = layer.cell
    start = cell.unpack(cell.get_initial_state(batch_size=1))
    memory = np.asarray(start.memory, "float64")[0]
    heads = cell.num_read_heads
    first = sam_reference.SAMState(
        tuple(np.asarray(part, "float64")[0] for part in start.controller),
        np.zeros((heads, W)),
        np.zeros((2 * heads, N)),
        np.zeros(N),
        memory,
    )
    options = sam_reference.Options(heads, cell.num_rows_read, W)
    runs = [
        sam_reference.sam_run(
            np.asarray(sequence, "float64"),
            first,
            ntm_weights(cell),
            control,
            options,
            addressing.NORM_EPSILON,
        )
        for sequence in inputs
    ]
    return np.array([outputs for outputs, _ in runs]), [states for _, states in runs]


def arrays_of_rows():
    """A memory, keys, and key strengths."""
    memory, key = normal(0, B, N, W), normal(1, B, R, W)
    memory[:, 5] = 0.0  # a row without a direction
    return memory, key, 1.0 + np.abs(normal(2, B, R, 1))


# --- the formulas ---


@pytest.mark.parametrize("count", [once(1), K, once(N)])
def test_nearest_rows_and_their_weights_agree_with_the_paper(count):
    memory, key, beta = arrays_of_rows()
    rows = row_choice.nearest_rows(memory, key, count)
    words, same = rules.take_rows(memory, rows)
    np.testing.assert_array_equal(same, memory)
    weights = rules.sparse_weighting(words, key, beta)
    read = np.asarray(rules.read(words, weights))
    rows, weights = np.asarray(rows), np.asarray(weights)
    for b, r in np.ndindex(B, R):
        arguments = (memory[b].astype("float64"), key[b, r].astype("float64"))
        epsilon = addressing.NORM_EPSILON
        assert rows[b, r].tolist() == sam_reference.nearest(*arguments, count, epsilon)
        expected = sam_reference.sparse_weighting(
            *arguments, float(beta[b, r, 0]), count, epsilon
        )
        np.testing.assert_allclose(weights[b, r], expected[rows[b, r]], atol=1e-5)
        average = reference.read(memory[b], expected)
        np.testing.assert_allclose(read[b, r], average, atol=1e-5)


@pytest.mark.parametrize("at_once", [4, 5])
def test_rows_are_compared_part_by_part(monkeypatch, at_once):
    memory, key, _ = arrays_of_rows()
    memory[:, 2] = memory[:, 6]  # equal rows in two parts
    expected = row_choice.nearest_rows(memory, key, N)
    monkeypatch.setattr(row_choice, "NUMBERS_AT_ONCE", at_once * W)
    rows = row_choice.nearest_rows(memory, key, 4)
    np.testing.assert_array_equal(rows, np.asarray(expected)[:, :, :4])


@pytest.mark.once
def test_of_equal_rows_the_first_is_nearest():
    rows = row_choice.nearest_rows(np.ones((1, 5, 2)), np.ones((1, 1, 2)), 3)
    assert np.asarray(rows).tolist() == [[[0, 1, 2]]]


def test_gradient_reaches_the_chosen_rows_only():
    _, key, beta = arrays_of_rows()
    memory = normal(0, B, N, W)  # beside zero, the differences below are too coarse
    rows = np.asarray(row_choice.nearest_rows(memory, key, K))

    def loss(memory, key, beta):
        words, memory = rules.take_rows(memory, rows)
        weights = rules.sparse_weighting(words, key, beta)
        later = ops.sum(memory[:, 0])  # the memory goes on to the next step
        return ops.sum(ops.square(rules.read(words, weights))) + later

    with double_precision():
        arguments = [array.astype("float64") for array in (memory, key, beta)]
        gradients = gradient(loss, *arguments)
        for index, array in enumerate(arguments):
            direction = np.random.default_rng(index).standard_normal(array.shape)
            above, below = (
                loss(
                    *arguments[:index],
                    array + step * direction,
                    *arguments[index + 1 :],
                )
                for step in (1e-5, -1e-5)
            )
            np.testing.assert_allclose(
                np.sum(gradients[index] * direction),
                (float(above) - float(below)) / 2e-5,
                rtol=1e-6,
                atol=1e-8,
            )
    touched = np.zeros((B, N), bool)
    touched[:, 0] = True
    for b in range(B):
        touched[b, rows[b].ravel()] = True
    assert not touched.all()
    np.testing.assert_array_equal(np.any(gradients[0], axis=2), touched)


@pytest.mark.parametrize("dtype", ["float32", "float16", "int32"])
def test_least_recent_rows_agree_with_the_paper(dtype):
    # Few values: equal ones are among them, of which the first comes first.
    last = np.random.default_rng(0).integers(0, 4, (20, N)).astype(dtype)
    rows = np.asarray(row_choice.least_recent_rows(last, 3))
    expected = [sam_reference.least_recent(5 - each, 3) for each in last]
    np.testing.assert_array_equal(rows, expected)


def written():
    """A memory, what to write to it, and the memory that the paper writes."""
    memory, add = normal(0, B, N, W), normal(1, B, R, W)
    gate, write_gate = np.random.default_rng(0).random((2, B, R, 1), "float32")
    prev = weighting(3, B, R, K)
    rows = np.array([[[0, 1, 2, 4], [2, 3, 7, 6]]] * B)  # 2: both heads
    free = rows[:, :, K]
    weights = rules.write_weights(prev, gate, write_gate)
    memories = []
    for b in range(B):
        weightings = []
        for r in range(R):
            dense = np.zeros(N)
            dense[rows[b, r, :K]] = prev[b, r]
            weightings.append(
                sam_reference.write_weighting(
                    dense, free[b, r], float(gate[b, r, 0]), float(write_gate[b, r, 0])
                )
            )
            actual = np.zeros(N)
            actual[rows[b, r]] = weights[b, r]
            np.testing.assert_allclose(actual, weightings[-1], atol=1e-6)
        memories.append(sam_reference.write(memory[b], weightings, add[b], free[b]))
    return (memory, rows, weights, add, free), np.array(memories)


def test_write_agrees_with_the_paper():
    arguments, expected = written()
    np.testing.assert_allclose(rules.write(*arguments), expected, atol=1e-6)


def test_no_gradient_reaches_what_was_erased():
    (memory, rows, weights, add, free), _ = written()

    def loss(memory, weights, add):
        new = rules.write(memory, rows, weights, add, free)
        return ops.sum(ops.multiply(new, factors))

    factors = normal(5, B, N, W)
    of_memory, of_weights, of_add = gradient(loss, memory, np.asarray(weights), add)
    expected = factors.copy()
    for b in range(B):
        expected[b, free[b]] = 0.0
    np.testing.assert_array_equal(of_memory, expected)
    each = factors[np.arange(B)[:, None, None], rows]  # (B, R, K + 1, W)
    np.testing.assert_allclose(
        of_weights, np.einsum("brlw,brw->brl", each, add), atol=1e-5
    )
    np.testing.assert_allclose(
        of_add, np.einsum("brlw,brl->brw", each, np.asarray(weights)), atol=1e-5
    )


@pytest.mark.once
def test_access_is_what_all_heads_give_together():
    last = np.array([[3.0, 1.0, 0.0, 2.0]], "float32")
    rows = np.array([[0, 1, 1, 2, 3, 0]])
    weights = np.array([[0.004, 0.003, 0.003, 0.005, 0.9, 0.0]], "float32")
    new = rules.update_access(last, rows, weights, np.array([[7.0]], "float32"))
    # Row 1 by two heads, row 3 by one. 0.005 itself is not above the threshold.
    np.testing.assert_array_equal(new, [[3.0, 7.0, 0.0, 7.0]])


# --- the layer ---


@CONTROLLERS
@EACH_OPTION
def test_outputs_and_states_agree_with_the_paper(controller, control, name):
    with double_precision():
        layer = sam(
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
        actual = {
            "reads": trace.reads,
            "memory": trace.memory,
            "weightings": layer.cell.memory.weightings(trace),
            "usage": np.asarray(trace.step) - np.asarray(trace.last_access),
        }
        for part, values in actual.items():
            expected = [[getattr(step, part) for step in steps] for steps in states]
            np.testing.assert_allclose(values, expected, atol=1e-6, err_msg=part)


@pytest.mark.parametrize("name", [once("two heads"), "by an index"])
def test_double_precision_is_kept(name):
    assert_double_precision_is_kept(
        sam, run_oracle, sequences(), controller_size=None, **OPTIONS[name]
    )


@pytest.mark.once
def test_masked_steps_leave_the_memory_and_its_accesses_unchanged():
    layer = sam()
    masked = layer.trace(sequences(), mask=MASK)
    kept = layer.trace(sequences()[1:2][:, MASK[1]])
    for name in ("reads", "read_rows", "write_weights", "last_access", "memory"):
        last = np.asarray(getattr(masked, name))[1, -1]
        expected = np.asarray(getattr(kept, name))[0, -1]
        np.testing.assert_allclose(last, expected, atol=1e-5, err_msg=name)


@pytest.mark.once
def test_rows_are_taken_in_turn_where_heads_write_and_hardly_read():
    layer = sam(num_read_heads=1, num_rows_read=1)
    kernel, bias = layer.cell.heads.get_weights()
    gate = 2 * W + 1
    bias[gate:] = -100.0, 100.0  # never the rows that were read; all that is added
    # Each reads the row that it has just written.
    kernel[:, :W], bias[:W] = 0.0, 1.0
    kernel[:, W + 1 : gate], bias[W + 1 : gate] = 0.0, 1.0
    layer.cell.heads.set_weights([kernel, bias])
    trace = layer.trace(sequences(time=N))
    np.testing.assert_array_equal(
        np.asarray(trace.write_rows)[:, :, 0, 1], [range(N)] * B
    )


@pytest.mark.once
def test_biases_decide_where_heads_write_first():
    layer = memnets.SAM(2, memory_size=N, beta_bias=3.0, gate_bias=-50.0)
    layer.build((B, None, F))
    read, write = layer.trace_heads(0 * sequences(time=1))
    np.testing.assert_allclose(read.beta, 1 + np.log1p(np.exp(3.0)), rtol=0.2)
    np.testing.assert_allclose(write.gate, 0.0, atol=1e-6)
    np.testing.assert_allclose(write.write_gate, 1 / (1 + np.exp(-2)), rtol=0.2)
    # Nothing comes in: the controller is silent, and the biases are all there is.
    np.testing.assert_array_equal(read.key, 0 * np.asarray(read.key))


@pytest.mark.once
def test_numbers_of_rows_are_exact_in_bfloat16():
    layer = sam(memory_size=1000, dtype="mixed_bfloat16", return_sequences=True)
    assert layer(sequences()).dtype == "bfloat16"
    exact = sam(memory_size=1000, return_sequences=True)
    np.testing.assert_array_equal(
        layer.trace(sequences()).last_access, exact.trace(sequences()).last_access
    )


@pytest.mark.once
def test_traced_memory_shows_weightings_accesses_and_gates():
    # `trace_memory` is one compiled call, which rounds otherwise than `trace`.
    layer = sam()
    trace, state = layer.trace_memory(sequences()), layer.trace(sequences())
    _, write = layer.trace_heads(sequences())
    assert [head.name for head in trace.heads] == [
        *("write head 1", "write head 2", "read head 1", "read head 2")
    ]
    np.testing.assert_allclose(
        trace.heads[1].vectors, write.add[:, :, 1], rtol=1e-5, atol=1e-6
    )
    np.testing.assert_allclose(trace.heads[3].weighting.sum(axis=2), 1, atol=1e-6)
    assert (np.count_nonzero(trace.heads[3].weighting, axis=2) == K).all()
    ((_, age),) = trace.row_values
    expected = np.asarray(state.step) - np.asarray(state.last_access)
    np.testing.assert_allclose(age / (1 - age), expected, rtol=1e-5)
    (_, how_much), (_, before) = trace.step_values
    np.testing.assert_allclose(
        how_much, np.asarray(write.write_gate)[..., 0], rtol=1e-5, atol=1e-6
    )
    np.testing.assert_allclose(
        before, np.asarray(write.gate)[..., 0], rtol=1e-5, atol=1e-6
    )


@pytest.mark.once
@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (
            {"num_rows_read": 4},
            "`num_rows_read` must be at most `memory_size`. Received: num_rows_read=4, "
            "memory_size=3",
        ),
        (
            {"num_read_heads": 4, "num_rows_read": 1},
            "`num_read_heads` must be at most `memory_size`. Received: "
            "num_read_heads=4, memory_size=3",
        ),
        (
            {"num_rows_read": 0},
            "`num_rows_read` must be a positive integer. Received: num_rows_read=0",
        ),
        (
            {"memory_size": 2**24 + 1},
            "`memory_size` must be at most 16,777,216. Received: memory_size=16777217",
        ),
        (
            {"search": "trees", "num_rows_read": 1},
            "`search` must be one of 'exact', 'hashing'. Received: search='trees'",
        ),
    ],
)
def test_sizes_that_do_not_fit_are_an_error(arguments, message):
    with pytest.raises(ValueError) as error:
        memnets.SAM(2, **{"memory_size": 3, **arguments})
    assert str(error.value) == message


@pytest.mark.once
def test_more_rows_than_there_are_is_an_error():
    with pytest.raises(ValueError, match="`count` must be at most the number of rows,"):
        row_choice.nearest_rows(np.ones((1, 3, 2)), np.ones((1, 1, 2)), 4)
    with pytest.raises(ValueError, match="number of rows, 3. Received: count=4"):
        row_choice.least_recent_rows(np.zeros((1, 3)), 4)


@pytest.mark.once
def test_large_words_have_weights_in_float16():
    words, key = np.full((1, 1, 2, 3), 300.0), np.full((1, 1, 3), 300.0)
    weights = rules.sparse_weighting(
        *(ops.convert_to_tensor(x, "float16") for x in (words, key, np.ones((1, 1, 1))))
    )
    np.testing.assert_array_equal(ops.convert_to_numpy(weights), [[[0.5, 0.5]]])
