"""A memory with least recently used access: its state, its heads and its rule."""

import dataclasses
from typing import Any, NamedTuple

import numpy as np
from keras import ops

from ..checks import check_boolean, check_choice, check_number
from ..memory import access, addressing
from ..memory.base import Memory
from ..memory.initial_state import ZERO_MEMORIES, ZEROS
from ..memory.tracing import MemoryTrace, row_trace
from ..numerics.tensor_checks import Tensor, check_size
from . import head_parameters, rules
from .head_parameters import ReadParameters, WriteParameters


class LRUAState(NamedTuple):
    """The state of an LRUA memory with its parts named.

    The leading axes `...` are the batch, or batch and time.

    Attributes:
        output: `(..., units)`, the last output.
        controller: List of `(..., size)`, the state of the controller.
        reads: `(..., R, W)`, read vectors.
        weightings: `(..., 2 R, N)`, of reading, then of writing.
        usage: `(..., N)`, >= 0, how much each row has been read and written recently.
        memory: `(..., N, W)`, the memory matrix.
    """

    output: Tensor
    controller: list[Tensor]
    reads: Tensor
    weightings: Tensor
    usage: Tensor
    memory: Tensor


@dataclasses.dataclass(frozen=True, kw_only=True)
class LRUAMemory(Memory):
    """A memory with least recently used access. The arguments are documented in
    `LRUA`."""

    state_class = LRUAState
    rows_last = True

    memory_size: int = 128
    word_size: int = 40
    num_read_heads: int = 4
    initial_memory: str = ZEROS
    decay: float = 0.95
    strengths: bool = False
    separate_add: bool = False

    def __post_init__(self) -> None:
        self.check_sizes("memory_size", "word_size")
        check_size("memory_size * word_size", self.memory_size * self.word_size)
        self.check_sizes("num_read_heads")
        if self.num_read_heads > self.memory_size:
            raise ValueError(
                "`num_read_heads` must be at most `memory_size`. Received: "
                f"num_read_heads={self.num_read_heads}, memory_size={self.memory_size}"
            )
        self.set_checked(
            decay=float(check_number("decay", self.decay, minimum=0, below=1)),
            strengths=check_boolean("strengths", self.strengths),
            separate_add=check_boolean("separate_add", self.separate_add),
        )
        check_choice("initial_memory", self.initial_memory, ZERO_MEMORIES)

    @property
    def num_write_heads(self) -> int:
        """As many as read heads: each head reads and writes."""
        return self.num_read_heads

    @property
    def shapes(self) -> dict[str, tuple[int, ...]]:
        return {
            "reads": (self.num_read_heads, self.word_size),
            "weightings": (2 * self.num_read_heads, self.memory_size),
            "usage": (self.memory_size,),
            "memory": (self.memory_size, self.word_size),
        }

    @property
    def initial(self) -> dict[str, Any]:
        return {"memory": self.initial_memory}

    @property
    def head_shapes(self) -> dict[str, tuple[int, int]]:
        vector, number = (self.num_read_heads, self.word_size), (self.num_read_heads, 1)
        shapes = {"key": vector, "gate": number}
        if self.separate_add:
            shapes["add"] = vector
        if self.strengths:
            shapes["beta"] = number
        return shapes

    def parameters(
        self, raw: dict[str, Tensor]
    ) -> tuple[ReadParameters, WriteParameters]:
        return head_parameters.parameters(raw)

    def access(
        self, parameters: tuple[ReadParameters, WriteParameters], state: LRUAState
    ) -> tuple[Tensor, LRUAState]:
        read_params, write_params = parameters
        prev_read = state.weightings[:, : self.num_read_heads]
        free = rules.least_used_weighting(state.usage, self.num_read_heads)
        write = rules.write_weighting(prev_read, free, write_params.gate)
        memory = rules.write(state.memory, write, write_params.add, free, row_axis=2)
        beta = read_params.beta
        if beta is None:
            beta = ops.ones_like(write_params.gate)
        read = addressing.content_weighting(memory, read_params.key, beta, row_axis=2)
        reads = access.read(memory, read, row_axis=2)
        # Usage only chooses rows, and no gradient goes through a choice.
        used = rules.update_usage(
            state.usage, ops.stop_gradient(read), ops.stop_gradient(write), self.decay
        )
        weightings = ops.concatenate([read, write], axis=1)
        return reads, state._replace(weightings=weightings, usage=used, memory=memory)

    def trace(
        self, parameters: tuple[ReadParameters, WriteParameters], state: LRUAState
    ) -> MemoryTrace:
        _, write = parameters
        # Usage has no upper bound, and pictures show shares.
        usage = state.usage / (1.0 + state.usage)
        gates = np.squeeze(write.gate, 3)
        return row_trace(
            state,
            write.add,
            state.weightings,
            row_values=(("usage\nu / (1 + u)", usage),),
            step_values=(("write gates:\nrows read before", gates),),
        )
