"""What the compiled kernel covers: plain sub-layers, with nothing added to them.

The oracle is the portable path, which calls the sub-layers themselves.
"""

import dataclasses

import keras
import numpy as np
import pytest
from both_paths import path
from gradients import values_and_gradients
from layer_weights import randomise

import memnets
from memnets import native
from memnets.cells import FeedforwardCell
from memnets.memory import MemoryCell

pytestmark = pytest.mark.skipif(
    not native.is_available(), reason=f"no kernel: {native.status()}"
)

LAYERS = {
    memnets.NTMCell: memnets.NTM,
    memnets.DNCCell: memnets.DNC,
    memnets.LRUACell: memnets.LRUA,
}
SMALL = {"memory_size": 6, "word_size": 4, "num_read_heads": 2, "controller_size": 5}
INPUTS = np.random.default_rng(0).standard_normal((3, 2, 4)).astype("float32")


def test_every_cell_of_the_kernel_is_tried_here():
    cells = MemoryCell.__subclasses__()
    assert LAYERS.keys() == {cell for cell in cells if "kernel_layout" in vars(cell)}


@pytest.mark.parametrize("cell", LAYERS)
def test_every_option_of_a_memory_reaches_the_kernel(cell):
    # As a field of the layout; or in the first state or the weights, which the kernel
    # is given.
    options = {field.name for field in dataclasses.fields(cell.memory_class)}
    known = {field.name for field in dataclasses.fields(cell.kernel_layout)}
    others = {name for name in options - known if not name.endswith("_bias")}
    assert {name for name in others if not name.startswith("initial_")} == set()


class OwnDense(keras.layers.Dense):
    def call(self, inputs):
        return 2 * super().call(inputs)


class OwnLSTMCell(keras.layers.LSTMCell):
    def call(self, inputs, states, training=False):
        output, states = super().call(inputs, states)
        return -output, states


def quantised(mode, name="heads"):
    return lambda cell: getattr(cell, name).quantize(mode)


def quantised_weights_only(cell):
    config = keras.quantizers.Int8QuantizationConfig(activation_quantizer=None)
    cell.heads.quantize(config=config)


def quantised_with_lora(cell):
    with_lora(cell)
    cell.heads.quantize("int8")


def policy(name, value):
    return lambda cell: setattr(getattr(cell, name), "dtype_policy", value)


def replaced(name, layer):
    """Puts another layer in the place of a built one. Keras locks it against this."""

    def change(cell):
        old = getattr(cell, name)
        new = layer(old.units)
        new.build((None, old.kernel.shape[0]))
        for variable in new.weights:
            variable.assign(0.3 * np.random.default_rng(1).random(variable.shape))
        cell._tracker.unlock()
        setattr(cell, name, new)

    return change


def with_own_call(cell):
    call = cell.heads.call
    cell.heads.call = lambda *arguments, **options: 2 * call(*arguments, **options)


def with_own_step(cell):
    access = cell._access
    cell._access = lambda split, raw, *parts: access(split, 2 * raw, *parts)


class DoubledMemory(type(memnets.NTMCell(1).memory)):
    """A memory whose heads compute something else."""

    def split(self, raw):
        return super().split(2 * raw)


def with_own_memory(cell):
    cell.memory = DoubledMemory(**cell.memory.arguments)


def with_weights_in_bfloat16(cell):
    units, width = cell.heads.units, cell.heads.kernel.shape[0]
    heads = keras.layers.Dense(units, dtype="bfloat16")
    heads.build((None, width))
    heads.dtype_policy = "float32"
    cell._tracker.unlock()
    cell.heads = heads


def with_a_matrix_of_another_size(cell):
    cell.controller.kernel = cell.controller.kernel[:-1]


# What makes the portable path run, of a layer with an LSTM.
PORTABLE = {
    **{mode: quantised(mode) for mode in ("int8", "int4", "float8")},
    "int8 of the projection": quantised("int8", "projection"),
    "int8 of weights only": quantised_weights_only,
    "int8 with LoRA": quantised_with_lora,
    "bfloat16 heads": policy("heads", "mixed_bfloat16"),
    "bfloat16 projection": policy("projection", "bfloat16"),
    "float16 LSTM": policy("controller", "mixed_float16"),
    "activation": lambda cell: setattr(cell.heads, "activation", keras.ops.tanh),
    "activation of the LSTM": lambda cell: setattr(
        cell.controller, "recurrent_activation", keras.activations.hard_sigmoid
    ),
    "no bias": replaced("heads", lambda u: keras.layers.Dense(u, use_bias=False)),
    "own dense layer": replaced("heads", OwnDense),
    "own LSTM": replaced("controller", OwnLSTMCell),
    "own call": with_own_call,
    "own step": with_own_step,
    "own memory": with_own_memory,
    "dropout": lambda cell: setattr(cell.controller, "dropout", 0.5),
    "weights in bfloat16": with_weights_in_bfloat16,
}


def with_lora(cell):
    for dense in (cell.heads, cell.projection):
        dense.enable_lora(2)
        dense.lora_kernel_b.assign(0.3 * np.ones(dense.lora_kernel_b.shape))


def with_lora_in_a_dense_controller(cell):
    for inner in cell.controller.cells:
        inner.dense.enable_lora(2)
        inner.dense.lora_kernel_b.assign(0.3 * np.ones((2, inner.units)))


def with_weights_set_by_hand(cell):
    rng = np.random.default_rng(2)
    cell.set_weights([0.3 * rng.standard_normal(w.shape) for w in cell.get_weights()])


def frozen(cell):
    cell.heads.trainable = False


# What the kernel computes: arguments of the layer, and what is done to it.
COVERED = {
    "plain": ({}, lambda cell: None),
    "LoRA": ({}, with_lora),
    "LoRA of a stack": (
        {"controller": "feedforward", "controller_size": (5, 6)},
        with_lora_in_a_dense_controller,
    ),
    "weights by hand": ({}, with_weights_set_by_hand),
    "frozen": ({}, frozen),
    "mixed_float16": ({"dtype": "mixed_float16"}, lambda cell: None),
}


def make(layer_class, change, **arguments):
    layer = layer_class(3, **{**SMALL, **arguments}, return_sequences=True)
    layer.build(INPUTS.shape)
    randomise(layer, scale=0.3)
    change(layer.cell)
    return layer


# Of other layers than the NTM: they ask in the same way.
OF_EACH_LAYER = {
    *("int8", "int4", "float8", "int8 of weights only", "bfloat16 heads", "own call"),
    *("plain", "LoRA", "mixed_float16"),
}

OF_EVERY_BACKEND = {"int8", "float16 LSTM", "own call", "LoRA", "mixed_float16"}


def each(changes):
    """Parameters `layer_class` and `change`. Which path is taken hangs on no backend:
    on each, some that take either."""
    return pytest.mark.parametrize(
        ("layer_class", "change"),
        [
            pytest.param(
                *(layer_class, change),
                id=f"{layer_class.__name__}, {name}",
                marks=pytest.mark.once
                if name != "plain"
                and (layer_class is not memnets.NTM or name not in OF_EVERY_BACKEND)
                else [],
            )
            for layer_class in LAYERS.values()
            for name, change in changes.items()
            if layer_class is memnets.NTM or name in OF_EACH_LAYER
        ],
    )


@pytest.fixture
def runs(monkeypatch):
    """The calls of the kernel, in a list that grows."""
    calls = []
    run = native.run
    monkeypatch.setattr(
        native, "run", lambda *arguments: calls.append(1) or run(*arguments)
    )
    return calls


def assert_close(actual, expected):
    """To 1e-5, relative to the largest entry."""
    actual, expected = (
        keras.ops.convert_to_numpy(keras.ops.cast(x, "float32"))
        for x in (actual, expected)
    )
    scale = np.max(np.abs(expected))
    assert scale > 0
    np.testing.assert_allclose(actual, expected, rtol=0, atol=1e-5 * scale)


@each(PORTABLE)
def test_a_changed_sub_layer_takes_the_portable_path(layer_class, change, runs):
    layer = make(layer_class, change)
    actual = layer(INPUTS)
    assert not runs and not native.covers(layer.cell)
    with path(compiled=False):
        assert_close(actual, layer(INPUTS))


@each(COVERED)
def test_plain_sub_layers_and_lora_take_the_kernel(layer_class, change, runs):
    arguments, apply = change
    layer = make(layer_class, apply, **arguments)
    values, gradients = values_and_gradients(layer, INPUTS, [1.0])
    assert runs and native.covers(layer.cell)
    runs.clear()
    with path(compiled=False):
        expected_values, expected = values_and_gradients(layer, INPUTS, [1.0])
    assert not runs
    assert_close(values[0], expected_values[0])
    assert gradients.keys() == expected.keys()
    for name, gradient in gradients.items():
        scale = max(np.max(np.abs(expected[name])), 1e-3)
        np.testing.assert_allclose(
            gradient, expected[name], rtol=0, atol=1e-4 * scale, err_msg=name
        )


@pytest.mark.parametrize("controller", ["feedforward", "stack"])
def test_what_is_inside_of_a_controller_is_asked_too(controller):
    cells = [FeedforwardCell(5), FeedforwardCell(6)]
    stack = (
        cells[0] if controller == "feedforward" else keras.layers.StackedRNNCells(cells)
    )
    layer = memnets.NTM(3, memory_size=6, word_size=4, controller=stack)
    layer.build(INPUTS.shape)
    assert native.covers(layer.cell)
    cells[0].dense.quantize("int8")
    assert not native.covers(layer.cell)
    actual = layer(INPUTS)
    with path(compiled=False):
        assert_close(actual, layer(INPUTS))


def test_a_matrix_of_another_size_is_never_read_by_the_kernel():
    """It reads as many numbers as the sizes of the cell say."""
    layer = make(memnets.NTM, with_a_matrix_of_another_size)
    assert not native.covers(layer.cell)


def test_a_quantised_model_is_compiled_anew():
    model = keras.Sequential([keras.Input((2, 4)), memnets.NTM(3, **SMALL)])
    model.compile("sgd", "mse", jit_compile=keras.backend.backend() == "jax")
    model.predict(INPUTS, verbose=0)
    # Of Keras, about the LSTM cell, which it cannot quantise.
    with pytest.warns(UserWarning, match="quantize"):
        model.quantize("int8")
    actual = model.predict(INPUTS, verbose=0)
    with path(compiled=False):
        assert_close(actual, model(INPUTS))


def test_an_output_beyond_float16_is_the_same_in_the_state():
    layer = memnets.NTM(
        2,
        memory_size=6,
        word_size=4,
        controller_size=5,
        return_state=True,
        dtype="mixed_float16",
    )
    layer.build(INPUTS.shape)
    layer.cell.projection.bias.assign([1e6, -1e6])
    output, state, *_ = layer(INPUTS)
    assert native.covers(layer.cell)
    with path(compiled=False):
        expected, expected_state, *_ = layer(INPUTS)
    np.testing.assert_array_equal(output, expected)
    np.testing.assert_array_equal(state, expected_state)
