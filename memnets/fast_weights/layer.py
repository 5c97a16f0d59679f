"""Fast weights: a matrix that a network writes into at each step."""

import math
from typing import Any

import keras
import numpy as np
from keras import ops

from .. import backends
from ..backends.masked_outputs import latest_steps, outputs_under_mask
from ..numerics.precision import within_range
from ..numerics.tensor_checks import Shape, Structure, Tensor, check_size
from ..recurrent.cell_layer import CellLayer
from .cell import FastWeightsCell
from .rules import Chunk, chunk_of, run_chunk

# Heuristic: larger numbers than any of a network, of which sums and products of a chunk
# are finite in float32.
INFINITE = 1e30


@keras.saving.register_keras_serializable("memnets")
class FastWeights(CellLayer):
    """Fast weights: `FastWeightsCell` run over a sequence, many steps at once.

    It behaves as Keras' own recurrent layers do: masks, `return_sequences`,
    `return_state`, `stateful`, `go_backwards`, `Bidirectional`, initial states passed
    in, mixed precision, saving and loading. A masked step leaves the memory unchanged.
    What it stores is not bound to rows: a head can hold as many values as its keys have
    numbers without mixing them up.

    Args:
        units: Size of the output, which is linear.
        key_size: Numbers of a key, K.
        value_size: Numbers of a value, V; that of a key if None.
        num_heads: Number of heads, each with a memory of its own.
        rule: How a head writes: `"additive"` adds to what is stored at a key,
            `"delta"` replaces it, `"gated-delta"` also forgets a learned share of all
            that is stored.
        chunk_size: So many steps are computed at once, by products of matrices; None to
            compute step by step. Results differ only by rounding.
        return_sequences: Whether to return the output of every step, or of the last
            step only.
        return_state: Whether to also return the last state, for `layer.cell.unpack`.
        stateful: Whether a batch continues from the last state of the previous batch,
            until `reset_state()`.
        gradient_bound: In training, the largest norm of the gradients that leave the
            layer, in proportion to the errors that enter it, such as 1; None for no
            bound. See `memnets.recurrent.gradient_bound`.
        **kwargs: `go_backwards`, `zero_output_for_mask`, `unroll` (the loop over chunks
            or steps), `name`, `dtype`, `trainable`.
    Call arguments:
        sequences: Tensor `(B, T, features)`.
        initial_state: List of tensors `(B, size)`, sizes in `layer.cell.state_size`.
        mask: Boolean tensor `(B, T)`; `False` skips a step.
    Returns:
        Tensor `(B, units)`, or `(B, T, units)` with `return_sequences`; with
        `return_state` followed by the tensors of the last state.
    Raises:
        ValueError: If a size is not a positive integer, `rule` is unknown, or a tensor
            has another shape.
        TypeError: If a tensor does not hold real numbers, or a flag is not a boolean.
    Reference:
        See `FastWeightsCell` and `memnets.fast_weights.rules`.
    Example:
        >>> layer = FastWeights(8, key_size=4, return_sequences=True)
        >>> tuple(layer(np.zeros((2, 5, 3))).shape)
        (2, 5, 8)
        >>> tuple(layer.trace(np.zeros((2, 5, 3))).memory.shape)
        (2, 5, 1, 4, 4)
    """

    cell_class = FastWeightsCell

    def __init__(
        self, units: int, *, chunk_size: int | None = 32, **kwargs: Any
    ) -> None:
        super().__init__(units, **kwargs)
        self.chunk_size = chunk_size
        if chunk_size is not None:
            self.chunk_size = check_size("chunk_size", chunk_size)

    def inner_loop(
        self,
        sequences: Tensor,
        initial_state: list[Tensor],
        mask: Tensor | None,
        training: bool = False,
    ) -> tuple[Tensor, Tensor, Structure]:
        # For an export, JAX has a symbol for the steps, which it cannot divide.
        is_symbol = not isinstance(sequences.shape[1], int | None)
        if self.chunk_size is None or is_symbol:
            return super().inner_loop(sequences, initial_state, mask, training)
        cell = self.cell
        if self.go_backwards:
            sequences = ops.flip(sequences, 1)
            mask = None if mask is None else ops.flip(mask, 1)
        params = cell.head_parameters(sequences)
        # A product of matrices adds 0 times what later steps write. Of a step that is
        # not finite this would not be 0: it is left out, and shown in all after it.
        used = finite = ops.all(ops.abs(params) < INFINITE, axis=-1)
        if mask is not None:
            mask = ops.cast(mask, "bool")
            used = ops.logical_and(finite, mask)
            finite = ops.logical_or(finite, ops.logical_not(mask))
        params = ops.where(used[..., None], params, 0.0)
        first_output, memory = initial_state
        reads, memory = self._run_chunks(params, memory)
        broken = ops.cumsum(ops.cast(ops.logical_not(finite), "int32"), axis=1) > 0
        reads = ops.where(broken[..., None], np.nan, reads)
        memory = ops.where(broken[:, -1:], np.nan, memory)
        seen = [sequences, reads]
        if mask is not None:
            latest = latest_steps(mask)[..., None]
            seen = [ops.take_along_axis(x, latest, axis=1) for x in seen]
        if not self.return_sequences:
            seen = [x[:, -1:] for x in seen]
        outputs = cell.outputs(*seen)
        last_output = outputs[:, -1]
        if mask is not None:
            outputs, last_output = outputs_under_mask(self, outputs, first_output, mask)
        return outputs[:, -1], outputs, [last_output, memory]

    def _run_chunks(self, params: Tensor, memory: Tensor) -> tuple[Tensor, Tensor]:
        """Reads `(B, T, H V)` and the last memory, flat."""
        cell = self.cell
        rows, steps, size = ops.shape(params)
        # Steps of zeros change nothing.
        count = (steps + self.chunk_size - 1) // self.chunk_size
        missing = count * self.chunk_size - steps
        params = ops.concatenate(
            [params, ops.zeros((rows, missing, size), params.dtype)], axis=1
        )
        # What does not depend on the memory, for all chunks at once.
        params = ops.reshape(params, (-1, self.chunk_size, size))
        chunk = chunk_of(cell.split(params), cell.overwrites)
        loop = keras.layers.RNN(
            _ChunkCell(cell, chunk, params.dtype),
            return_sequences=True,
            return_state=True,
            unroll=self.unroll,
            dtype=keras.backend.standardize_dtype(params.dtype),
        )
        parts = [
            ops.reshape(part, (rows, count, math.prod(part.shape[1:])))
            for part in chunk
            if part is not None
        ]
        # The first state of a cell is its last output.
        width = loop.cell.output_size
        start = [ops.zeros((rows, width), params.dtype), ops.cast(memory, params.dtype)]
        reads, _, memory = loop(ops.concatenate(parts, -1), initial_state=start)
        reads = ops.reshape(reads, (rows, -1, width // self.chunk_size))
        return reads[:, :steps], ops.cast(memory, cell.compute_dtype)

    def get_config(self) -> dict[str, Any]:
        return {**super().get_config(), "chunk_size": self.chunk_size}


class _ChunkCell(keras.layers.Layer):
    """A step of the loop over chunks. It has no weights: the parameters of the heads
    were computed before.

    Args:
        cell: The cell of the layer.
        chunk: A `Chunk`, of which only the shapes count.
    """

    def __init__(self, cell: FastWeightsCell, chunk: Chunk, dtype: Any) -> None:
        super().__init__(dtype=keras.backend.standardize_dtype(dtype))
        self._compute = cell
        self._shapes = {
            name: part.shape[1:]
            for name, part in chunk._asdict().items()
            if part is not None
        }
        self.output_size = math.prod(chunk.written.shape[1:])
        self.state_size = [self.output_size, cell.state_size[1]]

    def build(self, input_shape: Shape) -> None:
        pass

    def call(self, inputs: Tensor, states: list[Tensor]) -> tuple[Tensor, list[Tensor]]:
        cell, rows = self._compute, ops.shape(inputs)[0]
        memory = cell.memory_of(states[1])
        reads, memory = run_chunk(memory, self._unpack(inputs))
        reads = ops.reshape(ops.swapaxes(reads, 1, 2), (rows, self.output_size))
        memory = within_range(memory, cell.output_dtype)
        return reads, [reads, ops.reshape(memory, (rows, self.state_size[1]))]

    def _unpack(self, flat: Tensor) -> Chunk:
        """A `Chunk` of its parts, flat and one after another."""
        ends = np.cumsum([math.prod(shape) for shape in self._shapes.values()])
        parts = backends.current().split(flat, ends[:-1].tolist(), axis=-1)
        return Chunk(
            **{
                name: ops.reshape(part, (-1, *shape))
                for (name, shape), part in zip(self._shapes.items(), parts, strict=True)
            }
        )
