"""Layers under test that the tests of the Differentiable Neural Computer share."""

import contextlib

import dnc_reference
import keras
import numpy as np
import pytest
import reference
from layer_weights import arrays, randomise

import memnets
from memnets.memory import addressing

B, T, F, N, W = 3, 5, 3, 6, 4
EPSILONS = dnc_reference.Epsilons(addressing.NORM_EPSILON, addressing.SHARPEN_EPSILON)
MASK = np.array(
    [[1, 1, 1, 1, 1], [0, 1, 1, 0, 1], [1, 1, 0, 0, 0]],
    bool,
)
# Every option by itself, all of them, and several heads.
OPTIONS = {
    "plain": {},
    "no links": {"links": False},
    "deallocate": {"deallocate": True},
    "masks": {"masks": True},
    "masks from 0": {"masks": True, "mask_min": 0.0},
    "sharp links": {"sharpen_links": True},
    "all": {"deallocate": True, "masks": True, "sharpen_links": True},
    "three readers": {"num_read_heads": 3},
    "two writers": {"num_write_heads": 2},
    "many heads, all": {
        "num_read_heads": 3,
        "num_write_heads": 2,
        "deallocate": True,
        "masks": True,
        "sharpen_links": True,
    },
    "many heads, no links": {
        "num_read_heads": 2,
        "num_write_heads": 3,
        "links": False,
        "masks": True,
    },
}
EACH_OPTION = pytest.mark.parametrize("name", OPTIONS)
CONTROLLERS = pytest.mark.parametrize(
    ("controller", "control"),
    [("feedforward", reference.feedforward_step), ("lstm", reference.lstm_step)],
)


def sequences(batch_size=B, time=T, seed=0):
    rng = np.random.default_rng(seed)
    return rng.standard_normal((batch_size, time, F)).astype("float32")


def unbuilt_dnc(units=2, **changes):
    named = isinstance(changes.get("controller", "lstm"), str)
    sizes = {
        "memory_size": N,
        "word_size": W,
        "controller_size": 5 if named else None,
    }
    return memnets.DNC(units, **{**sizes, **changes})


def dnc(units=2, **changes):
    layer = unbuilt_dnc(units, **changes)
    layer.build((B, None, F))
    return randomise(layer)


def twin(layer, **changes):
    """Another layer with the same weights."""
    other = memnets.DNC(**{**layer.get_config(), **changes})
    other.build((B, None, F))
    other.set_weights(layer.get_weights())
    other.reset_state()  # its state came from the weights before `set_weights`
    return other


@contextlib.contextmanager
def double_precision():
    """Makes `dtype="float64"` work on JAX."""
    if keras.backend.backend() == "torch":
        pytest.skip("Keras multiplies matrices in float32 on PyTorch")
    if keras.backend.backend() != "jax":
        yield
        return
    import jax

    with jax.enable_x64(True):
        yield


def logistic_controller():
    """A controller in float64 for `reference.logistic_step`. On JAX, Keras computes the
    hyperbolic tangent of other controllers in float32."""
    return memnets.cells.FeedforwardCell(5, activation="sigmoid", dtype="float64")


def assert_double_precision_is_kept(make_layer, run_oracle, inputs, **options):
    """The outputs of a layer in float64 are those of its oracle, to 1e-12."""
    with double_precision():
        layer = make_layer(
            controller=logistic_controller(),
            initial_memory="random",
            return_sequences=True,
            dtype="float64",
            **options,
        )
        inputs = inputs.astype("float64")
        expected, _ = run_oracle(layer, reference.logistic_step, inputs)
        np.testing.assert_allclose(layer(inputs), expected, atol=1e-12, rtol=0)


def options_of(cell):
    return dnc_reference.Options(
        cell.num_read_heads,
        cell.num_write_heads,
        cell.word_size,
        cell.links,
        cell.deallocate,
        cell.mask_min if cell.masks else None,
        cell.sharpen_links,
    )


def oracle_weights(cell):
    return reference.NTMWeights(
        controller=arrays(cell.controller),
        heads=arrays(cell.heads),
        projection=arrays(cell.projection),
    )


def oracle_state(state, index=0):
    """The state of one example, of a named state."""

    def array(tensor):
        return np.zeros(0) if tensor is None else np.asarray(tensor, "float64")[index]

    return dnc_reference.DNCState(
        tuple(array(part) for part in state.controller),
        *map(array, (state.reads, state.weightings, state.usage, state.memory)),
        *map(array, (state.precedence, state.links)),
    )


def run_oracle(layer, control, inputs):
    """Outputs `(B, T, units)` and the states of every example and step, by the
    oracle."""
    start = layer.cell.unpack(layer.cell.get_initial_state(batch_size=1))
    runs = [
        dnc_reference.dnc_run(
            np.asarray(sequence, "float64"),
            oracle_state(start),
            oracle_weights(layer.cell),
            control,
            options_of(layer.cell),
            EPSILONS,
        )
        for sequence in inputs
    ]
    return np.array([outputs for outputs, _ in runs]), [states for _, states in runs]


def assert_same_state(actual, expected, atol=1e-6):
    """Compares two lists of flat states, or two of `DNCState`."""
    actual, expected = keras.tree.flatten(actual), keras.tree.flatten(expected)
    for x, y in zip(actual, expected, strict=True):
        if y is not None:
            np.testing.assert_allclose(x, y, atol=atol)
