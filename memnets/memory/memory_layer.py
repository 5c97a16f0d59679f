"""What the layers of all networks share whose memory has rows."""

from typing import Any

from keras import ops

from .. import native
from ..numerics.tensor_checks import Tensor
from .controlled_layer import ControlledLayer
from .tracing import MemoryTrace, split_heads


class MemoryLayer(ControlledLayer):
    """A `MemoryCell` run over sequences: its memory may be randomized."""

    # The way of a call: MemoryLayer.call, MemoryRNN.call, keras.layers.RNN.call, then
    # MemoryLayer.inner_loop: the compiled kernel, or the loop of Keras over the cell.

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

    def inner_loop(
        self,
        sequences: Tensor,
        initial_state: list[Tensor],
        mask: Tensor | None,
        training: bool = False,
    ) -> Any:
        if native.covers(self.cell):
            return native.run(self, sequences, initial_state, mask, training)
        return super().inner_loop(sequences, initial_state, mask, training)

    def trace_memory(self, sequences: Tensor) -> MemoryTrace:
        state, parameters = self._trace_with_heads(sequences)
        *_, write_params = parameters
        num_read_heads = self.cell.num_read_heads
        added, read, weightings, memory = map(
            self._to_numpy,
            (write_params.add, state.reads, self._weightings(state), state.memory),
        )
        heads = [
            *split_heads("write", added, weightings[:, :, num_read_heads:]),
            *split_heads("read", read, weightings[:, :, :num_read_heads]),
        ]
        return MemoryTrace(heads, memory, **self._traced_values(parameters, state))

    def _weightings(self, state):
        """The weightings of a traced state, of read heads, then of write heads."""
        return state.weightings

    def _traced_values(self, parameters, state):
        """What else than heads and memory a picture shows: fields of `MemoryTrace`."""
        return {}
