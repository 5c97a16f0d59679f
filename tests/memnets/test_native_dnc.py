"""The compiled kernel of the DNC against the portable path, against plain loops and at
its limits. tests/memnets/test_dnc.py compares it with the papers."""

import dnc_reference
import keras
import numpy as np
import pytest
from both_paths import (
    assert_both_paths_agree,
    assert_input_stays_in_its_sequence,
    each_controller,
)

import memnets
from memnets import native
from memnets.native import library
from memnets.native.kernel_layout import layout_of

pytestmark = pytest.mark.skipif(
    not native.is_available(), reason=f"no kernel: {native.status()}"
)
ON_JAX = keras.backend.backend() == "jax"

ALL = {
    "num_read_heads": 3,
    "num_write_heads": 2,
    "deallocate": True,
    "masks": True,
    "sharpen_links": True,
    "usage_gradient": True,
}
CONFIGURATIONS = {
    "as it comes": {},
    "one step": {"steps": 1},
    "17 steps": {"steps": 17, "batch": 2},
    "zero memory": {"noise": 0.0},
    "odd sizes": {"memory_size": 37, "word_size": 5, "controller_size": 33},
    "one row": {"memory_size": 1},
    "blocks of uneven size": {"batch": 19, "has_mask": True},
    "stack, backwards": {"controller_size": (12, 7), "go_backwards": True},
    "deallocate": {"deallocate": True},
    "masks": {"masks": True, "mask_min": 0.4},
    "sharp links": {"sharpen_links": True},
    "usage gradient": {"usage_gradient": True},
    "no links": {"links": False, "num_read_heads": 2, "num_write_heads": 2},
    "7 read heads": {"num_read_heads": 7},
    "3 write heads": {"num_write_heads": 3},
    "all": {**ALL, "has_mask": True, "steps": 12, "memory_size": 19},
}
if keras.backend.backend() != "tensorflow":
    # Each row takes seconds elsewhere: only one of all that differ in Python code.
    CONFIGURATIONS = {"all": CONFIGURATIONS["all"]}


@(
    each_controller(CONFIGURATIONS)
    if keras.backend.backend() == "tensorflow"
    else pytest.mark.parametrize(("name", "controller"), [("all", "lstm")])
)
def test_values_and_gradients_are_those_of_the_portable_path(name, controller):
    assert_both_paths_agree(memnets.DNC, controller=controller, **CONFIGURATIONS[name])


# Rows are found in their order


def writer(memory_size, **changes):
    """A layer whose write heads allocate whatever comes in, and whose read heads free
    nothing."""
    layer = memnets.DNC(
        2,
        memory_size=memory_size,
        word_size=2,
        controller="feedforward",
        controller_size=3,
        return_state=True,
        **changes,
    )
    layer.build((1, None, 3))
    shapes = layer.cell.memory.head_shapes
    gates = {"free_gate": -100.0, "allocation_gate": 100.0, "write_gate": 100.0}
    bias = [np.full(h * size, gates.get(n, 0.0)) for n, (h, size) in shapes.items()]
    layer.cell.heads.kernel.assign(0 * layer.cell.heads.kernel)
    layer.cell.heads.bias.assign(np.concatenate(bias))
    return layer


def last_state(layer, steps, **parts):
    """The state after some steps from the initial state, with parts of it replaced."""
    start = layer.cell.unpack(layer.cell.get_initial_state(1))
    states = layer.cell.pack(start._replace(**parts))
    assert native.covers(layer.cell)
    _, *states = layer(np.zeros((1, steps, 3), "float32"), initial_state=states)
    return layer.cell.unpack(states)


@pytest.mark.once
def test_free_rows_are_written_in_their_order_until_the_memory_is_full():
    """With 5 rows in vectors of up to 16: what fills a vector up is never allocated."""
    layer = writer(5)
    for steps in range(1, 6):
        state = last_state(layer, steps)
        np.testing.assert_array_equal(state.weightings[0, 1], np.eye(5)[steps - 1])
    state = last_state(layer, 6)
    np.testing.assert_array_equal(state.weightings[0, 1], np.zeros(5))
    np.testing.assert_array_equal(state.usage[0], np.ones(5))


@pytest.mark.once
def test_links_keep_the_order_of_writing():
    links = last_state(writer(5), 5).links
    np.testing.assert_array_equal(links[0, 0], np.eye(5, k=-1))


TIES = {
    "all free": np.zeros(37),
    "all alike": np.full(37, 0.9),
    "pairs": np.tile([0.95, 0.9], 18),
    # So far from the order of the rows that they are sorted as a whole.
    "falling": np.linspace(1, 0.5, 300),
    "drawn": np.random.default_rng(0).choice([0.8, 0.9, 1.0], 300),
    "-0": np.array([0.5, 0.0, -0.0, 0.0]),
}


@pytest.mark.once
@pytest.mark.parametrize("name", TIES)
@pytest.mark.parametrize("num_write_heads", [1, 2])
def test_rows_of_equal_usage_are_allocated_in_their_order(name, num_write_heads):
    if (name, num_write_heads) == ("drawn", 2):
        # What the first head allocates makes usages of the second that differ by less
        # than float32 can tell.
        pytest.skip("the oracle computes in float64")
    usage = TIES[name].astype("float32")
    layer = writer(len(usage), num_write_heads=num_write_heads)
    state = last_state(layer, 1, usage=usage[None])
    expected = dnc_reference.allocate(usage, np.ones(num_write_heads))
    np.testing.assert_allclose(state.weightings[0, 1:], expected, rtol=0, atol=1e-6)


# Limits


@pytest.mark.once
@pytest.mark.parametrize("value", [np.nan, np.inf, -np.inf, 1e30])
def test_input_that_is_not_a_number_stays_in_its_sequence(value):
    layer = memnets.DNC(2, memory_size=19, word_size=4, controller_size=5, **ALL)
    assert_input_stays_in_its_sequence(layer, value)


@pytest.mark.once
def test_history_is_a_sixteenth_of_what_xla_keeps():
    """At most 0.8 MB a sequence in the size that benchmarks take; XLA keeps 12.8."""
    layer = memnets.DNC(8, memory_size=128, word_size=20, controller_size=100)
    layer.build((None, None, 9))
    layout = layout_of(layer.cell)
    size = library.history_size(layout, layout.sizes(1, 41, 1, True))
    assert 4 * size < 0.8e6
