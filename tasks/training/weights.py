"""The weights of a model, and the model that has those that a run keeps."""

import contextlib
import functools
from collections.abc import Iterator

import keras
import numpy as np
from keras import ops, tree

from ..runs import checkpoint
from ..runs.archive_arrays import array_of
from ..runs.devices import alone, own_copy

Weights = list[np.ndarray]


def weights_of(model: keras.Model) -> Weights:
    """Copies of the variables of a model, as NumPy arrays; not of the states of its
    stateful layers, which belong to the batches."""
    return [array_of(variable) for variable in variables_of(model)]


def assign(model: keras.Model, weights: Weights) -> None:
    """Sets what `weights_of` returns."""
    for variable, value in zip(variables_of(model), weights, strict=True):
        variable.assign(value)


def variables_of(model: keras.Model) -> list[keras.Variable]:
    """The variables whose values are the weights of a model."""
    layers = filter(lambda layer: getattr(layer, "stateful", False), model.layers)
    states = {id(v) for layer in layers for v in tree.flatten(layer.states)}
    return [variable for variable in model.variables if id(variable) not in states]


def restore_but(
    counts: tuple[keras.Variable, ...], values: Weights, model: keras.Model
) -> None:
    """Restores a state of a model in training, as a checkpoint has it.

    Args:
        counts: Counts of steps of the optimizer, which stay as they are.
        values: The state.
        model: The model.
    """
    present = [int(ops.convert_to_numpy(count)) for count in counts]
    checkpoint.restore(values, model)
    for count, value in zip(counts, present, strict=True):
        count.assign(value)
    # The skipped steps belong to the discarded weights.
    model.optimizer.consecutive_skips.assign(0)


class EvaluatedModel:
    """The model that this process evaluates and saves.

    It is the one in training, with two exceptions: the network that a stateful model is
    a copy of, and a copy if several processes train the model together.

    Args:
        trained: The model in training.
        network: The network that it is a stateful copy of, or the same model.
    """

    def __init__(self, trained: keras.Model, network: keras.Model) -> None:
        self._trained = trained
        self._network = network

    @functools.cached_property
    def model(self) -> keras.Model:
        """The model."""
        is_copy = self._network is not self._trained
        return self._network if is_copy else own_copy(self._trained)

    @contextlib.contextmanager
    def holding(self, weights: Weights | None) -> Iterator[keras.Model]:
        """Within it the model, which is yielded, has these weights; if they are None,
        those of the model in training, whose weights are the same after it."""
        if self.model is not self._trained:
            with alone():
                assign(self.model, weights or weights_of(self._trained))
                yield self.model
            return
        present = weights and weights_of(self._trained)
        if weights:
            assign(self._trained, weights)
        try:
            yield self._trained
        finally:
            if present:
                assign(self._trained, present)

    def finish(self, weights: Weights | None) -> None:
        """Gives the network the weights that the run keeps; those of the model in
        training if they are None."""
        if weights is not None:
            assign(self._trained, weights)
        if self._network is not self._trained:
            assign(self._network, weights_of(self._trained))
