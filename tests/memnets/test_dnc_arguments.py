"""The arguments of the Differentiable Neural Computer, and its heads."""

import inspect
import re

import dnc_reference
import keras
import numpy as np
import pytest
from dnc_layers import EACH_OPTION, OPTIONS, B, T, W, dnc, options_of, unbuilt_dnc

import memnets
from memnets.dnc.memory import DNCMemory

LAYER_CLASSES = pytest.mark.parametrize("layer_class", [memnets.DNC, memnets.DNCCell])


@pytest.mark.once
@LAYER_CLASSES
@pytest.mark.parametrize(
    ("changes", "error", "message"),
    [
        (
            {"memory_size": 0},
            ValueError,
            "`memory_size` must be a positive integer. Received: memory_size=0",
        ),
        (
            {"memory_size": 2**16},
            ValueError,
            "`num_write_heads * memory_size ** 2` must be an integer of at most "
            "2147483647. Received: num_write_heads * memory_size ** 2=4294967296",
        ),
        (
            {"mask_min": 1},
            ValueError,
            "`mask_min` must be a finite number at least 0 and below 1. Received: "
            "mask_min=1",
        ),
        (
            {"sharpen_links": True, "links": False},
            ValueError,
            "`sharpen_links` must be False where `links` is False. "
            "Received: sharpen_links=True",
        ),
        (
            {"links": None},
            TypeError,
            "`links` must be True or False. Received: links=None",
        ),
        (
            {"allocation_bias": float("nan")},
            ValueError,
            "`allocation_bias` must be a finite number. Received: allocation_bias=nan",
        ),
        (
            {"initial_memory": "constant"},
            ValueError,
            "`initial_memory` must be one of 'zeros', 'learned', 'random', "
            "'randomized'. Received: initial_memory='constant'",
        ),
        (
            {"cell_clip": 3.0, "controller": "feedforward"},
            ValueError,
            "`cell_clip` must be None for every controller other than 'lstm'. "
            "Received: cell_clip=3.0, controller='feedforward'",
        ),
    ],
)
def test_wrong_argument_is_named(layer_class, changes, error, message):
    with pytest.raises(error, match=f"^{re.escape(message)}$"):
        layer_class(2, **changes)


@pytest.mark.once
def test_memory_without_links_may_be_large():
    cell = memnets.DNCCell(2, memory_size=2**16, links=False)
    assert cell.state_size[-1] == 2**16 * 20


@pytest.mark.once
def test_config_round_trip_keeps_every_argument():
    layer = unbuilt_dnc(
        num_read_heads=2,
        num_write_heads=3,
        controller="feedforward",
        controller_size=(4, 3),
        deallocate=True,
        masks=True,
        mask_min=0.25,
        sharpen_links=True,
        usage_gradient=True,
        allocation_bias=-1.5,
        initial_memory="learned",
        input_clip=2.0,
        return_sequences=True,
        go_backwards=True,
        name="computer",
        dtype="mixed_bfloat16",
    )
    again = memnets.DNC.from_config(layer.get_config())
    assert again.get_config() == layer.get_config()
    assert again.cell.get_config() == layer.cell.get_config()


@pytest.mark.once
def test_allocation_bias_decides_whether_heads_first_write_to_free_rows():
    # Nothing comes in: the controller is silent, and the biases are all there is.
    silence = np.zeros((B, T, 3))
    for bias, gate in ((0.0, 0.5), (3.0, 1 / (1 + np.exp(-3.0))), (-60.0, 0.0)):
        layer = unbuilt_dnc(
            num_write_heads=2, controller="feedforward", allocation_bias=bias
        )
        layer.build((B, None, 3))
        read, write = layer.trace_heads(silence[:, :1])
        np.testing.assert_allclose(write.allocation_gate, gate, atol=1e-6)
        np.testing.assert_allclose(write.write_gate, 0.5, atol=1e-6)
        np.testing.assert_allclose(read.free_gate, 0.5, atol=1e-6)
    # One number of each write head, and nothing else.
    assert np.count_nonzero(layer.cell.heads.get_weights()[1]) == 2


@pytest.mark.once
def test_a_cell_may_be_the_controller():
    layer = unbuilt_dnc(controller=keras.layers.GRUCell(6))
    assert tuple(layer(np.zeros((B, T, 3))).shape) == (B, 2)
    again = memnets.DNC.from_config(layer.get_config())
    assert again.cell.controller.units == 6


@pytest.mark.once
@LAYER_CLASSES
def test_arguments_after_units_are_keyword_only(layer_class):
    with pytest.raises(TypeError, match="positional argument"):
        layer_class(2, 128)


@pytest.mark.once
def test_signature_of_the_layer_lists_the_arguments_of_the_cell():
    layer = inspect.signature(memnets.DNC).parameters
    cell = inspect.signature(memnets.DNCCell).parameters
    own = {"return_sequences", "return_state", "stateful", "gradient_bound"}
    assert set(layer) - set(cell) == own
    assert [layer[name] for name in cell] == list(cell.values())
    for name in set(layer) - {"kwargs"}:
        assert f"\n    {name}: " in inspect.getdoc(memnets.DNC)


@pytest.mark.once
@EACH_OPTION
def test_head_parameters_agree_with_the_papers(name):
    cell = dnc(**OPTIONS[name]).cell
    raw = np.random.default_rng(0).normal(size=(B, cell.memory.num_raw))
    read, write = cell.memory.split(raw.astype("float32"))
    named = {
        **{f"read_{key}": getattr(read, key) for key in ("key", "beta", "mask")},
        **{f"write_{key}": getattr(write, key) for key in ("key", "beta", "mask")},
        **{key: getattr(read, key) for key in ("free_gate", "mode", "gamma")},
        **{key: getattr(write, key) for key in ("erase", "add")},
        **{key: getattr(write, key) for key in ("allocation_gate", "write_gate")},
    }
    named = {key: values for key, values in named.items() if values is not None}
    for b in range(B):
        expected = dnc_reference.interface(raw[b], options_of(cell))
        assert set(named) == set(expected)
        for key, values in expected.items():
            actual = np.asarray(named[key])[b].reshape(np.shape(values))
            np.testing.assert_allclose(actual, values, atol=1e-6, err_msg=key)


@pytest.mark.once
def test_ranges_of_the_head_parameters_at_extremes():
    options = {"masks": True, "mask_min": 0.1, "sharpen_links": True}
    memory = DNCMemory(num_read_heads=2, word_size=W, **options)
    for size in (-1e4, 1e4):
        read, write = memory.split(np.full((1, memory.num_raw), size, "float32"))
        for part in keras.tree.flatten((read, write)):
            assert np.all(np.isfinite(part))
        assert np.all(np.asarray(read.beta) >= 1)
        assert np.all(np.asarray(read.gamma) >= 1)
        assert np.all(np.asarray(read.mask) >= 0.1)
        assert np.all(np.asarray(write.mask) <= 1)
        np.testing.assert_allclose(np.asarray(read.mode).sum(axis=-1), 1)
