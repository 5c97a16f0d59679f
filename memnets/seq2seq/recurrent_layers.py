"""The recurrent layers that an encoder or a decoder is made of."""

from typing import Any

import keras
from keras import tree

from ..numerics.tensor_checks import Tensor


def checked_layers(name: str, layers: Any) -> list[keras.layers.RNN]:
    """Recurrent layers as a list.

    Raises:
        ValueError: If there is none, or one is another layer, is built, reads backwards
            or is stateful.
    """
    layers = list(layers) if isinstance(layers, list | tuple) else [layers]
    if not layers or not all(isinstance(x, keras.layers.RNN) for x in layers):
        raise ValueError(
            f"`{name}` must be a list of recurrent Keras layers. "
            f"Received: {name}={[type(layer).__name__ for layer in layers]}"
        )
    for layer in layers:
        for flag in ("go_backwards", "stateful"):
            if getattr(layer, flag):
                raise ValueError(
                    f"`{name}` must have layers that read forwards and are not "
                    f"stateful. Received: {layer.name!r} with {flag}=True"
                )
        # The network makes layers like them, which would not have these weights.
        if layer.built:
            raise ValueError(
                f"`{name}` must have layers that were not called or built before. "
                f"Received: {layer.name!r}, which has weights"
            )
    return layers


def saved_layers(layers: list[Any]) -> list[Any]:
    """Layers as Keras saves them."""
    return [keras.saving.serialize_keras_object(layer) for layer in layers]


def loaded_layers(saved: list[Any]) -> list[Any]:
    """The layers that `saved_layers` has saved."""
    return [keras.saving.deserialize_keras_object(layer) for layer in saved]


def read_through(
    layers: list[Any], inputs: Tensor, **options: Any
) -> tuple[Tensor, list[list[Tensor]]]:
    """Runs layers of `returning_all` one after the other.

    Args:
        layers: The layers.
        inputs: `(B, T, width)`.
        **options: Call arguments of each layer, such as a mask.
    Returns:
        The outputs of the last layer, or the inputs without a layer, and the last
        states of each as a flat list.
    """
    ends = []
    for layer in layers:
        inputs, *states = layer(inputs, **options)
        ends.append(tree.flatten(states))
    return inputs, ends


def returning_all(layer: keras.layers.Layer) -> keras.layers.RNN:
    """A fresh layer like this one, which returns all outputs and the last states."""
    config = {**layer.get_config(), "return_sequences": True, "return_state": True}
    return type(layer).from_config(config)
