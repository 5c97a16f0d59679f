"""A cell run over sequences, with its state after every step."""

from typing import Any

import keras
from keras import ops, tree

from .. import backends
from ..cells.states import cell_step, flat_state_size, output_size
from ..numerics.precision import at_least_float32, inner_policy, needs_float32
from ..numerics.tensor_checks import Shape, Structure, Tensor


def record(
    cell: keras.layers.Layer,
    sequences: Tensor,
    initial_state: Structure,
    mask: Tensor | None = None,
    shift: Tensor | None = None,
) -> tuple[Tensor, Tensor]:
    """Runs a built cell over sequences and records its state.

    Args:
        cell: A Keras cell with flat states, S numbers in all.
        sequences: `(B, T, features)`, in the order of processing.
        initial_state: Tensors `(B, size)` in the structure of the cell's state.
        mask: Boolean `(B, T)`; `False` skips a step.
        shift: `(B, T, S)`, added to the state after each step, and to the output where
            that is one of the states.
    Returns:
        The outputs `(B, T, size)` and the states `(B, T, S)`, all in one vector.
    """
    probe = _Probe(cell, sequences)
    loop = keras.layers.RNN(
        probe, return_sequences=True, dtype=probe.dtype_policy, autocast=False
    )
    start = ops.concatenate(tree.flatten(initial_state), axis=-1)
    inputs = sequences
    if shift is not None:
        # Integers have no gradient, and half precision would round them.
        wide = at_least_float32(sequences.dtype)
        inputs = ops.concatenate([ops.cast(x, wide) for x in (sequences, shift)], -1)
    recorded = loop(inputs, initial_state=[probe.with_output(start)], mask=mask)
    outputs, states = probe.split_output(recorded)
    if mask is not None:
        # On TensorFlow the output is 0 until the first step that is not masked.
        started = ops.cumsum(ops.cast(mask, "int32"), axis=1) > 0
        states = ops.where(started[..., None], states, start[:, None])
    return outputs, states


def split_state(cell: keras.layers.Layer, states: Tensor) -> list[Tensor]:
    """States `(..., S)` in one vector as a flat list of tensors `(..., size)`."""
    sizes = flat_state_size(cell)
    if len(sizes) == 1:
        return [states]
    ends = [sum(sizes[: i + 1]) for i in range(len(sizes) - 1)]
    return backends.current().split(states, ends, axis=-1)


class _Probe(keras.layers.Layer):
    """A cell whose output, and state, is that of another cell: its output and its
    complete state in one vector."""

    def __init__(self, cell: Any, sequences: Tensor) -> None:
        policy = inner_policy(cell.dtype_policy, needs_float32(cell))
        super().__init__(dtype=policy, autocast=False)
        self.cell = cell
        self.features = sequences.shape[-1]
        self.features_dtype = sequences.dtype
        self.first_size = flat_state_size(cell)[0]
        self.cell_output_size = output_size(cell)
        # With a mask, JAX takes the first state for the previous output.
        self.state_size = self.output_size = self.cell_output_size + sum(
            flat_state_size(cell)
        )

    def build(self, input_shape: Shape) -> None:
        pass

    def with_output(self, states: Tensor) -> Tensor:
        """States in one vector with the output before the first step."""
        output = states[:, : self.first_size]
        if self.first_size != self.cell_output_size:
            output = ops.zeros((ops.shape(states)[0], self.cell_output_size))
        return ops.concatenate([ops.cast(output, states.dtype), states], axis=-1)

    def split_output(self, recorded: Tensor) -> list[Tensor]:
        return backends.current().split(recorded, [self.cell_output_size], axis=-1)

    def call(self, inputs: Tensor, states: list[Tensor]) -> tuple[Tensor, list[Tensor]]:
        _, previous = self.split_output(states[0])
        features = ops.cast(inputs[:, : self.features], self.features_dtype)
        output, parts = cell_step(self.cell, features, split_state(self.cell, previous))
        is_output = [part is output for part in parts]
        # A cell of Keras computes in float16 where the loop computes in float32.
        after = ops.cast(ops.concatenate(parts, axis=-1), previous.dtype)
        if inputs.shape[-1] > self.features:
            after = after + ops.cast(inputs[:, self.features :], after.dtype)
            if any(is_output):
                output = split_state(self.cell, after)[is_output.index(True)]
        recorded = ops.concatenate([ops.cast(output, after.dtype), after], axis=-1)
        return recorded, [recorded]
