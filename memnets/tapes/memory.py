"""A tape as a memory: state, heads and rule."""

import dataclasses
from typing import Any, NamedTuple

import numpy as np
from keras import ops

from ..checks import check_boolean, shorten
from ..memory.base import Memory
from ..memory.tracing import MemoryTrace, row_trace
from ..numerics.tensor_checks import Tensor, check_size
from . import head_parameters, rules
from .head_parameters import TapeParameters


class TapeState(NamedTuple):
    """The state of a network with a tape, its parts named.

    The leading axes `...` are the batch, or batch and time.

    Attributes:
        output: `(..., units)`, the last output.
        controller: List of `(..., size)`, the state of the controller.
        reads: `(..., 1, W)`, the cell under the head.
        head: `(..., N)`, the probability of each place of the tape that the head is
            there, as far as its moves tell; place 0 before the first step. It is for
            pictures: the network does not see it.
        memory: `(..., N, W)`, the tape, the cell under the head first.
        length: `(..., 1)`, how far a jump goes: the length of the input. 0 if it is not
            known yet. None without jumps.
    """

    output: Tensor
    controller: list[Tensor]
    reads: Tensor
    head: Tensor
    memory: Tensor
    length: Tensor | None = None


@dataclasses.dataclass(frozen=True, kw_only=True)
class TapeMemory(Memory):
    """A tape. The arguments are documented in `TapeRNN`."""

    state_class = TapeState
    default_controller = "simple-rnn"
    # With 8 binary digits a tape that moves hundreds of times is rounded each time, and
    # a length above 256 is not exact.
    needs_float32 = True
    places = "memory_size"

    memory_size: int = 128
    word_size: int = 8
    writer_sizes: tuple[int, ...] = (64, 64)
    round_moves: bool = False
    jumps: bool = False
    length_features: int | None = None

    def __post_init__(self) -> None:
        self.check_sizes("memory_size", "word_size")
        check_size("memory_size * word_size", self.memory_size * self.word_size)
        if not isinstance(self.writer_sizes, (tuple, list)):
            raise ValueError(
                "`writer_sizes` must be a tuple of positive integers, such as "
                f"(64, 64). Received: writer_sizes={shorten(self.writer_sizes)}"
            )
        sizes = (check_size("writer_sizes", size) for size in self.writer_sizes)
        self.set_checked(
            writer_sizes=tuple(sizes),
            round_moves=check_boolean("round_moves", self.round_moves),
            jumps=check_boolean("jumps", self.jumps),
        )
        if self.length_features is not None:
            self.check_sizes("length_features")
            if not self.jumps:
                raise ValueError(
                    "`length_features` must be None where `jumps` is False. "
                    f"Received: length_features={self.length_features}"
                )

    @property
    def move_names(self) -> tuple[str, ...]:
        """The moves, in the order of their probabilities."""
        return rules.MOVES if self.jumps else rules.MOVES[:3]

    @property
    def shapes(self) -> dict[str, tuple[int, ...]]:
        return {
            "reads": (1, self.word_size),
            "head": (self.memory_size,),
            **({"length": (1,)} if self.jumps else {}),
            "memory": (self.memory_size, self.word_size),
        }

    @property
    def initial(self) -> dict[str, Any]:
        return {"head": np.eye(1, self.memory_size, dtype="float32")[0]}

    @property
    def head_shapes(self) -> dict[str, tuple[int, int]]:
        return {"moves": (1, len(self.move_names)), "word": (1, self.word_size)}

    def parameters(self, raw: dict[str, Tensor]) -> TapeParameters:
        return head_parameters.parameters(raw)

    def split_rounded(self, raw: Tensor) -> TapeParameters:
        """As `split`, but the most probable move has all the probability."""
        parameters = self.split(raw)
        return parameters._replace(moves=rules.rounded(parameters.moves))

    def access(
        self, parameters: TapeParameters, state: TapeState
    ) -> tuple[Tensor, TapeState]:
        moves, length = parameters.moves[:, 0], state.length
        tape = rules.move(rules.write(state.memory, parameters.word), moves, length)
        head = rules.move_head(state.head, moves, length)
        return tape[:, :1], state._replace(head=head, memory=tape)

    def trace(self, parameters: TapeParameters, state: TapeState) -> MemoryTrace:
        moves, head = parameters.moves[:, :, 0], state.head
        if self.round_moves:
            moves = ops.convert_to_numpy(rules.rounded(moves))
        first = np.broadcast_to(self.initial["head"], head[:, :1].shape)
        before = np.concatenate([first, head[:, :-1]], axis=1)
        # Row 0 is where the head is: each row goes to its place on the tape.
        places = np.arange(self.memory_size) - head.argmax(axis=-1)[..., None]
        tape = np.take_along_axis(
            state.memory, places[..., None] % self.memory_size, axis=2
        )
        return row_trace(
            state._replace(memory=tape),
            parameters.word,
            np.stack([head, before], axis=2),
            step_values=(("moves\n" + ",\n".join(self.move_names), moves),),
        )
