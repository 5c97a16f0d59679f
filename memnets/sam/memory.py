"""A sparse access memory: its state, its heads and its rule."""

import dataclasses
import functools
from typing import Any, NamedTuple

import numpy as np
from keras import ops

from ..checks import check_choice, check_number
from ..memory.base import Memory
from ..memory.initial_state import ZERO_MEMORIES, ZEROS
from ..memory.tracing import MemoryTrace, row_trace
from ..numerics.tensor_checks import Tensor, check_size
from . import head_parameters, row_choice, rules
from .hash_index import HashIndex
from .head_parameters import ReadParameters, WriteParameters


class SAMState(NamedTuple):
    """The state of a sparse access memory with its parts named.

    The leading axes `...` are the batch, or batch and time. Each of the R heads reads K
    rows.

    Attributes:
        output: `(..., units)`, the last output.
        controller: List of `(..., size)`, the state of the controller.
        reads: `(..., R, W)`, read vectors.
        read_rows: `(..., R, K)`, the numbers of the rows that were read.
        read_weights: `(..., R, K)`, their weights.
        write_rows: `(..., R, K + 1)`, the numbers of the rows that were written to, the
            least recently accessed row last.
        write_weights: `(..., R, K + 1)`, their weights.
        last_access: `(..., N)`, the step of the last access to each row; 0 for none.
        step: `(..., 1)`, the number of steps so far.
        memory: `(..., N, W)`, the memory matrix.
        buckets: `(..., tables, buckets, slots)`, the numbers of the rows in each bucket
            of the index, plus 1; 0 where a slot is empty. See `memnets.sam.hash_index`.
            None without an index.
    """

    output: Tensor
    controller: list[Tensor]
    reads: Tensor
    read_rows: Tensor
    read_weights: Tensor
    write_rows: Tensor
    write_weights: Tensor
    last_access: Tensor
    step: Tensor
    memory: Tensor
    buckets: Tensor | None = None


# How the rows nearest to a key are found.
EXACT, HASHING = "exact", "hashing"
# Row numbers and steps are stored in float32, which has all integers up to here.
LARGEST_MEMORY = 2**24


@dataclasses.dataclass(frozen=True, kw_only=True)
class SAMMemory(Memory):
    """A sparse access memory. The arguments are documented in `SAM`."""

    state_class = SAMState
    needs_float32 = True
    # The inputs of a step that is recomputed are kept: here, the memory of each step.
    recomputes = False

    memory_size: int = 128
    word_size: int = 20
    num_read_heads: int = 1
    initial_memory: str = ZEROS
    num_rows_read: int = 4
    search: str = EXACT
    beta_bias: float = 4.0
    gate_bias: float = -4.0
    write_gate_bias: float = 2.0

    def __post_init__(self) -> None:
        self.check_sizes("memory_size", "word_size")
        check_size("memory_size * word_size", self.memory_size * self.word_size)
        self.check_sizes("num_read_heads", "num_rows_read")
        if self.memory_size > LARGEST_MEMORY:
            raise ValueError(
                f"`memory_size` must be at most {LARGEST_MEMORY:,}. "
                f"Received: memory_size={self.memory_size}"
            )
        for name in ("num_read_heads", "num_rows_read"):
            if getattr(self, name) > self.memory_size:
                raise ValueError(
                    f"`{name}` must be at most `memory_size`. Received: "
                    f"{name}={getattr(self, name)}, memory_size={self.memory_size}"
                )
        check_choice("search", self.search, (EXACT, HASHING))
        for name in ("beta_bias", "gate_bias", "write_gate_bias"):
            self.set_checked(**{name: check_number(name, getattr(self, name))})
        check_choice("initial_memory", self.initial_memory, ZERO_MEMORIES)

    @functools.cached_property
    def index(self) -> HashIndex | None:
        """The index of rows, None with an exact search."""
        if self.search == EXACT:
            return None
        return HashIndex(self.memory_size, self.word_size)

    @property
    def shapes(self) -> dict[str, tuple[int, ...]]:
        heads, rows = self.num_read_heads, self.num_rows_read
        return {
            "reads": (heads, self.word_size),
            "read_rows": (heads, rows),
            "read_weights": (heads, rows),
            "write_rows": (heads, rows + 1),
            "write_weights": (heads, rows + 1),
            "last_access": (self.memory_size,),
            "step": (1,),
            **({"buckets": self.index.shape} if self.index else {}),
            "memory": (self.memory_size, self.word_size),
        }

    @property
    def initial(self) -> dict[str, Any]:
        return {"memory": self.initial_memory}

    def initial_from(self, memory: Tensor) -> dict[str, Tensor]:
        return {"buckets": self.index.build(memory)} if self.index else {}

    @property
    def head_shapes(self) -> dict[str, tuple[int, int]]:
        vector, number = (self.num_read_heads, self.word_size), (self.num_read_heads, 1)
        return {
            "key": vector,
            "beta": number,
            "add": vector,
            "gate": number,
            "write_gate": number,
        }

    @property
    def head_biases(self) -> dict[str, Any]:
        """Biases of the key strengths, the gates and the write gates.

        Below 0, gates first write to the least recently accessed row; above 0, to the
        rows that they have just read. With write gates above 0, heads first write at
        every step.
        """
        names = ("beta", "gate", "write_gate")
        return {name: getattr(self, f"{name}_bias") for name in names}

    def parameters(
        self, raw: dict[str, Tensor]
    ) -> tuple[ReadParameters, WriteParameters]:
        return head_parameters.parameters(raw)

    def access(
        self, parameters: tuple[ReadParameters, WriteParameters], state: SAMState
    ) -> tuple[Tensor, SAMState]:
        read_params, write_params = parameters
        step = state.step + 1.0
        free = row_choice.least_recent_rows(state.last_access, self.num_read_heads)
        write_rows = ops.concatenate(
            [ops.cast(state.read_rows, free.dtype), free[..., None]], axis=2
        )
        write_weights = rules.write_weights(
            state.read_weights, write_params.gate, write_params.write_gate
        )
        memory, buckets = self._write(
            state, (write_rows, write_weights, write_params.add, free)
        )
        rows = self._nearest_rows(memory, buckets, read_params.key)
        words, memory = rules.take_rows(memory, rows)
        weights = rules.sparse_weighting(words, *read_params)
        last_access = rules.update_access(
            state.last_access,
            ops.concatenate([_in_one(rows), _in_one(write_rows)], axis=1),
            ops.concatenate([_in_one(weights), _in_one(write_weights)], axis=1),
            step,
        )
        dtype = memory.dtype
        return rules.read(words, weights), state._replace(
            read_rows=ops.cast(rows, dtype),
            read_weights=weights,
            write_rows=ops.cast(write_rows, dtype),
            write_weights=write_weights,
            last_access=last_access,
            step=step,
            memory=memory,
            buckets=buckets,
        )

    def _write(
        self, state: SAMState, written: tuple[Tensor, Tensor, Tensor, Tensor]
    ) -> tuple[Tensor, Tensor | None]:
        """The new memory, and the buckets of what its rows hold now."""
        if self.index is None:
            return rules.write(state.memory, *written), None
        rows = _in_one(written[0])
        before, memory = rules.take_rows(state.memory, written[0])
        # The last row of each head is the one that is erased.
        memory = rules.write(memory, *written, lost=before[:, :, -1])
        after, memory = rules.take_rows(memory, rows)
        before = ops.reshape(before, ops.shape(after))
        return memory, self.index.update(state.buckets, rows, before, after)

    def _nearest_rows(
        self, memory: Tensor, buckets: Tensor | None, key: Tensor
    ) -> Tensor:
        if self.index is None:
            return row_choice.nearest_rows(memory, key, self.num_rows_read)
        return self.index.nearest_rows(memory, buckets, key, self.num_rows_read)

    def weightings(self, state: SAMState) -> np.ndarray:
        """The weightings of a traced state over all rows, `(B, T, 2 R, N)`: of the read
        heads, then of the write heads."""
        pairs = (
            (state.read_rows, state.read_weights),
            (state.write_rows, state.write_weights),
        )
        dense = [
            _dense(np.asarray(rows), np.asarray(weights), self.memory_size)
            for rows, weights in pairs
        ]
        return np.concatenate(dense, axis=2)

    def trace(
        self, parameters: tuple[ReadParameters, WriteParameters], state: SAMState
    ) -> MemoryTrace:
        _, write = parameters
        # Pictures show shares: near 0 for rows that were accessed just now.
        age = state.step - state.last_access
        gates = (
            ("write gates:\nhow much", write.write_gate),
            ("gates:\nrows read before", write.gate),
        )
        return row_trace(
            state,
            write.add,
            self.weightings(state),
            row_values=(("steps since access\nu / (1 + u)", age / (1.0 + age)),),
            step_values=tuple((title, gate[..., 0]) for title, gate in gates),
        )


def _in_one(tensor: Tensor) -> Tensor:
    """A tensor `(B, heads, size)` as `(B, heads size)`."""
    _, heads, size = tensor.shape
    return ops.reshape(tensor, (-1, heads * size))


def _dense(rows: np.ndarray, weights: np.ndarray, num_rows: int) -> np.ndarray:
    """Weightings `(B, T, R, num_rows)` from the numbers and the weights of a few rows
    `(B, T, R, L)`, of which a number may be named several times."""
    dense = np.zeros((*rows.shape[:3], num_rows), weights.dtype)
    places: Any = (*np.indices(rows.shape)[:-1], rows.astype(int))
    np.add.at(dense, places, weights)
    return dense
