"""Models that run faster: recurrent layers of Keras in the compiled kernel, and steps
that PyTorch records."""

import types
from typing import Any

import keras

from .. import backends, native
from ..numerics.tensor_checks import Structure, Tensor

_LAYERS = (keras.layers.LSTM, keras.layers.GRU, keras.layers.RNN)


def accelerate(model: Any) -> Any:
    """Makes a model of Keras faster, with the same weights and saved files.

    Its LSTM and GRU layers run in the compiled kernel. Outputs and gradients stay the
    same, up to rounding. Each layer asks `memnets.native.covers` at each call. What the
    kernel cannot compute runs as before: recurrent dropout, other activations, a GRU
    with `reset_after=False`, half precision, a GPU.

    On PyTorch, where Keras runs each training step in Python, `fit` also records the
    step of a `keras.Model`: after 20 batches of one shape, only PyTorch's operations
    run, and those of the optimizer. The results are the same, to the last bit. A step
    in which Python needs a value, as where Keras draws a seed, runs as before. Python
    code of your layers runs only while a step is recorded, as on the other backends. A
    model with hooks or a `train_step` of its own, compiled with `run_eagerly=True`, or
    under autocast is not recorded.

    Call it before the first `fit`: Keras keeps its compiled training step. A loaded
    model must be accelerated again.

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
    if isinstance(model, keras.Model):
        backends.current().record_steps(model, native.is_available)
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
