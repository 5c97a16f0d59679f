"""The compiled kernel against the portable path: values and gradients of one layer."""

import contextlib

import numpy as np
import pytest
from gradients import values_and_gradients
from layer_weights import randomise

from memnets import native

# 1e-4: float32 against float32 in another order, over up to 200 steps.
TOLERANCE = 1e-4
# The kernel is the same on every backend; that each calls it rightly is tested by what
# compares the two paths.
COMPILED = pytest.param(True, marks=pytest.mark.once)
BOTH_PATHS = pytest.mark.parametrize("compiled", [COMPILED, False])


# Arguments of which the controller sees the size of what was read at most: the kernel
# ends it with the raw parameters of the heads, with which the memory begins.
OF_THE_MEMORY = {
    *("memory_size", "word_size", "num_read_heads", "num_write_heads", "shift_range"),
    *("deallocate", "masks", "mask_min", "sharpen_links", "usage_gradient", "links"),
    *("strengths", "separate_add", "decay", "noise"),
}


def each_controller(configurations):
    """Parameters `name` and `controller` of a test of the kernel: what is one of the
    memory alone is tried with one controller."""
    pairs = [(name, "feedforward") for name in configurations]
    pairs += [
        (name, "lstm")
        for name, changes in configurations.items()
        if not changes or set(changes) - OF_THE_MEMORY
    ]
    return pytest.mark.parametrize(("name", "controller"), pairs)


@contextlib.contextmanager
def path(compiled):
    """The compiled kernel where it covers a layer, or the portable path."""
    native.set_enabled(compiled)
    try:
        yield
    finally:
        native.set_enabled(True)


def layer_and_arguments(
    layer_class, batch, steps, features, has_mask, noise=0.1, **changes
):
    """A built layer, and inputs, states and mask for it. `noise` is added to the
    initial state."""
    rng = np.random.default_rng(0)
    arguments = {"memory_size": 16, "word_size": 6, "controller_size": 12, **changes}
    layer = layer_class(3, return_sequences=True, return_state=True, **arguments)
    layer.build((batch, steps, features))
    # Small weights, so that long sequences do not amplify rounding errors.
    randomise(layer, scale=0.2)
    inputs = rng.standard_normal((batch, steps, features)).astype("float32")
    states = [np.asarray(state) for state in layer.get_initial_state(batch)]
    states = [
        (state + noise * rng.random(state.shape)).astype("float32") for state in states
    ]
    states[0] *= 0  # under a mask, TensorFlow and JAX use it differently in Keras
    mask = rng.random((batch, steps)) < 0.7 if has_mask else None
    return layer, inputs, states, mask


def assert_both_paths_agree(
    layer_class, batch=3, steps=5, features=5, has_mask=False, **changes
):
    """Compares values and all gradients of a layer on both paths."""
    layer, inputs, states, mask = layer_and_arguments(
        layer_class, batch, steps, features, has_mask, **changes
    )
    assert native.covers(layer.cell)
    shapes = [r.shape for r in layer(inputs, initial_state=states)]
    rng = np.random.default_rng(1)
    factors = [rng.standard_normal(shape).astype("float32") for shape in shapes]
    arguments = layer, inputs, factors, states, mask
    values, gradients = values_and_gradients(*arguments)
    with path(compiled=False):
        assert not native.covers(layer.cell)
        expected_values, expected = values_and_gradients(*arguments)
    for value, like in zip(values, expected_values, strict=True):
        np.testing.assert_allclose(value, like, rtol=0, atol=relative_to(like))
    assert gradients.keys() == expected.keys()
    for name, gradient in gradients.items():
        like = expected[name]
        np.testing.assert_allclose(
            gradient, like, rtol=0, atol=relative_to(like), err_msg=name
        )


def assert_input_stays_in_its_sequence(layer, value):
    """One extreme number in one of five sequences changes none of the others. What
    comes out of its own is finite, or NaN if it is."""
    layer.build((None, None, 3))
    randomise(layer)
    inputs = np.random.default_rng(0).standard_normal((5, 12, 3)).astype("float32")
    expected = np.asarray(layer(inputs))
    inputs[2, 4, 0] = value
    actual = np.asarray(layer(inputs))
    others = [0, 1, 3, 4]
    np.testing.assert_array_equal(actual[others], expected[others])
    assert np.all(np.isnan(actual[2]) if np.isnan(value) else np.isfinite(actual[2]))


def relative_to(array):
    """The tolerance for an array: relative to its largest entry."""
    return TOLERANCE * max(np.max(np.abs(array), initial=0), 1e-3)
