"""Readouts against least squares on stacked states, and echo state networks."""

import re

import keras
import numpy as np
import pytest
from dnc_layers import double_precision
from gradients import HAS_DOUBLE

from memnets import cells, initializers
from memnets.recurrent import readout
from memnets.recurrent.readout import fit_readout

DTYPE = "float64" if HAS_DOUBLE else "float32"
B, T, UNITS, OUTPUTS = 3, 60, 8, 2
RNG = np.random.default_rng(6)
X = RNG.uniform(-1, 1, (B, T, 1)).astype(DTYPE)
Y = RNG.standard_normal((B, T, OUTPUTS))
STATES = RNG.standard_normal((B, T, UNITS)).astype(DTYPE)


def reservoir(radius=0.9, units=UNITS, **arguments):
    keras.utils.set_random_seed(1)
    cell = cells.LeakyRNNCell(
        units,
        time_constants=2.0,
        recurrent_initializer=initializers.SpectralRadius(radius, 5),
        trainable=False,
        dtype=DTYPE,
    )
    return keras.layers.RNN(cell, return_sequences=True, dtype=DTYPE, **arguments)


def itself():
    """A layer whose states are the inputs."""
    return keras.layers.Identity(dtype=DTYPE)


def weights(dense):
    return [np.asarray(variable, "float64") for variable in dense.weights]


def least_squares(states, targets, washout, ridge=0.0):
    """Kernel and bias by `numpy.linalg.lstsq`: the penalty as further rows."""
    rows = np.concatenate([states, np.ones((*states.shape[:2], 1))], axis=-1)
    rows = rows[:, washout:].reshape(-1, rows.shape[-1]).astype("float64")
    targets = targets[:, washout:].reshape(-1, targets.shape[-1])
    penalty = np.sqrt(ridge) * np.eye(rows.shape[1])[:-1]
    found, *_ = np.linalg.lstsq(
        np.concatenate([rows, penalty]),
        np.concatenate([targets, np.zeros((len(penalty), targets.shape[1]))]),
        rcond=None,
    )
    return found[:-1], found[-1]


def assert_weights(dense, expected, tolerance=1e-10):
    for found, wanted in zip(weights(dense), expected, strict=True):
        np.testing.assert_allclose(
            found, wanted, atol=tolerance if HAS_DOUBLE else 1e-5
        )


# --- the solution ---


@pytest.mark.parametrize(("ridge", "washout"), [(0, 0), (1e-3, 10)])
def test_a_readout_is_least_squares_on_the_stacked_states(ridge, washout):
    layer = reservoir()
    dense = fit_readout(layer, X, Y, ridge=ridge, washout=washout)
    states = np.asarray(layer(X))
    assert_weights(dense, least_squares(states, Y, washout, ridge), 1e-8)
    outputs = keras.Sequential([layer, dense])(X)
    kernel, bias = weights(dense)
    np.testing.assert_allclose(outputs, states @ kernel + bias, atol=1e-4)


def test_a_readout_of_states_in_double_precision_is_in_double_precision():
    states = STATES.astype("float64")
    with double_precision():
        layer = keras.layers.Identity(dtype="float64")
        dense = fit_readout(layer, states, Y, ridge=0, washout=0)
        found = weights(dense)
    for part, expected in zip(found, least_squares(states, Y, 0), strict=True):
        np.testing.assert_allclose(part, expected, atol=1e-12, rtol=0)


@pytest.mark.once
def test_targets_that_are_linear_in_the_states_are_learned_exactly():
    kernel, bias = RNG.standard_normal((UNITS, OUTPUTS)), RNG.standard_normal(OUTPUTS)
    layer = reservoir()
    targets = np.asarray(layer(X)) @ kernel + bias
    dense = fit_readout(layer, X, targets, ridge=0, washout=5)
    assert_weights(dense, (kernel, bias), 1e-8)
    dense = fit_readout(layer, X, targets, ridge=1e-14, washout=5)
    assert_weights(dense, (kernel, bias), 1e-6)


@pytest.mark.once
def test_the_penalty_is_that_of_the_normal_equations():
    """As the formula is printed, on states and targets without a mean."""
    states = STATES - STATES.mean(axis=(0, 1))
    targets = Y - Y.mean(axis=(0, 1))
    h, y = states.reshape(-1, UNITS), targets.reshape(-1, OUTPUTS)
    expected = np.linalg.solve(h.T @ h + 2.5 * np.eye(UNITS), h.T @ y)
    dense = fit_readout(itself(), states, targets, ridge=2.5, washout=0)
    assert_weights(dense, (expected, np.zeros(OUTPUTS)))


@pytest.mark.once
def test_there_is_no_penalty_on_the_bias():
    dense = fit_readout(itself(), STATES, Y, ridge=4.0, washout=0)
    moved = fit_readout(itself(), STATES, Y + [7, -5], ridge=4.0, washout=0)
    kernel, bias = weights(dense)
    assert_weights(moved, (kernel, bias + [7, -5]))
    # All that a very large penalty leaves is the mean.
    flat = fit_readout(itself(), STATES, Y, ridge=1e12, washout=0)
    assert_weights(flat, (np.zeros((UNITS, OUTPUTS)), Y.mean(axis=(0, 1))), 1e-8)


@pytest.mark.once
def test_states_that_are_nearly_collinear_are_no_harm():
    """H^T H would have a condition number of 1e20: nothing would be left of Y."""
    times = np.linspace(-1, 1, 400)
    columns = np.stack([np.ones_like(times), *(times**k for k in range(1, 26))], -1)
    assert np.linalg.cond(columns) > 1e9
    targets = np.exp(times)[None, :, None]
    dense = fit_readout(itself(), columns[None, :, 1:], targets, ridge=0, washout=0)
    found = np.asarray(dense(columns[None, :, 1:]))
    np.testing.assert_allclose(found, targets, atol=1e-12)


@pytest.mark.once
def test_weights_that_the_data_leave_open_are_small():
    """Fewer steps than units: the solution of the smallest norm."""
    states, targets = STATES[:1, :4], Y[:1, :4]
    dense = fit_readout(itself(), states, targets, ridge=0, washout=0)
    np.testing.assert_allclose(dense(states), targets, atol=1e-10)
    kernel, bias = least_squares(states, targets, 0)
    assert_weights(dense, (kernel, bias))


@pytest.mark.once
@pytest.mark.parametrize("batch_size", [1, 2, 50])
@pytest.mark.parametrize("rows", [1, 7, 4096])
def test_batches_and_their_order_do_not_matter(batch_size, rows, monkeypatch):
    monkeypatch.setattr(readout, "ROWS", rows)
    expected = least_squares(STATES, Y, 4, 1e-3)
    for order in (slice(None), slice(None, None, -1)):
        dense = fit_readout(
            itself(),
            STATES[order],
            Y[order],
            ridge=1e-3,
            washout=4,
            batch_size=batch_size,
        )
        assert_weights(dense, expected)


@pytest.mark.once
def test_steps_of_the_washout_have_no_influence():
    changed = Y.copy()
    changed[:, :9] = 1e6
    one = fit_readout(reservoir(), X, Y, washout=9)
    other = fit_readout(reservoir(), X, changed, washout=9)
    for found, expected in zip(weights(other), weights(one), strict=True):
        np.testing.assert_array_equal(found, expected)


@pytest.mark.once
def test_a_model_may_show_the_inputs_to_the_readout():
    inputs = keras.Input((None, 1), dtype=DTYPE)
    features = keras.layers.Concatenate(dtype=DTYPE)([inputs, reservoir()(inputs)])
    model = keras.Model(inputs, features)
    dense = fit_readout(model, X, 3 * X - 1, ridge=0, washout=0)
    kernel = np.zeros((UNITS + 1, 1))
    kernel[0] = 3
    assert_weights(dense, (kernel, [-1]))


# --- the network ---


def test_only_the_readout_is_new():
    layer = reservoir()
    layer.build((None, None, 1))
    before = [np.array(weight) for weight in layer.weights]
    dense = fit_readout(layer, X, Y, washout=10)
    for weight, value in zip(layer.weights, before, strict=True):
        np.testing.assert_array_equal(weight, value)
    network = keras.Sequential([layer, dense])
    assert len(before) == 3 and not layer.trainable_weights
    assert [id(w) for w in network.trainable_weights] == [id(w) for w in dense.weights]


@pytest.mark.once
def test_a_layer_of_a_model_stays_connected_to_its_input_only():
    layer = reservoir()
    model = keras.Sequential([keras.Input((None, 1)), layer])
    fit_readout(layer, X, Y, washout=5)
    fit_readout(model, X, Y, washout=5)
    assert layer.output is model.outputs[0]


def contraction(radius):
    """How far two trajectories from random starts are apart, at the end and at the
    beginning."""
    layer = reservoir(radius, units=40)
    steps = np.repeat(X[:1], 2, axis=0)
    one, other = layer(steps, initial_state=[RNG.uniform(-1, 1, (2, 40))])
    distances = np.linalg.norm(one - other, axis=-1)
    return distances[-1], distances[0]


@pytest.mark.once
def test_two_starts_contract_to_one_trajectory_below_a_radius_of_1():
    last, first = contraction(0.3)
    assert last < 1e-9 < 1 < first


@pytest.mark.once
def test_two_starts_stay_apart_far_above_a_radius_of_1():
    last, _ = contraction(3.0)
    assert last > 0.1


@pytest.mark.once
def test_outputs_change_with_the_radius():
    one, other = reservoir(0.3), reservoir(0.9)
    dense = fit_readout(one, X, Y, washout=5)
    assert abs(np.asarray(dense(one(X)) - dense(other(X)))).max() > 1e-3


@pytest.mark.once
def test_a_layer_of_half_precision_has_a_readout_of_float32():
    layer = keras.layers.SimpleRNN(UNITS, return_sequences=True, dtype="mixed_bfloat16")
    dense = fit_readout(layer, X, Y, washout=5)
    assert dense.compute_dtype == "float32"
    assert np.isfinite(weights(dense)[0]).all()


# --- errors ---


@pytest.mark.once
@pytest.mark.parametrize(
    ("changed", "message"),
    [
        ({"ridge": -1e-6}, "`ridge` must be a finite number at least 0. Received"),
        ({"ridge": np.nan}, "`ridge` must be a finite number at least 0. Received"),
        ({"washout": -1}, "`washout` must be a non-negative integer. Received"),
        ({"washout": 2.5}, "`washout` must be a non-negative integer. Received"),
        ({"washout": T}, "`washout` must be below the 60 steps of `x`. Received: wash"),
        ({"batch_size": 0}, "`batch_size` must be a positive integer. Received"),
        ({"x": X[0]}, "`x` must have the shape (B, T, features). Received: x of shap"),
        ({"x": X[:0], "y": Y[:0]}, "`x` must hold a sequence. Received: x of shape (0"),
        ({"y": Y[..., 0]}, "`y` must have the shape (3, 60, outputs). Received"),
        ({"y": Y[:, 1:]}, "`y` must have the shape (3, 60, outputs). Received"),
        ({"y": Y[1:]}, "`y` must have the shape (3, 60, outputs). Received"),
        ({"x": np.where(X > 0.9, np.nan, X)}, "`x` must be finite. Received: NaN or"),
        ({"y": np.where(Y > 2, np.inf, Y)}, "`y` must be finite. Received: NaN or in"),
    ],
)
def test_wrong_arguments_are_errors(changed, message):
    arguments = {"layer": itself(), "x": X, "y": Y, "washout": 5, **changed}
    with pytest.raises(ValueError, match=f"^{re.escape(message)}"):
        fit_readout(**arguments)


@pytest.mark.once
@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"return_sequences": False}, "`layer` must put out one tensor (B, T, n), as "),
        ({"return_state": True}, "`layer` must put out one tensor (B, T, n), as a rec"),
        ({"stateful": True}, "`layer` must not be stateful: its states would depend "),
    ],
)
def test_layers_that_give_no_sequence_of_states_are_errors(arguments, message):
    layer = keras.layers.SimpleRNN(UNITS, **{"return_sequences": True, **arguments})
    for candidate in (layer, keras.Sequential([layer])):
        with pytest.raises(ValueError, match=f"^{re.escape(message)}"):
            fit_readout(candidate, X, Y, washout=5)
        if "return_state" in arguments:
            break  # Keras has no sequential model of several outputs.


@pytest.mark.once
def test_states_that_diverge_are_an_error():
    layer = keras.layers.SimpleRNN(
        UNITS,
        activation=None,
        kernel_initializer="ones",
        recurrent_initializer=keras.initializers.Constant(1e6),
        return_sequences=True,
    )
    with pytest.raises(ValueError, match="^`layer` must put out finite states. Recei"):
        fit_readout(layer, X, Y, washout=5)
