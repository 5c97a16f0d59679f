"""What the layers of all memory networks share."""

from typing import Any

import keras
from keras import ops, tree

from .cell_layer import CellLayer
from .tensor_checks import Tensor
from .tracing import MemoryTrace, split_heads


class MemoryLayer(CellLayer):
    """A `MemoryCell` run over sequences: its memory may be randomized, and what its
    heads do can be traced."""

    def call(
        self,
        sequences: Tensor,
        initial_state: Any = None,
        mask: Tensor | None = None,
        training: bool = False,
    ) -> Any:
        # Keras asks the cell for an initial state without passing `training`.
        resample = training and self.cell.initial.is_randomized and not self.stateful
        if resample and initial_state is None:
            batch_size = ops.shape(sequences)[0]
            initial_state = self.cell.get_initial_state(batch_size, training=True)
        return super().call(sequences, initial_state, mask, training)

    def trace_heads(self, sequences: Tensor) -> Any:
        """The parameters of the heads at every step, for inspection.

        Args:
            sequences: Tensor `(B, T, features)`.
        Returns:
            What `layer.cell.head_layout.split` returns, whose tensors have a time axis
            after the batch axis, in the order of processing: for an `NTM`
            `(AddressingParameters, WriteParameters)` of `memnets.heads`, for a `DNC`
            `(ReadParameters, WriteParameters)` of `memnets.dnc_heads`. What a write
            head adds is `(B, T, heads, W)`.
        """
        self._check_call(sequences, None, None)
        sequences = ops.convert_to_tensor(sequences, dtype=self.compute_dtype)
        batch_size, steps, _ = sequences.shape
        after = self.cell.pack(self.trace(sequences))
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

        return tree.map_structure(
            with_time, self.cell.head_layout.split(self.cell.heads(hidden))
        )

    def trace_memory(self, sequences: Tensor) -> MemoryTrace:
        """The memory and the heads at every step, for pictures: see
        `memnets.TraceableMemory`.

        Args:
            sequences: Tensor `(B, T, features)`.
        """
        parameters, state = self.trace_heads(sequences), self.trace(sequences)
        *_, write_params = parameters
        num_read_heads = self.cell.num_read_heads
        added, read, weightings, memory = map(
            self._to_numpy,
            (write_params.add, state.reads, state.weightings, state.memory),
        )
        heads = [
            *split_heads("write", added, weightings[:, :, num_read_heads:]),
            *split_heads("read", read, weightings[:, :, :num_read_heads]),
        ]
        return MemoryTrace(heads, memory, **self._traced_values(parameters, state))

    def _traced_values(self, parameters, state):
        """What else than heads and memory a picture shows: fields of `MemoryTrace`."""
        return {}

    def _to_numpy(self, tensor):
        dtype = keras.backend.result_type(self.compute_dtype, "float32")
        return ops.convert_to_numpy(ops.cast(tensor, dtype))
