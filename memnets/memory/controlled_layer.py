"""What the layers share whose controller drives a memory by heads."""

import abc
from typing import Any

import numpy as np
from keras import ops, tree

from ..numerics.precision import at_least_float32
from ..numerics.tensor_checks import Tensor
from ..recurrent.cell_layer import CellLayer
from .tracing import MemoryTrace


class ControlledLayer(CellLayer):
    """A `ControlledCell` run over sequences: what its heads do can be traced."""

    def trace_heads(self, sequences: Tensor) -> Any:
        """The parameters of the heads at every step, for inspection.

        Args:
            sequences: Tensor `(B, T, features)`.
        Returns:
            What `layer.cell.head_layout.split` returns, whose tensors have a time axis
            after the batch axis, in the order of processing: for an `NTM`
            `(AddressingParameters, WriteParameters)` of `memnets.ntm.heads`, for a
            `DNC` `(ReadParameters, WriteParameters)` of `memnets.dnc.heads`. What a
            write head adds is `(B, T, heads, W)`.
        """
        return self._trace_with_heads(sequences)[1]

    def _trace_with_heads(self, sequences: Tensor) -> tuple[Any, Any]:
        """What `trace` and `trace_heads` return, of one run over the sequences."""
        state = self.trace(sequences)
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

        def with_time(values):
            if values is None:  # a parameter of an option that is off
                return None
            return ops.reshape(values, (batch_size, steps, *values.shape[1:]))

        parameters = self.cell.head_layout.split(self.cell.heads(hidden))
        return state, tree.map_structure(with_time, parameters)

    @abc.abstractmethod
    def trace_memory(self, sequences: Tensor) -> MemoryTrace:
        """The memory and the heads at every step, for pictures: see
        `memnets.TraceableMemory`.

        Args:
            sequences: Tensor `(B, T, features)`.
        """

    def _to_numpy(self, tensor: Tensor) -> np.ndarray:
        wide = at_least_float32(self.compute_dtype)
        return ops.convert_to_numpy(ops.cast(tensor, wide))
