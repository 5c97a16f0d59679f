"""Initializers of recurrent networks."""

import keras
import numpy as np
import pytest

from memnets.initializers import LongMemory, SpectralRadius


@pytest.mark.parametrize("steps", [2, 100, 1000])
def test_an_lstm_keeps_what_it_stored_for_so_many_steps(steps):
    i, f, c, o = np.split(np.asarray(LongMemory(steps)((12,))), 4)
    np.testing.assert_array_equal(c, 0)
    np.testing.assert_array_equal(o, 0)
    np.testing.assert_allclose(f, np.log(steps), rtol=1e-6)
    np.testing.assert_allclose(i, -f)
    kept = (1 / (1 + np.exp(-f.astype("float64")))) ** steps
    assert (kept >= 1 / np.e).all() and (kept < 0.5).all()


def test_input_gates_begin_where_they_are_told_to():
    i, f, *_ = np.split(np.asarray(LongMemory(100, input_gate_bias=-1.5)((12,))), 4)
    np.testing.assert_array_equal(i, -1.5)
    np.testing.assert_allclose(f, np.log(100), rtol=1e-6)
    with pytest.raises(ValueError, match="`input_gate_bias` must be a finite number"):
        LongMemory(100, input_gate_bias=np.nan)


def test_the_biases_have_the_places_that_keras_gives_them():
    """With a carry of 1 and no input, the carry after a step is the forget gate."""
    layer = keras.layers.LSTM(
        2, bias_initializer=LongMemory(50), unit_forget_bias=False, return_state=True
    )
    start = [np.zeros((1, 2), "float32"), np.ones((1, 2), "float32")]
    _, _, carry = layer(np.zeros((1, 1, 3), "float32"), initial_state=start)
    np.testing.assert_allclose(carry, 50 / 51, rtol=1e-6)


@pytest.mark.parametrize("shape", [(3, 4), (6,)])
def test_long_memory_is_for_the_biases_of_an_lstm(shape):
    with pytest.raises(ValueError, match="the biases of an LSTM, a vector of four"):
        LongMemory(10)(shape)


@pytest.mark.parametrize("steps", [1, 0, -5, "10"])
def test_steps_out_of_range_are_errors(steps):
    with pytest.raises(ValueError, match="`steps` must be a finite number at least 2"):
        LongMemory(steps)


@pytest.mark.parametrize("connections", [None, 3])
@pytest.mark.parametrize("radius", [0.1, 0.95, 1.2])
def test_the_largest_eigenvalue_is_the_radius(radius, connections):
    matrix = np.asarray(SpectralRadius(radius, connections, seed=1)((40, 40)))
    assert np.abs(np.linalg.eigvals(matrix)).max() == pytest.approx(radius, abs=1e-6)
    if connections:
        assert ((matrix != 0).sum(axis=0) == connections).all()
        assert len(set((matrix != 0).sum(axis=1))) > 1


def test_seeds_give_matrices():
    one, same, other = (
        np.asarray(SpectralRadius(1.0, seed=s)((5, 5))) for s in (1, 1, 2)
    )
    np.testing.assert_array_equal(one, same)
    assert (one != other).all()
    drawn = []
    for _ in range(2):
        keras.utils.set_random_seed(3)
        drawn.append(np.asarray(SpectralRadius(1.0)((5, 5))))
    np.testing.assert_array_equal(*drawn)


@pytest.mark.parametrize(
    ("arguments", "shape", "message"),
    [
        ({"radius": 0}, (3, 3), "`radius` must be a finite number above 0"),
        ({"radius": -1}, (3, 3), "`radius` must be a finite number above 0"),
        ({"radius": 1, "connections": 0}, (3, 3), "`connections` must be a positive"),
        ({"radius": 1, "connections": 4}, (3, 3), "must be at most the 3 units"),
        ({"radius": 1}, (3, 4), "must initialise a square matrix"),
        ({"radius": 1}, (3,), "must initialise a square matrix"),
    ],
)
def test_a_radius_that_cannot_be_is_an_error(arguments, shape, message):
    with pytest.raises(ValueError, match=message):
        SpectralRadius(**arguments)(shape)


@pytest.mark.parametrize(
    "initializer", [LongMemory(30), LongMemory(30, -2.0), SpectralRadius(0.9, 2, 7)]
)
def test_initializers_are_serialised(initializer):
    config = keras.initializers.serialize(initializer)
    again = keras.initializers.deserialize(config)
    assert type(again) is type(initializer)
    assert again.get_config() == initializer.get_config()
