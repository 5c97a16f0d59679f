"""Layers under test that the tests of the Neural Turing Machine share."""

import keras
import numpy as np
import pytest
import reference
from keras import ops
from layer_weights import randomise

import memnets
from memnets.memory import addressing

B, T, F, N, W = 3, 5, 3, 8, 4
EPSILONS = (addressing.NORM_EPSILON, addressing.SHARPEN_EPSILON)

MASK = np.array(
    [[1, 1, 1, 1, 1], [0, 1, 1, 0, 1], [1, 1, 0, 0, 0]],
    bool,
)


def sequences(batch_size=B, time=T, seed=0):
    rng = np.random.default_rng(seed)
    return rng.standard_normal((batch_size, time, F)).astype("float32")


def arguments(**changes):
    named = isinstance(changes.get("controller", "lstm"), str)
    return {
        "memory_size": N,
        "word_size": W,
        "controller_size": 6 if named else None,
        "initial_memory": "random",
        "initial_weightings": "uniform",
        "initial_reads": "zeros",
        **changes,
    }


def unbuilt_ntm(units=2, **changes):
    return memnets.NTM(units, **arguments(**changes))


def ntm(units=2, **changes):
    layer = unbuilt_ntm(units, **changes)
    layer.build((B, None, F))
    return randomise(layer)


def twin(layer, **changes):
    """Another layer with the same weights."""
    other = memnets.NTM(**{**layer.get_config(), **changes})
    other.build((B, None, F))
    other.set_weights(layer.get_weights())
    other.reset_state()  # its state came from the weights before `set_weights`
    return other


def assert_same_state(actual, expected, atol=1e-6):
    """Compares two lists of flat states, or two of `NTMState`."""
    actual, expected = keras.tree.flatten(actual), keras.tree.flatten(expected)
    for x, y in zip(actual, expected, strict=True):
        np.testing.assert_allclose(x, y, atol=atol)


CONTROLLERS = pytest.mark.parametrize(
    ("controller", "control"),
    [("feedforward", reference.feedforward_step), ("lstm", reference.lstm_step)],
)
# 1e-4: five float32 steps against float64, each sharpened by gamma.
PAPER_TOLERANCE = 1e-4


def built(**changes):
    layer = unbuilt_ntm(**changes)
    layer.build((B, None, F))
    return layer


def initial_state(layer, batch_size=B):
    return layer.cell.unpack(layer.cell.get_initial_state(batch_size=batch_size))


def mean_square(output):
    return ops.mean(ops.square(ops.cast(output, "float32") - 1.0))
