"""Gradient flow and information flow against formulas and other ways to the gradients."""

import keras
import numpy as np
import pytest
from conformance.descriptors import DESCRIPTORS, FEATURES
from gradients import gradient
from keras import ops
from layer_weights import randomise

import memnets
from memnets import flow

BATCH_SIZE, TIME = 3, 6
RNG = np.random.default_rng(11)
INPUTS = RNG.standard_normal((BATCH_SIZE, TIME, FEATURES)).astype("float32")
LOOPS = [row for row in DESCRIPTORS if row.name != "StackedLSTM"]


def compiled(layer, *others, loss="mse", features=FEATURES):
    """A model of a recurrent layer and others after it."""
    model = keras.Sequential([keras.Input((None, features)), layer, *others])
    model.compile(keras.optimizers.SGD(0.1), loss)
    return model


def simple(units, activation, weights, features=FEATURES):
    """A model that is a simple network with the given recurrent weights."""
    layer = keras.layers.SimpleRNN(units, activation, use_bias=False)
    model = compiled(layer, features=features)
    layer.cell.recurrent_kernel.assign(weights)
    return model, layer


def root_mean_square(norms):
    return np.sqrt((norms**2).mean(axis=0))


def orthogonal(units):
    return np.linalg.qr(RNG.standard_normal((units, units)))[0]


def states_of(inputs, kernel, recurrent, activation=np.tanh):
    """The states of a simple network, `(B, T, units)`."""
    state, states = np.zeros((len(inputs), len(recurrent))), []
    for t in range(inputs.shape[1]):
        state = activation(inputs[:, t] @ kernel + state @ recurrent)
        states.append(state)
    return np.stack(states, axis=1)


# --- the norm at each step ---


@pytest.mark.parametrize("weight", [0.5, -0.9, 1.0, 1.5])
def test_the_gradient_of_a_linear_unit_is_a_power_of_its_weight(weight):
    model, layer = simple(1, "linear", [[weight]], features=1)
    layer.cell.kernel.assign([[1.0]])
    targets = np.array([[1.0], [-2.0], [0.5]])
    found = flow.gradient_flow(model, layer, INPUTS[:, :, :1], targets)
    lags = np.arange(TIME)[::-1]
    last = (INPUTS[:, :, 0] * weight**lags).sum(axis=1, keepdims=True)
    norms = np.abs(2 * (last - targets) * weight**lags)
    np.testing.assert_allclose(found.norms, root_mean_square(norms), rtol=1e-4)
    np.testing.assert_allclose(found.state_norms[:, 0], found.norms)
    np.testing.assert_allclose(found.gains, abs(weight), rtol=1e-5)
    np.testing.assert_allclose(found.singular_values, abs(weight), rtol=1e-5)
    # With one unit the bound is reached.
    np.testing.assert_allclose(found.bound, np.abs(weight) ** lags, rtol=1e-5)


def test_a_gradient_far_below_the_smallest_square_has_its_gains():
    """Squares of float32 underflow below 1e-19."""
    model, layer = simple(1, "linear", [[1e-5]], features=1)
    found = flow.gradient_flow(model, layer, INPUTS[:, :, :1], np.ones((3, 1)))
    np.testing.assert_allclose(found.gains, 1e-5, rtol=1e-4)
    np.testing.assert_allclose(found.norms[0] / found.norms[-1], 1e-25, rtol=1e-3)


def test_a_logistic_network_of_small_weights_forgets_as_hochreiter_says():
    units, steps = 5, 20
    largest = 0.9 * 4 / units
    weights = RNG.uniform(-largest, largest, (units, units))
    model, layer = simple(units, "sigmoid", weights)
    inputs = RNG.standard_normal((BATCH_SIZE, steps, FEATURES))
    found = flow.gradient_flow(model, layer, inputs, np.ones((BATCH_SIZE, units)))
    lags = np.arange(steps)[::-1]
    rate = 0.25 * max(sum(abs(weights[s, r]) for s in range(units)) for r in range(5))
    np.testing.assert_allclose(found.bound, units * rate**lags, rtol=1e-5)
    assert (found.norms <= found.bound * found.norms[-1]).all()
    assert (found.bound <= units * (units * largest / 4) ** lags + 1e-6).all()
    assert found.bound[0] < 1


def test_a_cell_that_is_no_simple_network_has_no_bound():
    layer = keras.layers.SimpleRNN(2, activation="softplus")
    found = flow.gradient_flow(compiled(layer), layer, INPUTS, np.ones((3, 2)))
    assert found.bound is None


def test_the_gradient_of_a_tanh_network_follows_the_recursion_of_back_propagation():
    """Goodfellow et al., section 10.2.1: a loss at every step."""
    units, classes = 4, 3
    layer = keras.layers.SimpleRNN(units, use_bias=False, return_sequences=True)
    outputs = keras.layers.Dense(classes, "softmax")
    model = compiled(layer, outputs, loss="sparse_categorical_crossentropy")
    targets = RNG.integers(classes, size=(BATCH_SIZE, TIME))
    kernel, recurrent, out, bias = model.get_weights()
    found = flow.gradient_flow(model, layer, INPUTS, targets)

    states = states_of(INPUTS, kernel, recurrent)
    powers = np.exp(states @ out + bias)
    errors = powers / powers.sum(axis=-1, keepdims=True) - np.eye(classes)[targets]
    delta, norms, jacobians = np.zeros((BATCH_SIZE, units)), [], []
    for t in range(TIME)[::-1]:
        if t + 1 < TIME:
            delta = delta * (1 - states[:, t + 1] ** 2) @ recurrent.T
            jacobians.append((1 - states[0, t + 1, :, None] ** 2) * recurrent.T)
        delta = delta + errors[:, t] @ out.T / TIME
        norms.append(np.linalg.norm(delta, axis=1))
    expected = root_mean_square(np.array(norms[::-1]).T)
    np.testing.assert_allclose(found.norms, expected, rtol=1e-4)
    values = np.linalg.svd(jacobians[::-1], compute_uv=False)
    np.testing.assert_allclose(found.singular_values, values, rtol=1e-3, atol=1e-5)


def test_an_error_in_the_state_of_the_first_lstm_stays_what_it_is():
    cell = memnets.cells.LSTM1997Cell(1)
    layer = memnets.MemoryRNN(cell, return_state=True)
    sequences = keras.Input((None, FEATURES))
    output, *states = layer(sequences)
    model = keras.Model(sequences, output)
    model.compile(loss="mse")
    randomise(layer)
    found = flow.gradient_flow(model, layer, INPUTS, np.ones((BATCH_SIZE, 1)))
    y, _, s, gates = (np.asarray(result) for result in layer(INPUTS))
    slope = 2 * np.exp(-s) / (1 + np.exp(-s)) ** 2
    expected = root_mean_square(np.abs(2 * (y - 1) * gates[:, 1:] * slope))
    np.testing.assert_allclose(found.state_norms[:-1, 1], expected[0], rtol=1e-4)
    np.testing.assert_allclose(found.gains[:-1], 1, rtol=1e-5)
    cell.truncated = False
    full = flow.gradient_flow(model, layer, INPUTS, np.ones((BATCH_SIZE, 1)))
    assert np.ptp(full.state_norms[:-1, 1]) > 0.01 * expected[0]


# --- any layer ---


def split_gradients(layer, inputs, step):
    """Gradients of the squares of the last output by the states after a step, found by
    starting the layer from them."""
    layer.return_state = True
    _, *states = layer(inputs[:, :step])
    layer.return_state = False

    def loss(*states):
        return ops.sum(layer(inputs[:, step:], initial_state=list(states)) ** 2)

    return gradient(loss, *(ops.convert_to_numpy(state) for state in states))


@pytest.mark.parametrize("row", LOOPS, ids=lambda row: row.name)
def test_the_gradient_of_any_layer_is_that_of_starting_from_its_state(row):
    layer = row.make_layer(dtype=None, return_sequences=False)
    model = compiled(layer)
    zeros = np.zeros((BATCH_SIZE, *model.output_shape[1:]))
    found = flow.gradient_flow(model, layer, INPUTS, zeros)
    for step in (2, TIME - 1):
        expected = split_gradients(layer, INPUTS, step)
        # The loss is the mean over the outputs of a sequence.
        norms = [np.linalg.norm(x, axis=1) / zeros.shape[1] for x in expected]
        np.testing.assert_allclose(
            found.state_norms[step - 1],
            [root_mean_square(part) for part in norms],
            rtol=1e-3,
            atol=1e-6,
        )
    assert not ops.any(ops.isnan(flow.information_flow(model, layer, INPUTS, zeros)))
