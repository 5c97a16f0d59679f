"""The compiled kernel of LRUA against the portable path and at its limits.
tests/memnets/test_lrua.py compares it with the paper."""

import keras
import lrua_reference
import numpy as np
import pytest
from both_paths import (
    assert_both_paths_agree,
    assert_input_stays_in_its_sequence,
    each_controller,
)

import memnets
from memnets import native

pytestmark = pytest.mark.skipif(
    not native.is_available(), reason=f"no kernel: {native.status()}"
)

CONFIGURATIONS = {
    "as it comes": {},
    "20 steps": {"steps": 20},
    "zero memory": {"noise": 0.0},
    "odd sizes": {"memory_size": 37, "word_size": 5, "controller_size": 33},
    "blocks of uneven size": {"batch": 19, "has_mask": True},
    "stack, backwards": {"controller_size": (12, 7), "go_backwards": True},
    "strengths": {"strengths": True},
    "vectors of their own": {"separate_add": True, "decay": 0.0},
    # A word is longer than the rows of all heads together.
    "one head": {"num_read_heads": 1, "memory_size": 8, "word_size": 40},
    "every row": {"num_read_heads": 16, "decay": 0.5},
    "all": {
        "num_read_heads": 3,
        "strengths": True,
        "separate_add": True,
        "has_mask": True,
        "steps": 12,
        "memory_size": 19,
    },
}
if keras.backend.backend() != "tensorflow":
    # Each row takes seconds elsewhere: only one of all that differ in Python code.
    CONFIGURATIONS = {"all": CONFIGURATIONS["all"]}


@each_controller(CONFIGURATIONS)
def test_values_and_gradients_are_those_of_the_portable_path(name, controller):
    assert_both_paths_agree(memnets.LRUA, controller=controller, **CONFIGURATIONS[name])


def written_rows(usage, num_heads):
    """The row that each head writes, in a step from this usage."""
    layer = memnets.LRUA(
        2,
        memory_size=len(usage),
        word_size=2,
        num_read_heads=num_heads,
        controller_size=3,
        return_state=True,
    )
    layer.build((1, None, 3))
    assert native.covers(layer.cell)
    start = layer.cell.unpack(layer.cell.get_initial_state(1))
    states = layer.cell.pack(start._replace(usage=usage[None]))
    _, *states = layer(np.zeros((1, 1, 3), "float32"), initial_state=states)
    weightings = np.asarray(layer.cell.unpack(states).weightings[0, num_heads:])
    # Nothing was read before, so all of the weight is on the least used row.
    assert (np.count_nonzero(weightings, axis=1) == 1).all()
    return weightings.argmax(axis=1)


USAGE = {
    "none": np.zeros(37),
    "alike": np.full(37, 0.9),
    "falling": np.linspace(1, 0.5, 300),
    "rising": np.linspace(0.5, 1, 300),
    "few values": np.random.default_rng(0).integers(0, 3, 300),
    "-0": np.array([0.5, 0.0, -0.0, 0.0]),
}


@pytest.mark.once
@pytest.mark.parametrize("name", USAGE)
@pytest.mark.parametrize("num_heads", [1, 3, 4])
def test_least_used_rows_are_written_in_their_order(name, num_heads):
    usage = USAGE[name].astype("float32")
    expected = lrua_reference.least_used(usage, num_heads)
    np.testing.assert_array_equal(written_rows(usage, num_heads), expected)


@pytest.mark.once
@pytest.mark.parametrize("value", [np.nan, np.inf, -np.inf, 1e30])
def test_input_that_is_not_a_number_stays_in_its_sequence(value):
    layer = memnets.LRUA(
        2, memory_size=19, word_size=4, controller_size=5, strengths=True
    )
    assert_input_stays_in_its_sequence(layer, value)
