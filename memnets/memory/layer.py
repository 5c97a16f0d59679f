"""The layer that runs any kind of memory over sequences."""

from collections.abc import Callable
from typing import Any

import numpy as np
from keras import ops, tree

from .. import backends
from ..numerics.precision import at_least_float32
from ..numerics.tensor_checks import Structure, Tensor
from ..recurrent.cell_layer import CellLayer
from .tracing import MemoryTrace, with_skipped_steps


class MemoryLayer(CellLayer):
    """A `MemoryCell` run over sequences: its memory may be randomized, the compiled
    kernel may run it, and what its heads do can be traced.

    A subclass names its `cell_class`, whose arguments are those of the layer too.
    """

    # The way of a call: CellLayer.call, which bounds gradients, MemoryLayer._run,
    # MemoryRNN.call, keras.layers.RNN.call, then MemoryRNN.inner_loop: the compiled
    # kernel, or the loop of Keras over the cell.

    def _run(
        self,
        sequences: Tensor,
        initial_state: Structure,
        mask: Tensor | None,
        training: bool,
    ) -> Structure:
        # Keras asks the cell for an initial state without passing `training`.
        resample = training and self.cell.initial.is_randomized and not self.stateful
        if resample and initial_state is None:
            batch_size = ops.shape(sequences)[0]
            initial_state = self.cell.get_initial_state(batch_size, training=True)
        return super()._run(sequences, initial_state, mask, training)

    def trace_heads(self, sequences: Tensor, mask: Tensor | None = None) -> Structure:
        """The parameters of the heads at every step, for inspection.

        Args:
            sequences: Tensor `(B, T, features)`.
            mask: Boolean tensor `(B, T)`. At a step that it skips, the parameters,
                which have no effect, are NaN.
        Returns:
            What `layer.cell.memory.parameters` returns, whose tensors have a time axis
            after the batch axis, in the order of processing: for an `NTM`
            `(AddressingParameters, WriteParameters)` of `memnets.ntm.head_parameters`,
            for a `DNC` `(ReadParameters, WriteParameters)` of
            `memnets.dnc.head_parameters`. What a write head adds is `(B, T, heads, W)`.
        """
        parameters = self._trace_with_heads(sequences, mask)[1]
        if mask is None:
            return parameters
        seen = ops.convert_to_tensor(mask, "bool")
        if self.go_backwards:
            seen = ops.flip(seen, 1)

        def blank(values: Tensor) -> Tensor:
            steps = ops.reshape(seen, (*seen.shape, *[1] * (values.ndim - 2)))
            return ops.where(steps, values, float("nan"))

        return _map(blank, parameters)

    def _trace_with_heads(
        self, sequences: Tensor, mask: Tensor | None = None
    ) -> tuple[Any, Any]:
        """What `trace` and `trace_heads` return, of one run over the sequences."""
        state = self.trace(sequences, mask=mask)
        sequences = ops.convert_to_tensor(sequences, dtype=self.compute_dtype)
        batch_size, steps, _ = sequences.shape
        after = self.cell.pack(state)
        if self.go_backwards:
            sequences = ops.flip(sequences, 1)
        first = tree.flatten(self.get_initial_state(batch_size))
        # The state before each step; then all steps are computed as one large batch.
        before = [
            ops.concatenate([start[:, None], states[:, :-1]], axis=1)
            for start, states in zip(first, after, strict=True)
        ]
        states = [ops.reshape(part, (batch_size * steps, -1)) for part in before]
        inputs = ops.reshape(sequences, (batch_size * steps, -1))
        hidden, _ = self.cell.control(inputs, states)

        def with_time(values: Tensor) -> Tensor:
            return ops.reshape(values, (batch_size, steps, *values.shape[1:]))

        parameters = self.cell.memory.split(self.cell.heads(hidden))
        return state, _map(with_time, parameters)

    def trace_memory(
        self, sequences: Tensor, mask: Tensor | None = None
    ) -> MemoryTrace:
        """The memory and the heads at every step, for pictures: see
        `memnets.TraceableMemory`.

        Args:
            sequences: Tensor `(B, T, features)`.
            mask: Boolean tensor `(B, T)`. At a step that it skips, the memory stays and
                all else is NaN.
        """
        sequences = ops.convert_to_tensor(sequences, dtype=self.compute_dtype)
        self._check_call(sequences, None, mask)
        if not self.cell.built:
            self.build(tuple(sequences.shape))
        run = backends.current().compiled(self._trace_with_heads)
        masks = [] if mask is None else [ops.convert_to_tensor(mask, "bool")]
        state, parameters = run(sequences, *masks)
        parts = (_map(self._to_numpy, part) for part in (parameters, state))
        trace = self.cell.memory.trace(*parts)
        if mask is None:
            return trace
        seen = ops.convert_to_numpy(masks[0])
        return with_skipped_steps(
            trace, ~(seen[:, ::-1] if self.go_backwards else seen)
        )

    def _to_numpy(self, tensor: Tensor) -> np.ndarray:
        wide = at_least_float32(self.compute_dtype)
        return ops.convert_to_numpy(ops.cast(tensor, wide))


def _map(function: Callable[[Tensor], Tensor], structure: Structure) -> Structure:
    """`function` of each tensor; None, for an option that is off, stays."""
    return tree.map_structure(lambda x: None if x is None else function(x), structure)
