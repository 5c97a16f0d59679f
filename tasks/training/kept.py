"""The weights that a run keeps as its model."""

import contextlib
from collections.abc import Iterator
from typing import Any

import numpy as np
from keras import tree

from ..runs.training_config import TrainingConfig

Weights = list[Any]


def keeps_others(config: TrainingConfig) -> bool:
    """Whether a run keeps weights that are not those of its last epoch."""
    return config.average > 1 or config.keep == "best"


def weights_of(model: Any) -> Weights:
    """Copies of the variables of a model, as NumPy arrays; not of the states of its
    stateful layers, which belong to the batches."""
    return [np.array(variable.value) for variable in variables_of(model)]


def assign(model: Any, weights: Weights) -> None:
    """Sets what `weights_of` returns."""
    for variable, value in zip(variables_of(model), weights, strict=True):
        variable.assign(value)


def variables_of(model: Any) -> list[Any]:
    """The variables whose values are the weights of a model."""
    layers = filter(lambda layer: getattr(layer, "stateful", False), model.layers)
    states = {id(v) for layer in layers for v in tree.flatten(layer.states)}
    return [variable for variable in model.variables if id(variable) not in states]


@contextlib.contextmanager
def holding(model: Any, weights: Weights | None) -> Iterator[None]:
    """Within it a model has other weights; its own if they are None."""
    if weights is None:
        yield
        return
    present = weights_of(model)
    assign(model, weights)
    try:
        yield
    finally:
        assign(model, present)


def mean_of(recent: list[Weights]) -> Weights:
    """The mean of the weights of several epochs; of what is not a number with a
    fraction, such as the state of a random generator, the last."""
    if len(recent) == 1:
        return recent[0]
    return [
        np.mean(values, axis=0, dtype=np.float64).astype(values[-1].dtype)
        if np.issubdtype(values[-1].dtype, np.floating)
        else values[-1]
        for values in zip(*recent, strict=True)
    ]
