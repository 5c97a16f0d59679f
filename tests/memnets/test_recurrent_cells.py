"""Each recurrent cell against the equations of its paper and its limit cases.

In float64 and with the outputs of all steps, so that a term in a wrong place shows.
"""

import keras
import numpy as np
import pytest
from gradients import layer_gradients
from keras import ops

import memnets
from memnets import cells

# Its oracles need float64, which JAX computes in only if it is told to.
pytestmark = pytest.mark.once

BATCH_SIZE, TIME, FEATURES, UNITS = 3, 7, 4, 6
RNG = np.random.default_rng(5)
INPUTS = RNG.standard_normal((BATCH_SIZE, TIME, FEATURES))


def make(cell_class, *arguments, **keywords):
    """A layer of all steps around a cell, with weights that are not small."""
    cell = cell_class(*arguments, dtype="float64", **keywords)
    layer = memnets.MemoryRNN(
        cell, return_sequences=True, return_state=True, dtype="float64"
    )
    layer.build((None, None, FEATURES))
    for variable in layer.variables:
        if "seed" not in variable.path:
            variable.assign(RNG.normal(0, 0.5, variable.shape))
    return layer


def outputs(layer, inputs=INPUTS, **keywords):
    return np.asarray(layer(inputs, **keywords)[0])


def assert_same(actual, expected):
    np.testing.assert_allclose(actual, expected, rtol=0, atol=1e-10)


def weights(layer):
    return {v.name: np.asarray(v) for v in layer.cell.variables}


def simple_rnn(kernel, recurrent_kernel, bias, inputs=INPUTS, start=None, **keywords):
    """Outputs of `keras.layers.SimpleRNN` with the given weights."""
    layer = keras.layers.SimpleRNN(
        len(recurrent_kernel), return_sequences=True, dtype="float64", **keywords
    )
    layer.build(inputs.shape)
    layer.set_weights([kernel, recurrent_kernel, bias])
    state = None if start is None else ops.convert_to_tensor(start)
    return np.asarray(layer(inputs, initial_state=state))


def sigmoid(x):
    return 1 / (1 + np.exp(-x))


# --- starts ---


def test_first_step_without_a_term_is_a_simple_rnn():
    layer = make(cells.FirstStepRNNCell, UNITS)
    w = weights(layer)
    layer.cell.first_term.assign(np.zeros(UNITS))
    expected = simple_rnn(w["kernel"], w["recurrent_kernel"], w["bias"])
    assert_same(outputs(layer), expected)


def test_the_term_of_the_first_step_stands_for_a_start():
    layer = make(cells.FirstStepRNNCell, UNITS)
    w = weights(layer)
    start = RNG.standard_normal(UNITS)
    layer.cell.first_term.assign(start @ w["recurrent_kernel"])
    expected = simple_rnn(
        w["kernel"],
        w["recurrent_kernel"],
        w["bias"],
        start=np.tile(start, (BATCH_SIZE, 1)),
    )
    assert_same(outputs(layer), expected)


def test_a_learned_start_is_an_initial_state():
    layer = make(cells.LearnedStart, keras.layers.LSTMCell(UNITS, dtype="float64"))
    plain = keras.layers.RNN(layer.cell.cell, return_sequences=True, dtype="float64")
    starts = [np.tile(np.asarray(s), (BATCH_SIZE, 1)) for s in layer.cell.starts]
    assert len(starts) == 2 and np.abs(starts).min() > 0
    states = [ops.convert_to_tensor(start) for start in starts]
    assert_same(outputs(layer), plain(INPUTS, initial_state=states))
    for start in layer.cell.starts:
        start.assign(np.zeros(UNITS))
    assert_same(outputs(layer), plain(INPUTS))


def test_the_gradient_of_a_start_is_summed_over_the_batch():
    """That of the initial state, once a sequence."""
    layer = make(cells.LearnedStart, keras.layers.GRUCell(UNITS, dtype="float64"))

    def loss(sequences, *_):
        return ops.sum(ops.square(sequences))

    whole = layer_gradients(layer, loss, INPUTS)
    each = [layer_gradients(layer, loss, INPUTS[i : i + 1]) for i in range(BATCH_SIZE)]
    [path] = [path for path in whole if path.endswith("start_0")]
    assert_same(whole[path], sum(gradients[path] for gradients in each))
    assert np.abs(whole[path]).min() > 1e-6


def test_a_start_of_its_own_is_added_to():
    """A cell that begins elsewhere keeps its start while the weights are zero."""
    cell = cells.LearnedStart(cells.FirstStepRNNCell(UNITS))
    layer = keras.layers.RNN(cell)
    layer.build((None, None, FEATURES))
    cell.cell.first_term.assign(np.full(UNITS, 0.5))
    _, term = cell.get_initial_state(2)
    assert_same(term, np.full((2, UNITS), 0.5))


# --- what recurs ---


def test_elman_is_a_simple_rnn_of_logistic_units():
    layer = make(cells.ElmanCell, UNITS)
    w = weights(layer)
    expected = simple_rnn(
        w["kernel"], w["recurrent_kernel"], w["bias"], activation="sigmoid"
    )
    assert_same(outputs(layer), expected)


def test_a_diagonal_context_is_a_diagonal_matrix():
    layer = make(cells.ElmanCell, UNITS, diagonal=True, activation="tanh")
    w = weights(layer)
    diagonal = np.diag(w["recurrent_kernel"][0])
    assert_same(outputs(layer), simple_rnn(w["kernel"], diagonal, w["bias"]))


def test_truncated_elman_has_the_gradient_of_a_network_without_time():
    """Of a layer that takes the context as an input which is given."""
    layer = make(cells.ElmanCell, UNITS, truncated=True)
    factors = RNG.standard_normal((BATCH_SIZE, TIME, UNITS))
    found = layer_gradients(
        layer, lambda y, *_: ops.sum(ops.multiply(y, factors)), INPUTS
    )
    hidden = outputs(layer)
    context = np.concatenate([np.zeros((BATCH_SIZE, 1, UNITS)), hidden[:, :-1]], axis=1)
    delta = factors * hidden * (1 - hidden)
    expected = {
        "kernel": np.einsum("bti,btj->ij", INPUTS, delta),
        "recurrent_kernel": np.einsum("bti,btj->ij", context, delta),
        "bias": delta.sum(axis=(0, 1)),
    }
    for path, gradient in found.items():
        assert_same(gradient, expected[path.rpartition("/")[2]])


def jordan(w, mu, inputs, targets=None):
    """The outputs of Jordan's network; `targets` replace them in the context."""
    outputs = w["output_bias"].size
    y, c = np.zeros((2, len(inputs), outputs))
    found = []
    for t in range(inputs.shape[1]):
        c = mu * c + (y if targets is None else targets[:, t])
        h = np.tanh(inputs[:, t] @ w["kernel"] + c @ w["context_kernel"] + w["bias"])
        y = h @ w["output_kernel"] + w["output_bias"]
        found.append(y)
    return np.stack(found, axis=1)


@pytest.mark.parametrize("mu", [0, 0.5, 1])
def test_jordan_sees_a_trace_of_its_outputs(mu):
    layer = make(cells.JordanCell, UNITS, 2, self_connection=mu)
    assert_same(outputs(layer), jordan(weights(layer), mu, INPUTS))


def test_jordan_without_context_weights_is_a_network_without_time():
    layer = make(cells.JordanCell, UNITS, 2)
    layer.cell.context_kernel.assign(np.zeros((2, UNITS)))
    w = weights(layer)
    hidden = np.tanh(INPUTS @ w["kernel"] + w["bias"])
    assert_same(outputs(layer), hidden @ w["output_kernel"] + w["output_bias"])


def test_jordan_that_is_forced_with_its_own_outputs_runs_freely():
    forced = make(cells.JordanCell, UNITS, 2, teacher_forcing=True)
    free = memnets.MemoryRNN(
        cells.JordanCell(UNITS, 2, dtype="float64"),
        return_sequences=True,
        return_state=True,
        dtype="float64",
    )
    free.build((None, None, FEATURES - 2))
    free.set_weights(forced.get_weights())
    own = INPUTS[..., : FEATURES - 2]
    wanted = outputs(free, own)
    shifted = np.concatenate([np.zeros((BATCH_SIZE, 1, 2)), wanted[:, :-1]], axis=1)
    both = np.concatenate([own, shifted], axis=-1)
    assert_same(outputs(forced, both), wanted)
    targets = RNG.standard_normal((BATCH_SIZE, TIME, 2))
    forced_by = np.concatenate([own, targets], axis=-1)
    assert_same(outputs(forced, forced_by), jordan(weights(forced), 0.5, own, targets))


def test_jordan_needs_inputs_beside_the_targets():
    cell = cells.JordanCell(3, FEATURES, teacher_forcing=True)
    with pytest.raises(ValueError, match="must hold features before the targets"):
        cell.build((None, FEATURES))


# --- products ---


def test_a_symbol_chooses_the_matrix_of_a_tensor_rnn():
    layer = make(cells.TensorRNNCell, UNITS)
    w = weights(layer)
    matrices = w["recurrent_kernel"].reshape(UNITS, FEATURES, UNITS)
    symbols = RNG.integers(0, FEATURES, (BATCH_SIZE, TIME))
    hidden = np.zeros((BATCH_SIZE, UNITS))
    found = outputs(layer, np.eye(FEATURES)[symbols])
    for t in range(TIME):
        for b, symbol in enumerate(symbols[:, t]):
            values = w["kernel"][symbol] + hidden[b] @ matrices[:, symbol] + w["bias"]
            hidden[b] = np.tanh(values)
        assert_same(found[:, t], hidden)


def test_a_tensor_rnn_of_one_feature_of_ones_is_a_simple_rnn():
    cell = cells.TensorRNNCell(UNITS, dtype="float64")
    layer = keras.layers.RNN(cell, return_sequences=True, dtype="float64")
    ones = np.ones((2, TIME, 1))
    found = layer(ones)
    w = {v.name: np.asarray(v) for v in cell.variables}
    expected = simple_rnn(w["kernel"], w["recurrent_kernel"], w["bias"], ones)
    assert_same(found, expected)


def test_enough_factors_make_a_tensor_rnn():
    tensor = make(cells.TensorRNNCell, UNITS)
    factored = make(cells.MultiplicativeRNNCell, UNITS, FEATURES * UNITS, use_bias=True)
    w = weights(tensor)
    matrices = w["recurrent_kernel"].reshape(UNITS, FEATURES, UNITS)
    choose = np.kron(np.eye(FEATURES), np.ones((1, UNITS)))
    factored.cell.kernel.assign(np.hstack([choose, w["kernel"]]))
    factored.cell.factor_kernel.assign(np.tile(np.eye(UNITS), (1, FEATURES)))
    factored.cell.recurrent_kernel.assign(
        np.vstack([matrices[:, m] for m in range(FEATURES)])
    )
    factored.cell.bias.assign(w["bias"])
    assert_same(outputs(factored), outputs(tensor))


@pytest.mark.parametrize(
    ("units", "factors", "published"), [(350, 350, 335_386), (1500, 1500, 4_887_086)]
)
def test_multiplicative_rnn_has_as_many_weights_as_the_paper_counts(
    units, factors, published
):
    """With an output layer to 86 symbols; the paper has 4.9 million of the second."""
    cell = cells.MultiplicativeRNNCell(units, factors)
    cell.build((None, 86))
    own = sum(np.prod(v.shape) for v in cell.trainable_variables)
    assert own + units * 86 + 86 == published


# --- time scales ---


def test_leaky_units_of_time_constant_1_are_a_simple_rnn():
    layer = make(cells.LeakyRNNCell, UNITS)
    w = weights(layer)
    expected = simple_rnn(w["kernel"], w["recurrent_kernel"], w["bias"])
    assert_same(outputs(layer), expected)


def test_leaky_units_approach_a_constant_drive_exponentially():
    constants = (1, 2, 5, 10, 50, 300)
    layer = make(cells.LeakyRNNCell, UNITS, time_constants=constants, activation=None)
    layer.cell.kernel.assign(np.zeros((FEATURES, UNITS)))
    layer.cell.recurrent_kernel.assign(np.zeros((UNITS, UNITS)))
    drive = weights(layer)["bias"]
    steps = np.arange(1, TIME + 1)[:, None]
    expected = drive * (1 - (1 - 1 / np.array(constants)) ** steps)
    assert_same(outputs(layer)[0], expected)


@pytest.mark.parametrize("learned", [False, True])
def test_time_constants_are_drawn_log_uniformly(learned):
    keras.utils.set_random_seed(1)
    cell = cells.LeakyRNNCell(
        500, time_constants=("log-uniform", 2, 50), learned=learned
    )
    cell.build((None, 1))
    assert len(cell.trainable_variables) == 3 + learned
    drawn = np.asarray(cell._time_constants())
    assert 2 <= drawn.min() < 2.1 and 48 < drawn.max() <= 50.001
    # Half of them are below the geometric mean.
    assert np.mean(drawn < 10) == pytest.approx(0.5, abs=0.05)


def test_learned_time_constants_begin_as_given_and_have_gradients():
    layer = make(cells.LeakyRNNCell, UNITS, time_constants=4.0, learned=True)
    fresh = cells.LeakyRNNCell(UNITS, time_constants=4.0, learned=True)
    fresh.build((None, FEATURES))
    np.testing.assert_allclose(np.asarray(fresh._time_constants()), 4, rtol=1e-5)
    gradients = layer_gradients(layer, lambda y, *_: ops.sum(y), INPUTS)
    [found] = [g for path, g in gradients.items() if path.endswith("time_weight")]
    assert np.abs(found).min() > 0


@pytest.mark.parametrize(
    "value", [0.5, (1, 2), ("log-uniform", 5, 2), ("uniform", 1, 2, 3, 4, 5), "slow"]
)
def test_time_constants_out_of_range_are_errors(value):
    with pytest.raises(ValueError, match="^`time_constants` must be "):
        cells.LeakyRNNCell(UNITS, time_constants=value)


def test_clockwork_of_one_module_that_always_moves_is_a_simple_rnn():
    layer = make(cells.ClockworkRNNCell, UNITS, periods=(1,))
    w = weights(layer)
    expected = simple_rnn(w["kernel"], w["recurrent_kernel"], w["bias"])
    assert_same(outputs(layer), expected)


def test_a_slow_clockwork_is_a_simple_rnn_of_every_third_input():
    layer = make(cells.ClockworkRNNCell, UNITS, periods=(3,))
    w = weights(layer)
    slow = simple_rnn(w["kernel"], w["recurrent_kernel"], w["bias"], INPUTS[:, ::3])
    np.testing.assert_array_equal(outputs(layer)[:, 1], outputs(layer)[:, 0])
    assert_same(outputs(layer), np.repeat(slow, 3, axis=1)[:, :TIME])


def test_modules_of_a_clockwork_rest_between_their_steps():
    layer = make(cells.ClockworkRNNCell, UNITS, periods=(4, 1, 2))
    found = outputs(layer)
    for t in range(1, TIME):
        moved = (found[:, t] != found[:, t - 1]).all(axis=0)
        assert moved.tolist() == [True] * 2 + [t % 2 == 0] * 2 + [t % 4 == 0] * 2


def test_slow_modules_of_a_clockwork_do_not_see_fast_ones():
    layer = make(cells.ClockworkRNNCell, UNITS, periods=(1, 2, 4))
    gradients = layer_gradients(layer, lambda y, *_: ops.sum(ops.square(y)), INPUTS)
    [found] = [g for p, g in gradients.items() if p.endswith("recurrent_kernel")]
    period = np.repeat([1, 2, 4], 2)
    assert ((found != 0) == (period[:, None] >= period[None, :])).all()


@pytest.mark.parametrize(
    ("units", "periods", "message"),
    [
        (6, (1, 2, 4, 8), "`units` must be a multiple of the 4 periods"),
        (6, (), "`periods` must hold the period of each module"),
        (6, (0, 1), "`periods` must be a positive integer"),
        (2, (65_521, 65_519), "`periods` must have a least common multiple of at most"),
    ],
)
def test_clockwork_arguments_out_of_range_are_errors(units, periods, message):
    with pytest.raises(ValueError, match=message):
        cells.ClockworkRNNCell(units, periods=periods)


def test_a_delay_of_one_step_is_a_simple_rnn():
    layer = make(cells.DelayedRNNCell, UNITS, delays=(1,))
    w = weights(layer)
    expected = simple_rnn(w["kernel"], w["recurrent_kernel_1"], w["bias"])
    assert_same(outputs(layer), expected)


def test_a_delay_of_three_steps_is_three_interleaved_networks():
    layer = make(cells.DelayedRNNCell, UNITS, delays=(3,))
    w = weights(layer)
    expected = np.zeros((BATCH_SIZE, TIME, UNITS))
    for phase in range(3):
        expected[:, phase::3] = simple_rnn(
            w["kernel"], w["recurrent_kernel_3"], w["bias"], INPUTS[:, phase::3]
        )
    assert_same(outputs(layer), expected)


def test_delays_add_up():
    layer = make(cells.DelayedRNNCell, UNITS, delays=(4, 1))
    w = weights(layer)
    hidden = np.zeros((BATCH_SIZE, TIME + 4, UNITS))
    for t in range(TIME):
        values = INPUTS[:, t] @ w["kernel"] + w["bias"]
        for delay in (1, 4):
            values += hidden[:, t + 4 - delay] @ w[f"recurrent_kernel_{delay}"]
        hidden[:, t + 4] = np.tanh(values)
    assert_same(outputs(layer), hidden[:, 4:])


def test_a_gradient_goes_back_in_steps_of_the_delay():
    """Of a linear unit, w^(T / d)."""
    cell = cells.DelayedRNNCell(1, delays=(3,), activation=None, dtype="float64")
    layer = keras.layers.RNN(cell, dtype="float64")
    layer.build((None, None, 1))
    cell.set_weights([np.ones((1, 1)), np.full((1, 1), 0.5), np.zeros(1)])
    impulse = np.eye(7)[:, :, None]
    assert_same(layer(impulse)[:, 0], [0.25, 0, 0, 0.5, 0, 0, 1])


# --- depth ---


def test_a_transition_of_one_layer_is_a_simple_rnn():
    layer = make(cells.DeepTransitionRNNCell, UNITS, depth=1)
    w = weights(layer)
    expected = simple_rnn(w["kernel"], w["recurrent_kernel"], w["bias"])
    assert_same(outputs(layer), expected)


def test_a_deep_transition_is_a_network_in_each_step():
    layer = make(cells.DeepTransitionRNNCell, UNITS, depth=3)
    w = weights(layer)
    hidden = np.zeros((BATCH_SIZE, UNITS))
    for t in range(TIME):
        values = INPUTS[:, t] @ w["kernel"] + hidden @ w["recurrent_kernel"]
        hidden = np.tanh(values + w["bias"])
        for k in (2, 3):
            hidden = np.tanh(hidden @ w[f"layer_kernel_{k}"] + w[f"layer_bias_{k}"])
        assert_same(outputs(layer)[:, t], hidden)


def test_a_skip_past_layers_of_zeros_is_a_simple_rnn_without_inputs():
    layer = make(cells.DeepTransitionRNNCell, UNITS, skip=True)
    layer.cell.layer_kernels[0].assign(np.zeros((UNITS, UNITS)))
    w = weights(layer)
    zeros = np.zeros((FEATURES, UNITS))
    assert_same(outputs(layer), simple_rnn(zeros, w["skip_kernel"], w["layer_bias_2"]))


def test_a_skip_needs_layers_to_skip():
    with pytest.raises(ValueError, match="`skip` needs a `depth` above 1"):
        cells.DeepTransitionRNNCell(UNITS, depth=1, skip=True)


# --- peepholes ---


def test_peepholes_of_zero_are_an_lstm():
    layer = make(cells.PeepholeLSTMCell, UNITS)
    for weight in layer.cell.peephole_weights.values():
        weight.assign(np.zeros(UNITS))
    plain = keras.layers.LSTM(UNITS, return_sequences=True, dtype="float64")
    plain.build(INPUTS.shape)
    plain.set_weights([layer.cell.kernel, layer.cell.recurrent_kernel, layer.cell.bias])
    assert_same(outputs(layer), plain(INPUTS))


@pytest.mark.parametrize(
    "peepholes", [("input", "forget", "output"), ("input", "output"), ("forget",), ()]
)
def test_gates_see_the_carry(peepholes):
    """The equations of the paper; the output gate sees the new carry."""
    layer = make(
        cells.PeepholeLSTMCell,
        UNITS,
        peepholes=peepholes,
        input_activation="sigmoid",
    )
    w = weights(layer)
    p = {gate: w.get(f"peephole_{gate}", 0) for gate in ("input", "forget", "output")}
    assert sum(np.size(weight) for weight in p.values() if np.size(weight) > 1) == (
        UNITS * len(peepholes)
    )
    h, s = np.zeros((2, BATCH_SIZE, UNITS))
    found = outputs(layer)
    for t in range(TIME):
        values = INPUTS[:, t] @ w["kernel"] + h @ w["recurrent_kernel"] + w["bias"]
        i, f, g, o = np.split(values, 4, axis=1)
        i, f = sigmoid(i + p["input"] * s), sigmoid(f + p["forget"] * s)
        s = f * s + i * sigmoid(g)
        h = sigmoid(o + p["output"] * s) * np.tanh(s)
        assert_same(found[:, t], h)


def test_random_peepholes_differ_from_gate_to_gate():
    cell = cells.PeepholeLSTMCell(UNITS, peephole_initializer="random_normal")
    cell.build((None, FEATURES))
    drawn = np.array([np.asarray(w) for w in cell.peephole_weights.values()])
    assert len(np.unique(drawn)) == 3 * UNITS


@pytest.mark.parametrize("peepholes", [("inputs",), "input", 3])
def test_unknown_peepholes_are_errors(peepholes):
    with pytest.raises(ValueError, match="`peepholes` must hold names of gates"):
        cells.PeepholeLSTMCell(3, peepholes=peepholes)


# --- any of them as a controller ---


@pytest.mark.parametrize(
    "cell",
    [
        cells.FirstStepRNNCell(4),
        cells.ElmanCell(4),
        cells.JordanCell(4, 3),
        cells.LSTM1997Cell(2, 2),
        cells.PeepholeLSTMCell(4),
        cells.TensorRNNCell(4),
        cells.MultiplicativeRNNCell(4, 5),
        cells.LeakyRNNCell(4, 2.0),
        cells.ClockworkRNNCell(4, (1, 2)),
        cells.DelayedRNNCell(4),
        cells.DeepTransitionRNNCell(4),
        cells.LearnedStart(keras.layers.GRUCell(4)),
    ],
    ids=lambda cell: type(cell).__name__,
)
def test_a_memory_with_this_controller_learns(cell):
    """A step along the gradient makes the loss smaller, and moves the controller."""
    layer = memnets.NTM(2, memory_size=5, word_size=3, controller=cell)
    inputs = INPUTS[:, :3].astype("float32")

    def loss(outputs):
        return ops.sum(ops.square(outputs - 0.3))

    before = float(loss(layer(inputs)))
    gradients = layer_gradients(layer, loss, inputs)
    moved = [np.abs(gradients[v.path]).max() > 0 for v in cell.trainable_variables]
    assert sum(moved) > len(moved) / 2
    for variable in layer.trainable_variables:
        variable.assign(variable - 1e-3 * gradients[variable.path])
    assert float(loss(layer(inputs))) < before


@pytest.mark.parametrize("constant", [1.5, 50.0, 1000.0, 1e6])
def test_a_learned_time_constant_begins_as_given(constant):
    """Of h = 1 and an activation of 0, (1 - 1/tau) stays."""
    cell = cells.LeakyRNNCell(1, constant, learned=True, activation=None)
    cell.build((None, 1))
    cell.recurrent_kernel.assign(np.zeros((1, 1)))
    kept, _ = cell(np.zeros((1, 1), "float32"), [np.ones((1, 1), "float32")])
    # float32 has the number just below 1 with an error of 6e-8.
    assert float(kept[0, 0]) == pytest.approx(1 - 1 / constant, abs=1e-7)


def test_a_clockwork_counts_beyond_256_in_bfloat16():
    cell = cells.ClockworkRNNCell(2, periods=(512, 512), dtype="mixed_bfloat16")
    layer = keras.layers.RNN(cell, return_sequences=True, dtype="mixed_bfloat16")
    inputs = np.linspace(0, 1, 8, dtype="float32")[None, :, None]
    # bfloat16 has 508 and 510, and none between them.
    start = [np.zeros((1, 2), "float32"), np.full((1, 1), 508, "float32")]
    outputs = layer(inputs, initial_state=start)
    first = ops.convert_to_numpy(ops.cast(outputs, "float32"))[0, :, 0]
    changes = np.flatnonzero(np.diff(first)) + 1
    np.testing.assert_array_equal(changes, [4])


def test_a_clockwork_counts_beyond_the_largest_float16():
    """65,536 is a multiple of the period, and 65,504 the largest number of float16."""
    cell = cells.ClockworkRNNCell(2, periods=(2**15, 2**17), dtype="mixed_float16")
    layer = memnets.MemoryRNN(cell, return_sequences=True, dtype="mixed_float16")
    inputs = np.linspace(0, 1, 40, dtype="float32")[None, :, None]
    start = [np.zeros((1, 2), "float32"), np.full((1, 1), 2**16 - 36, "float32")]
    outputs = ops.convert_to_numpy(layer(inputs, initial_state=start))[0]
    changes = np.flatnonzero(np.diff(outputs[:, 0])) + 1
    np.testing.assert_array_equal(changes, [36])
