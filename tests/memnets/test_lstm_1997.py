"""The LSTM of 1997 against its equations, its learning rule and the paper's counts."""

import keras
import numpy as np
import pytest
from gradients import layer_gradients
from keras import ops

import memnets
from memnets.cells import LSTM1997Cell

# Its oracles need float64, which JAX computes in only if it is told to.
pytestmark = pytest.mark.once

BATCH_SIZE, TIME, FEATURES = 2, 6, 3
RNG = np.random.default_rng(7)
INPUTS = RNG.standard_normal((BATCH_SIZE, TIME, FEATURES))


def make(*arguments, features=FEATURES, **keywords):
    cell = LSTM1997Cell(*arguments, dtype="float64", **keywords)
    layer = memnets.MemoryRNN(
        cell, return_sequences=True, return_state=True, dtype="float64"
    )
    layer.build((None, None, features))
    for variable in layer.variables:
        if "seed" not in variable.path:
            variable.assign(RNG.normal(0, 0.7, variable.shape))
    return layer


def weights(layer):
    return {v.name: np.asarray(v) for v in layer.cell.variables}


def sigmoid(x):
    return 1 / (1 + np.exp(-x))


def step(w, x, y, s, gates, size):
    """One step of one sequence, as the paper's appendix has it, unit by unit."""
    units, blocks = len(y), len(y) // size
    net = x @ w["kernel"] + np.concatenate([y, gates]) @ w["recurrent_kernel"]
    net_c = net[:units] + w["cell_bias"]
    gates = sigmoid(net[units:] + w["gate_bias"])
    y, s = y.copy(), s.copy()
    for j in range(blocks):
        for v in range(size):
            c = j * size + v
            s[c] = s[c] + gates[j] * (4 * sigmoid(net_c[c]) - 2)
            y[c] = gates[blocks + j] * (2 * sigmoid(s[c]) - 1)
    return y, s, gates


@pytest.mark.parametrize(("blocks", "size"), [(2, 1), (1, 3), (2, 2)])
def test_a_step_is_that_of_the_appendix(blocks, size):
    layer = make(blocks, size)
    w, (found, _, last_state, last_gates) = weights(layer), layer(INPUTS)
    for b in range(BATCH_SIZE):
        y, s, gates = (
            np.zeros(blocks * size),
            np.zeros(blocks * size),
            np.zeros(2 * blocks),
        )
        for t in range(TIME):
            y, s, gates = step(w, INPUTS[b, t], y, s, gates, size)
            np.testing.assert_allclose(found[b, t], y, atol=1e-12)
        np.testing.assert_allclose(last_state[b], s, atol=1e-12)
        np.testing.assert_allclose(last_gates[b], gates, atol=1e-12)


def real_time_gradients(w, inputs, factors, size):
    """The paper's learning rule: derivatives of the states are carried forward in time.

    Only s carries them; what a unit receives from cells and gates is given. Returns the
    gradients of the sum of outputs times `factors` for one sequence.
    """
    units = w["cell_bias"].size
    blocks = units // size
    width = units + 2 * blocks
    in_gate = np.repeat(np.arange(blocks), size)
    y, s, gates = np.zeros(units), np.zeros(units), np.zeros(2 * blocks)
    # ds_c / d(net weights of the cell c), and of its input gate: a row each.
    sources = inputs.shape[1] + width + 1
    by_cell, by_gate = np.zeros((2, units, sources))
    total = np.zeros((sources, width))
    for x, factor in zip(inputs, factors, strict=True):
        source = np.concatenate([x, y, gates, [1.0]])
        matrix = np.vstack(
            [
                w["kernel"],
                w["recurrent_kernel"],
                np.concatenate([w["cell_bias"], w["gate_bias"]]),
            ]
        )
        net = source @ matrix
        squashed = sigmoid(net)
        g = 4 * squashed[:units] - 2
        g_slope = 4 * squashed[:units] * (1 - squashed[:units])
        gates = squashed[units:]
        opened, shown = gates[in_gate], gates[blocks + in_gate]
        s = s + opened * g
        by_cell += (opened * g_slope)[:, None] * source
        by_gate += (g * opened * (1 - opened))[:, None] * source
        h = 2 * sigmoid(s) - 1
        h_slope = 2 * sigmoid(s) * (1 - sigmoid(s))
        y = shown * h
        error = factor * shown * h_slope
        total[:, :units] += (error[:, None] * by_cell).T
        np.add.at(total.T, units + in_gate, error[:, None] * by_gate)
        np.add.at(
            total.T,
            units + blocks + in_gate,
            (factor * h * shown * (1 - shown))[:, None] * source,
        )
    return total


@pytest.mark.parametrize(("blocks", "size"), [(3, 1), (2, 2)])
def test_the_truncated_gradient_is_the_learning_rule_of_the_paper(blocks, size):
    layer = make(blocks, size)
    w = weights(layer)
    factors = RNG.standard_normal((BATCH_SIZE, TIME, blocks * size))
    found = layer_gradients(layer, lambda y, *_: ops.sum(y * factors), INPUTS)
    found = {path.rpartition("/")[2]: gradient for path, gradient in found.items()}
    total = sum(
        real_time_gradients(w, INPUTS[b], factors[b], size) for b in range(BATCH_SIZE)
    )
    stacked = np.vstack(
        [
            found["kernel"],
            found["recurrent_kernel"],
            np.concatenate([found["cell_bias"], found["gate_bias"]]),
        ]
    )
    np.testing.assert_allclose(stacked, total, rtol=0, atol=1e-12)


def test_without_truncation_the_gradient_is_another():
    """Central differences of it are in the test of every layer."""
    truncated, whole = make(2), make(2, truncated=False)
    whole.set_weights(truncated.get_weights())
    gradients = [
        layer_gradients(layer, lambda y, *_: ops.sum(y), INPUTS)
        for layer in (truncated, whole)
    ]
    for own, other in zip(*(found.values() for found in gradients), strict=True):
        assert np.abs(own - other).max() > 1e-3


@pytest.mark.only("tensorflow", reason="takes a derivative of TensorFlow")
def test_an_error_in_the_state_stays_what_it_is():
    """The constant error carousel: ds_T / ds_0 is the unit matrix."""
    import tensorflow as tf

    layer = make(2, 2)
    states = [ops.convert_to_tensor(np.zeros((1, n))) for n in (4, 4, 4)]
    with tf.GradientTape() as tape:
        tape.watch(states[1])
        _, _, last, _ = layer(INPUTS[:1], initial_state=states)
    jacobian = tape.jacobian(last, states[1])[0, :, 0]
    np.testing.assert_array_equal(jacobian, np.eye(4))


def test_it_contains_the_lstm_of_keras():
    """Without weights from the gates, and with forget gates that are always open, an
    LSTM is this cell: g(2x) is 2 tanh(x), h(2s) is tanh(s), so s is twice as large."""
    units = 4
    layer = make(units)
    w = weights(layer)
    w["recurrent_kernel"][units:] = 0
    layer.cell.recurrent_kernel.assign(w["recurrent_kernel"])
    plain = keras.layers.LSTM(units, return_sequences=True, dtype="float64")
    plain.build((None, None, FEATURES))

    def four(matrix):
        """Columns of cells, input and output gates as those of an LSTM: i, f, c, o."""
        c, i, o = np.split(matrix, 3, axis=-1)
        return np.concatenate([i, np.zeros_like(i), c / 2, o], axis=-1)

    bias = four(np.concatenate([w["cell_bias"], w["gate_bias"]]))
    bias[units : 2 * units] = 40
    plain.set_weights([four(w["kernel"]), four(w["recurrent_kernel"][:units]), bias])
    np.testing.assert_allclose(layer(INPUTS)[0], plain(INPUTS), atol=1e-12)


# Table 10: task, arguments, inputs, outputs, whether the outputs are biased, and the
# weights of the whole network.
TABLE_10 = [
    ("1, four blocks", (4, 1), {"biased": "gates"}, 7, 7, False, 264),
    ("1, blocks of two", (3, 2), {"biased": "gates"}, 7, 7, False, 276),
    ("2c", (2, 1), {"biased": "none"}, 104, 2, False, 664),
    ("2c, large", (2, 1), {"biased": "none"}, 1004, 2, False, 6064),
    ("3", (3, 1), {"biased": "all"}, 1, 1, False, 102),
    ("4 and 5", (2, 2), {"biased": "all"}, 2, 1, True, 93),
    ("6a", (2, 2), {"biased": "all"}, 8, 4, True, 156),
    ("6b", (3, 2), {"biased": "all"}, 8, 8, True, 308),
]


@pytest.mark.parametrize("row", TABLE_10, ids=lambda row: row[0])
def test_networks_have_as_many_weights_as_table_10_counts(row):
    _, arguments, keywords, inputs, outputs, biased, published = row
    cell = LSTM1997Cell(*arguments, **keywords)
    cell.build((None, inputs))
    own = sum(np.prod(v.shape) for v in cell.trainable_variables)
    assert own + cell.units * outputs + biased * outputs == published


def test_the_simplest_cell_adds_up():
    """As in experiments 2a and 2b: an input gate, no output gate, nothing recurs."""
    layer = make(
        2,
        output_gate=False,
        recurrent=False,
        biased="none",
        g="sigmoid",
        h="linear",
    )
    assert [v.name for v in layer.cell.trainable_variables] == ["kernel"]
    net = INPUTS @ weights(layer)["kernel"]
    expected = np.cumsum(sigmoid(net[..., :2]) * sigmoid(net[..., 2:]), axis=1)
    np.testing.assert_allclose(layer(INPUTS)[0], expected, atol=1e-12)


def test_gates_begin_with_the_given_biases():
    cell = LSTM1997Cell(3, 2, input_gate_bias=(-1, -2, -3), output_gate_bias=-0.5)
    cell.build((None, 2))
    np.testing.assert_array_equal(cell.gate_bias, [-1, -2, -3, -0.5, -0.5, -0.5])
    drawn = LSTM1997Cell(400, weight_range=0.2)
    drawn.build((None, 2))
    for variable in drawn.trainable_variables:
        assert 0.15 < np.abs(variable).max() <= 0.2
    # All are drawn, none copied; of 800 draws in single precision two may be equal.
    assert len(np.unique(drawn.gate_bias)) > 790


@pytest.mark.parametrize(
    ("keywords", "message"),
    [
        ({"blocks": 0}, "`blocks` must be a positive integer"),
        ({"block_size": 1.5}, "`block_size` must be a positive integer"),
        ({"g": "symmetric-3"}, "`g` must be an activation of Keras"),
        ({"h": 5}, "`h` must be an activation of Keras"),
        ({"biased": "some"}, "`biased` must be one of 'all', 'gates', 'none'"),
        ({"weight_range": -1}, "`weight_range` must be a finite number at least 0"),
        ({"input_gate_bias": (1, 2, 3)}, "or one for each of the 2 blocks"),
        (
            {"biased": "none", "input_gate_bias": 1},
            "`input_gate_bias` must be None for gates without a bias",
        ),
        (
            {"output_gate": False, "output_gate_bias": 1},
            "`output_gate_bias` must be None for gates without a bias",
        ),
    ],
)
def test_arguments_out_of_range_are_errors(keywords, message):
    with pytest.raises(ValueError, match=message):
        LSTM1997Cell(**{"blocks": 2, **keywords})


def test_g_and_h_are_in_the_place_of_an_activation():
    with pytest.raises(TypeError, match="activation"):
        make(2, activation="relu")
