"""A model run with the states of one of its recurrent layers recorded."""

import contextlib
from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

import keras
from keras import ops, tree

from .. import backends
from ..checks import shorten
from ..numerics.tensor_checks import Structure, Tensor
from ..recurrent.recording import record, split_state


class Steps(NamedTuple):
    """What a recurrent layer went through, in the order of processing.

    Attributes:
        sequences: `(B, T, features)`, its inputs.
        states: `(B, T, S)`, all its states after each step in one vector.
        counts: `(B, T)`, `False` where a mask skips the step.
    """

    sequences: Tensor
    states: Tensor
    counts: Tensor


def recurrent_layer(
    model: keras.Model, layer: keras.layers.Layer | str
) -> keras.layers.RNN:
    """The recurrent layer of a compiled model that an argument names.

    Raises:
        ValueError: If the model is not compiled, or the layer is not recurrent or not
            known.
    """
    if not isinstance(model, keras.Model) or not model.compiled:
        raise ValueError(
            "`model` must be a keras.Model that was compiled with a loss. "
            f"Received: model={shorten(model)}"
        )
    if isinstance(layer, str):
        layers = {each.name: each for each in model.layers}
        if layer not in layers:
            names = ", ".join(repr(name) for name in layers)
            raise ValueError(
                f"`layer` must be one of the layers of `model`: {names}. "
                f"Received: layer={shorten(layer)}"
            )
        layer = layers[layer]
    if not isinstance(layer, keras.layers.RNN):
        raise ValueError(
            "`layer` must be a recurrent layer, such as keras.layers.LSTM; for one in "
            "both directions, its `forward_layer` or `backward_layer`. "
            f"Received: layer={shorten(layer)}"
        )
    return layer


def state_gradients(
    model: keras.Model,
    layer: keras.layers.Layer,
    x: Structure,
    y: Structure,
    sample_weight: Structure = None,
) -> tuple[Steps, Tensor]:
    """Gradients of a model's loss with respect to the states of a recurrent layer.

    A state is moved by a shift of zero after each step; the gradient with respect to
    the shift is the one with respect to the state. An output that is one of the states
    moves with it. The model runs as in inference and stays as it is.

    Args:
        model: The compiled model.
        layer: The layer.
        x: Inputs, arrays of B sequences.
        y: Targets.
        sample_weight: As for `keras.Model.fit`.
    Returns:
        The steps of the layer, and the gradients `(B, T, S)`; both are constants.
    Raises:
        ValueError: If the arrays hold different numbers of sequences, or targets have
            other steps than outputs, or the model does not run the layer once.
    """
    x, y, sample_weight = tree.map_structure(
        lambda array: None if array is None else ops.convert_to_tensor(array),
        (x, y, sample_weight),
    )
    _check_batch_sizes(x=x, y=y, sample_weight=sample_weight)
    if not model.built:
        model(x)
    current = [(variable, variable.value) for variable in model.variables]

    def loss_and_steps(shift: Tensor) -> tuple[Tensor, Steps]:
        # Its own scope: neither states of layers nor random seeds change.
        with keras.StatelessScope(current, collect_losses=True):
            outputs, steps = _run(model, layer, x, shift)
            _check_steps(outputs, y)
            # Not the model's own method, which may add a penalty that asks for this.
            loss = keras.Model.compute_loss(
                model, x, y, outputs, sample_weight, training=False
            )
        return loss, steps

    gradients, steps = backends.current().gradient_at_zero(
        loss_and_steps, lambda steps: steps.states
    )
    return tree.map_structure(ops.stop_gradient, (steps, gradients))


def _check_batch_sizes(**arrays: Structure) -> None:
    sizes = [
        (name, array.shape[0] if len(array.shape) else 0)
        for name, structure in arrays.items()
        for array in tree.flatten(structure)
        if array is not None
    ]
    known = {size for _, size in sizes if size is not None}
    if len(known) > 1 or 0 in known:
        raise ValueError(
            "`x`, `y` and `sample_weight` must be arrays of as many sequences each, at "
            "least one. Received: "
            + ", ".join(f"{name} with {size}" for name, size in sizes)
        )


def _check_steps(outputs: Structure, y: Structure) -> None:
    """Targets of every step have as many steps as the outputs."""
    if tree.is_nested(outputs) or tree.is_nested(y):
        return
    if len(outputs.shape) < 3 or len(y.shape) < 2:
        return
    expected, received = outputs.shape[1], y.shape[1]
    if None not in (expected, received) and expected != received:
        raise ValueError(
            f"`y` must have {expected} steps, as many as the outputs of `model`. "
            f"Received: y of shape {tuple(y.shape)}"
        )


def _run(
    model: keras.Model, layer: keras.layers.RNN, x: Structure, shift: Tensor
) -> tuple[Structure, Steps]:
    """The outputs of a model, and the steps of one of its layers."""
    calls = []

    def loop(
        sequences: Tensor,
        initial_state: Structure,
        mask: Structure = None,
        training: bool = False,
    ) -> tuple[Tensor, Tensor, Structure]:
        if len(sequences.shape) != 3:
            raise ValueError(
                "`layer` must take sequences of vectors, (B, T, features). Received: a "
                f"layer for sequences of shape {tuple(sequences.shape)}"
            )
        mask = tree.flatten(mask)[0] if tree.is_nested(mask) else mask
        if layer.go_backwards:
            sequences = ops.flip(sequences, 1)
            mask = None if mask is None else ops.flip(mask, 1)
        if hasattr(layer, "first_state"):
            initial_state = layer.first_state(sequences, initial_state, mask)
        outputs, states = record(layer.cell, sequences, initial_state, mask, shift)
        counts = ops.ones(ops.shape(sequences)[:2], "bool") if mask is None else mask
        calls.append(Steps(sequences, states, ops.cast(counts, "bool")))
        if layer.zero_output_for_mask and mask is not None:
            outputs = ops.where(mask[..., None], outputs, ops.zeros_like(outputs))
        last = split_state(layer.cell, states[:, -1])
        return outputs[:, -1], outputs, tree.pack_sequence_as(initial_state, last)

    with _replaced_loop(layer, loop):
        outputs = model(x, training=False)
    if len(calls) != 1:
        raise ValueError(
            "`layer` must be a layer that `model` runs once. Received: the layer "
            f"{layer.name!r}, which it runs {len(calls)} times"
        )
    return outputs, calls[0]


@contextlib.contextmanager
def _replaced_loop(layer: Any, loop: Callable) -> Iterator[None]:
    """A recurrent layer with another loop over time; Keras has no hook for it."""
    layer.inner_loop = loop
    try:
        yield
    finally:
        del layer.inner_loop
