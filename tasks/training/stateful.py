"""Training in which each batch goes on from the memory that the batch before left."""

from typing import Any

import keras
import numpy as np

from memnets import MemoryRNN
from memnets.recurrent.streaming import copy_model, recurrent_layers

from .base import Feature


def steps_until_end(mask: np.ndarray) -> np.ndarray:
    """The steps of each sequence up to the last that counts, boolean `(B, T)`. What
    comes after it is padding, after which no other sequence can go on."""
    counts_later = np.flip(np.cumsum(np.flip(mask, 1), axis=1), 1)
    return counts_later > 0


def check_layers(network: keras.Model) -> None:
    """Checks that the states of a network can be carried from batch to batch.

    Raises:
        TypeError: If it is not a functional or sequential Keras model.
        ValueError: If a recurrent layer is not a `MemoryRNN`, as all layers with a
            memory are, or cannot be carried, see `memnets.StreamingModel`.
    """
    for layer in recurrent_layers(network):
        if not isinstance(layer, MemoryRNN):
            raise ValueError(
                "`stateful` must be False for a model with another recurrent layer "
                "than memnets.MemoryRNN and those with a memory. "
                f"Received: {type(layer).__name__} {layer.name!r}"
            )


def stateful_copy(network: keras.Model, batch_size: int) -> keras.Model:
    """A copy of a network, with its weights, whose recurrent layers are stateful.

    Its inputs are `(sequences, steps)`: the states stay as they are where `steps`,
    `(B, T)`, is False. No gradient goes into the batch before.

    Args:
        network: A Keras model that `check_layers` accepts.
        batch_size: Sequences in each batch.
    """
    layers = {layer.name for layer in recurrent_layers(network)}
    (inputs,), (outputs,) = network.inputs, network.outputs
    sequences = keras.Input(batch_shape=(batch_size, *inputs.shape[1:]))
    steps = keras.Input(batch_shape=(batch_size, inputs.shape[1]), dtype="bool")

    def call(layer: keras.layers.Layer, **arguments: Any) -> Any:
        return layer(arguments.pop("sequences"), **{**arguments, "mask": steps})

    # The steps must be an input of the graph that is copied.
    graph = keras.Model([inputs, steps], outputs)
    model = copy_model(graph, [sequences, steps], layers, {"stateful": True}, call)
    _reset_states(model)  # which are those of the weights before
    return model


class StateReset(Feature):
    """Gives the stateful layers their initial state at the beginning of each epoch: a
    network that has not learned to free its memory would see a clean one no more."""

    def on_epoch_begin(self, epoch: int, logs: dict[str, float] | None = None) -> None:
        if self.training.config.stateful:
            _reset_states(self.model)


def _reset_states(model: keras.Model) -> None:
    for layer in model.layers:
        if getattr(layer, "stateful", False):
            layer.reset_state()
