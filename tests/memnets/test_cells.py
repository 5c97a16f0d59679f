"""Recurrent cells."""

import keras
import numpy as np
import pytest
import reference
from layer_weights import arrays, randomise

import memnets


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


def test_feedforward_cell_computes_every_step_of_a_sequence_alike():
    cell, inputs = built(5), sequences(4, 6, 3)
    outputs = keras.layers.RNN(cell, return_sequences=True)(inputs)
    expected = np.tanh(inputs @ arrays(cell)[0] + arrays(cell)[1])
    np.testing.assert_allclose(outputs, expected, atol=1e-5)
