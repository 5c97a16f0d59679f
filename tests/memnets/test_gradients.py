"""Gradients against central differences in float64, and the compiled kernel against
these gradients."""

import functools
import itertools

import keras
import numpy as np
import pytest
from conformance.descriptors import DESCRIPTORS, FEATURES
from gradients import (
    assert_central_differences,
    central_differences,
    values_and_gradients,
)
from layer_weights import randomise

import memnets
from memnets import native

pytestmark = pytest.mark.only("tensorflow", reason="JAX computes in float32 only")
KERNEL_TOLERANCE = 1e-4  # of float32, relative to the largest entry
BATCH_SIZE, TIME = 2, 2
MASK = np.array([[True, True], [True, False]])

CONTROLLERS = {
    "lstm": ("lstm", 3),
    "feedforward": ("feedforward", 3),
    "stack": ("lstm", (3, 2)),
    "custom": ("custom", 3),
}
HEADS = ((1, 1), (2, 1), (1, 2), (3, 2))
SHIFT_RANGES = (0, 1, 2, 3)
MEMORIES = ("random", "constant", "constant-trainable", "learned")
# Initial states of weightings and reads that are trained.
STARTS = (
    ("learned", "learned"),
    ("uniform", "learned"),
    ("one-hot", "zeros"),
    ("learned", "zeros"),
)


def every_pair():
    """Rows of options in which every pair of options of two kinds occurs.

    16 rows instead of 1024: an orthogonal array over the field of four elements.
    """
    times = ((0, 0, 0, 0), (0, 1, 2, 3), (0, 2, 3, 1), (0, 3, 1, 2))
    kinds = (CONTROLLERS, HEADS, SHIFT_RANGES, MEMORIES, STARTS)
    for a, b in itertools.product(range(4), repeat=2):
        levels = (a, b, a ^ b, a ^ times[2][b], a ^ times[3][b])
        yield tuple(
            list(kind)[level] for kind, level in zip(kinds, levels, strict=True)
        )


ROWS = list(every_pair())
EVERY_ROW = pytest.mark.parametrize(
    "row",
    ROWS,
    ids=[
        f"{controller} {read}+{write} shift {shift} {memory} {weightings} {reads}"
        for controller, (read, write), shift, memory, (weightings, reads) in ROWS
    ],
)


def test_every_pair_of_options_occurs():
    kinds = (CONTROLLERS, HEADS, SHIFT_RANGES, MEMORIES, STARTS)
    for i, j in itertools.combinations(range(len(kinds)), 2):
        met = {(row[i], row[j]) for row in ROWS}
        assert met == set(itertools.product(kinds[i], kinds[j]))


def ntm(row, dtype):
    controller, (read, write), shift_range, memory, (weightings, reads) = row
    name, size = CONTROLLERS[controller]
    if name == "custom":
        name, size = keras.layers.GRUCell(size, dtype=dtype), None
    return memnets.NTM(
        2,
        memory_size=7,
        word_size=2,
        num_read_heads=read,
        num_write_heads=write,
        shift_range=shift_range,
        controller=name,
        controller_size=size,
        initial_memory=memory,
        initial_weightings=weightings,
        initial_reads=reads,
        return_sequences=True,
        unroll=True,  # half the time; the loop itself is that of Keras
        dtype=dtype,
    )


def inputs_and_factors(output_size):
    rng = np.random.default_rng(0)
    inputs = rng.standard_normal((BATCH_SIZE, TIME, FEATURES))
    return inputs, rng.standard_normal((BATCH_SIZE, TIME, output_size))


def randomly_built(layer):
    layer.build((None, None, FEATURES))
    return randomise(layer)


@functools.cache
def gradients_of_ntm(row):
    """A layer in float64, and its gradients."""
    layer = randomly_built(ntm(row, "float64"))
    inputs, factors = inputs_and_factors(layer.cell.units)
    return layer, values_and_gradients(layer, inputs, [factors], mask=MASK)[1]


@EVERY_ROW
def test_gradients_of_ntm_are_central_differences(row):
    layer, gradients = gradients_of_ntm(row)
    assert_central_differences(
        gradients,
        central_differences(layer, *inputs_and_factors(layer.cell.units), MASK),
    )


# Their options are in the rows above; the loop over steps is that of "NTMCell".
OF_NTM = ("NTM, LSTM", "NTM, feedforward, many heads, learned state, sequences")


@pytest.mark.parametrize(
    "descriptor",
    [
        pytest.param(row, id=row.name)
        for row in DESCRIPTORS
        if not row.draws and row.name not in OF_NTM
    ],
)
def test_gradients_of_every_layer_are_central_differences(descriptor):
    layer = randomly_built(descriptor.make_layer("float64"))
    inputs, factors = inputs_and_factors(descriptor.output_size)
    is_stack = descriptor.layer_class is memnets.StackedLSTM
    if not getattr(layer, "return_sequences", is_stack):
        factors = factors[:, -1]
    _, gradients = values_and_gradients(layer, inputs, [factors], mask=MASK)
    assert_central_differences(
        gradients, central_differences(layer, inputs, factors, MASK)
    )


@pytest.mark.skipif(not native.is_available(), reason=f"no kernel: {native.status()}")
@EVERY_ROW
def test_gradients_of_the_kernel_are_those_in_float64(row):
    if row[0] == "custom":
        pytest.skip("the kernel computes named controllers only")
    _, expected = gradients_of_ntm(row)
    layer = randomly_built(ntm(row, "float32"))
    assert native.covers(layer.cell)
    inputs, factors = inputs_and_factors(layer.cell.units)
    _, actual = values_and_gradients(
        layer, inputs.astype("float32"), [factors], mask=MASK
    )
    for (name, gradient), like in zip(actual.items(), expected.values(), strict=True):
        scale = max(np.max(np.abs(like)), 1e-3)
        np.testing.assert_allclose(
            gradient, like, rtol=0, atol=KERNEL_TOLERANCE * scale, err_msg=name
        )
