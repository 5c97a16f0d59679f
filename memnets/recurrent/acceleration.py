"""Keras' own recurrent layers in the compiled kernel."""

import types
from typing import Any

import keras

from .. import native
from ..numerics.tensor_checks import Structure, Tensor

_LAYERS = (keras.layers.LSTM, keras.layers.GRU, keras.layers.RNN)


def accelerate(model: Any) -> Any:
    """Lets the LSTM and GRU layers of Keras in a model run in the compiled kernel.

    Outputs, gradients, weights and saved files stay the same, up to rounding; a loaded
    model must be accelerated again. Each layer asks `memnets.native.covers` at each
    call. What the kernel cannot compute runs as before: recurrent dropout, other
    activations, a GRU with `reset_after=False`, half precision, a GPU. Call it before
    the first `fit`: Keras keeps its compiled training step.

    Args:
        model: A Keras model or layer, with its layers at any depth. It is changed.
    Returns:
        The model.
    Raises:
        TypeError: If it is not a layer.
    Example:
        >>> model = keras.Sequential([keras.layers.LSTM(4), keras.layers.Dense(2)])
        >>> tuple(accelerate(model)(np.zeros((3, 5, 6))).shape)
        (3, 2)
    """
    if not isinstance(model, keras.layers.Layer):
        raise TypeError(
            f"`model` must be a Keras model or layer. Received: {type(model).__name__}"
        )
    for layer in model._flatten_layers():  # Keras has no public way to visit all layers
        # An instance may have a loop of its user's, which stays.
        if type(layer) in _LAYERS and "inner_loop" not in vars(layer):
            # In the layer, not a subclass: saved files name classes.
            layer.inner_loop = types.MethodType(_inner_loop, layer)
            native.prepare(layer.cell)
    return model


def _inner_loop(
    layer: keras.layers.RNN,
    sequences: Tensor,
    initial_state: list[Tensor],
    mask: Tensor | None,
    training: bool = False,
) -> tuple[Tensor, Tensor, Structure]:
    if native.covers(layer.cell, sequences):
        return native.run(layer, sequences, initial_state, mask, training)
    return type(layer).inner_loop(layer, sequences, initial_state, mask, training)
