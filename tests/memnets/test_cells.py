"""Recurrent cells."""

import keras
import numpy as np
import pytest
import reference
from layer_weights import arrays, randomise

import memnets
from memnets.cells import ClippedLSTMCell


def sequences(*shape):
    return np.random.default_rng(0).standard_normal(shape).astype("float32")


def built(*arguments, **keywords):
    cell = memnets.cells.FeedforwardCell(*arguments, **keywords)
    cell.build((None, 3))
    return randomise(cell)


@pytest.mark.parametrize("batch_size", [1, 4])
@pytest.mark.parametrize("units", [1, 5])
def test_feedforward_cell_agrees_with_numpy(batch_size, units):
    cell, inputs = built(units), sequences(batch_size, 3)
    output, _ = cell(inputs, [np.zeros((batch_size, units), "float32")])
    expected, _ = reference.feedforward_step(inputs.astype("float64"), (), arrays(cell))
    np.testing.assert_allclose(output, expected, atol=1e-6)


def test_feedforward_cell_takes_any_activation():
    cell, inputs = built(5, activation="relu"), sequences(4, 3)
    kernel, bias = arrays(cell)
    output, _ = cell(inputs, [np.zeros((4, 5), "float32")])
    np.testing.assert_allclose(output, np.maximum(inputs @ kernel + bias, 0), atol=1e-5)


def test_feedforward_cell_does_not_read_its_state():
    cell, inputs = built(5), sequences(4, 3)
    fresh, _ = cell(inputs, [np.zeros((4, 5), "float32")])
    later, _ = cell(inputs, [np.ones((4, 5), "float32")])
    np.testing.assert_array_equal(later, fresh)


def test_feedforward_cell_keeps_its_output_as_its_state():
    output, states = built(5)(sequences(4, 3), [np.zeros((4, 5), "float32")])
    assert isinstance(states, list)
    np.testing.assert_array_equal(states[0], output)


def test_feedforward_cell_computes_the_same_at_every_step():
    cell, inputs = built(5), sequences(4, 6, 3)
    outputs = keras.layers.RNN(cell, return_sequences=True)(inputs)
    expected = np.tanh(inputs @ arrays(cell)[0] + arrays(cell)[1])
    np.testing.assert_allclose(outputs, expected, atol=1e-5)


def clipped(clip, units=5):
    cell = ClippedLSTMCell(units, clip)
    cell.build((None, 3))
    return randomise(cell)


@pytest.mark.parametrize("clip", [0.1, 1.0])
def test_clipped_lstm_cell_agrees_with_numpy(clip):
    cell, inputs = clipped(clip), sequences(4, 20, 3)
    outputs, _, carries = keras.layers.RNN(
        cell, return_sequences=True, return_state=True
    )(inputs)
    touched = 0
    for sequence, output, carry in zip(inputs, outputs, carries, strict=True):
        state = (np.zeros(5), np.zeros(5))
        for x, actual in zip(sequence.astype("float64"), output, strict=True):
            expected, state = reference.lstm_step(x, state, arrays(cell), clip)
            np.testing.assert_allclose(actual, expected, atol=1e-5)
            touched += np.sum(np.abs(state[1]) == clip)
        np.testing.assert_allclose(carry, state[1], atol=1e-5)
    assert 0 < touched < 4 * 20 * 5  # otherwise a case was not tested


def test_clipped_lstm_cell_with_a_large_bound_equals_that_of_keras():
    cell, inputs = clipped(1e9), sequences(4, 6, 3)
    plain = keras.layers.LSTMCell(5)
    plain.build((None, 3))
    plain.set_weights(cell.get_weights())
    np.testing.assert_allclose(
        keras.layers.RNN(cell)(inputs), keras.layers.RNN(plain)(inputs), atol=1e-6
    )


@pytest.mark.parametrize("name", ["dropout", "recurrent_dropout"])
def test_clipped_lstm_cell_rejects_dropout(name):
    with pytest.raises(ValueError, match=f"{name}=0.5"):
        ClippedLSTMCell(5, 1.0, **{name: 0.5})
