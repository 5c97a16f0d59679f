"""The sub-layers that the compiled kernel can compute: a list of what is allowed.

The kernel reads the weights of sub-layers and computes what these would. A user may
change a layer at any time: quantise it, give it another data type or activation, put
another layer in its place. What is not on this list takes the portable path, which
calls the layers themselves.
"""

import math
from collections.abc import Callable

import keras

from ..backends.torch_compiling import remembered
from ..cells.clipped_lstm import ClippedLSTMCell
from ..cells.feedforward import FeedforwardCell
from ..numerics.tensor_checks import Tensor

# Methods of a layer that Keras replaces in every instance.
_WRAPPED_BY_KERAS = {"build", "quantize"}


def has_plain_layers(cell: keras.layers.Layer) -> bool:
    """Whether the kernel can compute the controller and the dense layers of a cell.

    Args:
        cell: A cell of one of the classes that the kernel knows.
    """
    return (
        _is_plain(cell)
        and _is_dense(cell.heads, keras.activations.linear)
        and _is_dense(cell.projection, keras.activations.linear)
        and controller_cells(cell.controller) is not None
    )


def controller_cells(controller: keras.layers.Layer) -> list[keras.layers.Layer] | None:
    """The cells of a controller if the kernel can compute them; otherwise None.

    It can compute LSTM cells with the default arguments of Keras, with or without a
    bound for their carries, feedforward cells with tanh, and stacks of one kind.
    """
    stacked = type(controller) is keras.layers.StackedRNNCells
    if stacked and not _is_plain(controller):
        return None
    cells = list(controller.cells) if stacked else [controller]
    if all(map(_is_lstm, cells)) or all(map(_is_tanh, cells)):
        return cells if len(set(map(cell_clip, cells))) == 1 else None
    return None


def is_recurrent_unit(cell: keras.layers.Layer) -> bool:
    """Whether the kernel can compute a cell of a layer without a memory: one of an LSTM
    or a GRU with the activations of Keras, with or without a bias. What drops inputs is
    outside the kernel."""
    return (
        type(cell) in (keras.layers.LSTMCell, ClippedLSTMCell, keras.layers.GRUCell)
        and _is_plain(cell)
        and cell.activation is keras.activations.tanh
        and cell.recurrent_activation is keras.activations.sigmoid
        and getattr(cell, "reset_after", True)
        and not cell.recurrent_dropout
        and (not cell.dropout or cell.implementation == 2)
        and len(cell.weights) in (0, 3 if cell.use_bias else 2)
    )


def cell_clip(cell: keras.layers.Layer) -> float:
    """The bound of the carries of a cell, infinite if there is none."""
    return getattr(cell, "cell_clip", math.inf)


def _is_lstm(cell: keras.layers.Layer) -> bool:
    return (
        type(cell) in (keras.layers.LSTMCell, ClippedLSTMCell)
        and _is_plain(cell)
        and cell.activation is keras.activations.tanh
        and cell.recurrent_activation is keras.activations.sigmoid
        and cell.use_bias
        and not cell.dropout
        and not cell.recurrent_dropout
        and len(cell.weights) in (0, 3)  # none before it is built
    )


def _is_tanh(cell: keras.layers.Layer) -> bool:
    return (
        type(cell) is FeedforwardCell
        and _is_plain(cell)
        and _is_dense(cell.dense, keras.activations.tanh)
    )


def _is_dense(
    layer: keras.layers.Layer, activation: Callable[[Tensor], Tensor]
) -> bool:
    """Whether a layer is a dense one whose `kernel` is all that it multiplies by: with
    LoRA, Keras adds the two further matrices to it."""
    return (
        type(layer) is keras.layers.Dense
        and _is_plain(layer)
        and layer.activation is activation
        and layer.use_bias
        and len(layer.weights) in (0, 4 if layer.lora_enabled else 2)
    )


def _is_plain(layer: keras.layers.Layer) -> bool:
    """Whether a layer computes what its class says, in float32, and nothing else."""
    return (
        layer.compute_dtype == layer.variable_dtype == "float32"
        and layer.quantization_mode is None
        and layer.activity_regularizer is None
        and not _replaces_a_method(layer)
    )


def _replaces_a_method(layer: keras.layers.Layer) -> bool:
    """Whether an instance has a method of its own in place of one of its class."""
    methods = _methods(type(layer))
    return any(name in methods for name in vars(layer))


@remembered
def _methods(layer_class: type) -> frozenset[str]:
    """The names of the methods of a class, which an instance may replace."""
    names = (name for name in dir(layer_class) if callable(getattr(layer_class, name)))
    return frozenset(names) - _WRAPPED_BY_KERAS
