"""Values and gradients are finite for all finite inputs up to 1e4, in every layer and
precision, with and without the compiled kernel."""

import functools
from typing import NamedTuple

import hypothesis
import keras
import numpy as np
import pytest
from cases import cases
from conformance.descriptors import (
    DESCRIPTORS,
    FEATURES,
    OTHER_INPUTS,
    cell_dtype,
    registered_layer_classes,
)
from gradients import values_and_gradients
from hypothesis import strategies as st
from layer_weights import randomise

import memnets
from memnets import native

LARGEST = 1e4
POLICIES = ("float32", "mixed_float16", "float16", "mixed_bfloat16", "bfloat16")
# JAX compiles each case for seconds, and PyTorch takes seconds for long ones.
IS_SLOW = keras.backend.backend() != "tensorflow"


@pytest.fixture(autouse=True)
def switch_on_again():
    yield
    native.set_enabled(True)


# Layers


class Making(NamedTuple):
    """How a layer is made: by the name of a row of the descriptors, or by arguments of
    `NTM` or `DNC`, as pairs."""

    name: str = ""
    arguments: tuple = ()
    layer_class: type = memnets.NTM


CELLS = {
    "GRUCell": lambda dtype: keras.layers.GRUCell(4, dtype=cell_dtype(dtype)),
    # Activations without bounds.
    "relu": lambda dtype: memnets.cells.FeedforwardCell(4, "relu", dtype=dtype),
    "linear": lambda dtype: memnets.cells.FeedforwardCell(4, None, dtype=dtype),
    "NTMCell": lambda dtype: memnets.NTMCell(
        3, memory_size=4, word_size=2, controller_size=2, dtype=dtype
    ),
}


def make(making, policy):
    if making.name:
        (row,) = (row for row in DESCRIPTORS if row.name == making.name)
        return row.make_layer(policy)
    arguments = dict(making.arguments)
    controller = arguments["controller"]
    if controller in CELLS:
        arguments["controller"] = CELLS[controller](policy)
        del arguments["controller_size"]
    return making.layer_class(2, **arguments, dtype=policy)


@functools.lru_cache(maxsize=100)
def built(making, policy):
    layer = make(making, policy)
    layer.build((None, None, FEATURES))
    return layer


rows = st.sampled_from([Making(row.name) for row in DESCRIPTORS])
ntms = st.fixed_dictionaries(
    {
        "memory_size": st.sampled_from([7, 5, 12]),
        "word_size": st.sampled_from([3, 1]),
        "num_read_heads": st.integers(1, 3),
        "num_write_heads": st.integers(1, 3),
        "shift_range": st.integers(0, 2),
        "controller": st.sampled_from(["lstm", "feedforward", *CELLS]),
        "controller_size": st.sampled_from([4, (4, 3), (2, 3, 2)]),
        "initial_memory": st.sampled_from(
            ["random", "randomized", "constant", "constant-trainable", "learned"]
        ),
        "initial_weightings": st.sampled_from(["one-hot", "uniform", "learned"]),
        "initial_reads": st.sampled_from(["zeros", "learned"]),
        "return_sequences": st.booleans(),
        "return_state": st.booleans(),
        "go_backwards": st.booleans(),
        "zero_output_for_mask": st.booleans(),
    }
).map(lambda drawn: Making(arguments=tuple(drawn.items())))


dncs = st.fixed_dictionaries(
    {
        "memory_size": st.sampled_from([7, 5, 12]),
        "word_size": st.sampled_from([3, 1]),
        "num_read_heads": st.integers(1, 3),
        "num_write_heads": st.integers(1, 3),
        "controller": st.sampled_from(["lstm", "feedforward", *CELLS]),
        "controller_size": st.sampled_from([4, (4, 3)]),
        "initial_memory": st.sampled_from(["zeros", "random", "randomized", "learned"]),
        "deallocate": st.booleans(),
        "masks": st.booleans(),
        "mask_min": st.sampled_from([0.0, 0.1]),
        "usage_gradient": st.booleans(),
        "return_sequences": st.booleans(),
        "return_state": st.booleans(),
        "go_backwards": st.booleans(),
    }
)
dncs = st.tuples(
    dncs, st.sampled_from([(False, False), (True, False), (True, True)])
).map(
    lambda drawn: Making(
        arguments=tuple(drawn[0].items())
        + tuple(zip(("links", "sharpen_links"), drawn[1], strict=True)),
        layer_class=memnets.DNC,
    )
)


# Numbers

sizes = st.one_of(
    st.sampled_from([LARGEST, 1.0, 1e-30, 0.0]),
    st.floats(-30, 4).map(lambda exponent: 10.0**exponent),
)


def noise(rng, shape):
    return rng.uniform(-1, 1, shape)


def one_hot(rng, shape):
    array = np.zeros(shape)
    array.reshape(-1)[:: shape[-1] + 1] = 1
    return array


KINDS = {
    "noise": noise,
    "signs": lambda rng, shape: rng.choice([-1.0, 1.0], shape),
    "constant": lambda rng, shape: np.ones(shape),
    "one-hot": one_hot,
    # A single large number among small ones.
    "spike": lambda rng, shape: one_hot(rng, shape) + 1e-6 * noise(rng, shape),
}
MASKS = {
    "random": lambda rng, shape: rng.random(shape) < 0.5,
    "none of it": lambda rng, shape: np.zeros(shape, bool),
    "late": lambda rng, shape: np.arange(shape[1]) + np.zeros(shape) > 0,
}


class Case(NamedTuple):
    making: Making
    policy: str
    has_kernel: bool
    shape: tuple
    kind: str
    size: float
    mask: str | None
    weights: float | None
    states: float | None
    seed: int

    def arrays(self, layer):
        """`(inputs, states, mask)`."""
        rng = np.random.default_rng(self.seed)
        inputs = self.size * KINDS[self.kind](rng, (*self.shape, FEATURES))
        states = None
        if self.states is not None:
            states = [
                self.states * KINDS[self.kind](rng, state.shape)
                for state in layer.get_initial_state(self.shape[0])
            ]
            states = [s.astype("float32") for s in with_weightings(layer.cell, states)]
        mask = self.mask and MASKS[self.mask](rng, self.shape)
        return inputs.astype("float32"), states, mask


def with_weightings(cell, states):
    """The states with weightings, which sum to one, where a cell has some; with usage
    and links from 0 to 1."""
    if not isinstance(cell, memnets.NTMCell | memnets.DNCCell):
        return states
    controller, reads, others = cell.state_layout.split(states)
    weightings, *shares, memory = others
    heads = 1e-9 + np.abs(np.stack(np.split(weightings, cell.num_heads, axis=1)))
    weightings = np.concatenate(heads / heads.sum(axis=-1, keepdims=True), axis=-1)
    controller = with_weightings(cell.controller, controller)
    shares = [np.minimum(np.abs(share), 1) / cell.memory_size for share in shares]
    return [states[0], *controller, reads, weightings, *shares, memory]


shapes = st.sampled_from(
    [(2, 3), (1, 1), (4, 2), (0, 2)] if not IS_SLOW else [(2, 3), (0, 2)]
)
drawn_cases = st.builds(
    Case,
    making=rows if IS_SLOW else st.one_of(rows, ntms, dncs),
    policy=st.sampled_from(POLICIES),
    has_kernel=st.booleans(),
    shape=shapes,
    kind=st.sampled_from(list(KINDS)),
    size=sizes,
    mask=st.one_of(st.none(), st.sampled_from(list(MASKS))),
    # Scale of the random weights; those of the initialisers if None.
    weights=st.sampled_from([0.6, 60.0, None, 0.0]),
    states=st.one_of(st.none(), st.sampled_from([1.0, LARGEST])),
    seed=st.integers(0, 99),
)


def assert_finite(case):
    native.set_enabled(case.has_kernel)
    layer = (
        make(case.making, case.policy)
        if case.weights is None
        else built(case.making, case.policy)
    )
    if case.weights is None:
        layer.build((None, None, FEATURES))
    else:
        randomise(layer, case.seed, case.weights)
    if not hasattr(layer, "cell"):  # it has states of another form, or none
        case = case._replace(states=None)
    inputs, states, mask = case.arrays(layer)
    factors = np.random.default_rng(case.seed).choice([-1.0, 1.0], 20)
    values, gradients = values_and_gradients(layer, inputs, list(factors), states, mask)
    for value in values:
        assert np.all(np.isfinite(value))
    for name, gradient in gradients.items():
        if is_cast_by_keras(layer, name):
            # They may be larger than float16 can represent.
            assert not np.any(np.isnan(gradient)), name
        else:
            assert np.all(np.isfinite(gradient)), name


def is_cast_by_keras(layer, name):
    """Whether Keras casts a gradient outside the cell: `keras.layers.RNN` in float16
    casts its initial states, and so their gradients."""
    return (
        type(layer) is keras.layers.RNN
        and layer.compute_dtype == "float16"
        and name.startswith("state")
    )


def test_gradients_of_given_states_that_exceed_float16():
    """A case found at random: a memory of 1e4 times weights of 60. Only the casts of
    `keras.layers.RNN` make these gradients infinite."""
    arguments = {"memory_size": 4, "word_size": 3, "num_write_heads": 2}
    ours = Making(arguments=(*arguments.items(), ("controller", "feedforward")))
    for making in (Making("NTMCell"), ours):
        for seed in range(3 if IS_SLOW else 10):
            assert_finite(
                Case(
                    making=making,
                    policy="mixed_float16",
                    has_kernel=False,
                    shape=(2, 3),
                    kind="noise",
                    size=LARGEST,
                    mask=None,
                    weights=60.0,
                    states=LARGEST,
                    seed=seed,
                )
            )


@hypothesis.given(drawn_cases)
@cases(12 if IS_SLOW else 40)
def test_values_and_gradients_are_finite(case):
    assert_finite(case)


def test_every_registered_layer_is_sampled():
    drawn = {row.layer_class for row in DESCRIPTORS}
    assert drawn >= set(registered_layer_classes()) - set(OTHER_INPUTS)
