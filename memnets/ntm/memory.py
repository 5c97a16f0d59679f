"""The memory of a Neural Turing Machine: its state, its heads and its rule."""

import dataclasses
import math
from typing import Any, NamedTuple

import keras
import numpy as np
from keras import ops

from ..checks import check_choice, shorten
from ..memory import access, addressing
from ..memory.base import Memory
from ..memory.initial_state import MEMORIES, READS, WEIGHTINGS
from ..memory.tracing import MemoryTrace, row_trace
from ..numerics.tensor_checks import Tensor, check_biases, check_size
from . import head_parameters
from .head_parameters import AddressingParameters, WriteParameters


class NTMState(NamedTuple):
    """The state of an NTM with its parts named.

    The leading axes `...` are the batch, or batch and time.

    Attributes:
        output: `(..., units)`, the last output.
        controller: List of `(..., size)`, the state of the controller.
        reads: `(..., R, W)`, read vectors.
        weightings: `(..., H, N)`, read heads first, then write heads.
        memory: `(..., N, W)`, the memory matrix.
    """

    output: Tensor
    controller: list[Tensor]
    reads: Tensor
    weightings: Tensor
    memory: Tensor


# A number for all heads of a kind, or one for each.
Biases = float | tuple[float, ...] | list[float]


@dataclasses.dataclass(frozen=True, kw_only=True)
class NTMMemory(Memory):
    """The memory of a Neural Turing Machine. The arguments are documented in `NTM`."""

    state_class = NTMState
    rows_last = True

    memory_size: int = 128
    word_size: int = 20
    num_read_heads: int = 1
    num_write_heads: int = 1
    initial_memory: str = "random"
    shift_range: int = 1
    initial_weightings: str = "one-hot"
    initial_reads: str = "zeros"
    gate_bias: Biases = 2.0
    write_gate_bias: Biases | None = -4.0
    shift_bias: Biases = 2.0
    write_shift_bias: Biases | None = None

    def __post_init__(self) -> None:
        self.check_sizes("memory_size", "word_size")
        check_size("memory_size * word_size", self.memory_size * self.word_size)
        self.check_sizes("num_read_heads", "num_write_heads")
        shift_range = check_size("shift_range", self.shift_range, minimum=0)
        if 2 * shift_range + 1 > self.memory_size:
            raise ValueError(
                "`2 * shift_range + 1` must be at most `memory_size`. "
                f"Received: shift_range={shift_range}, memory_size={self.memory_size}"
            )
        self.set_checked(shift_range=shift_range)
        self._check_biases("gate_bias", self.gate_bias, self.write_gate_bias)
        self._check_biases("shift_bias", self.shift_bias, self.write_shift_bias)
        check_choice("initial_memory", self.initial_memory, MEMORIES)
        check_choice("initial_weightings", self.initial_weightings, WEIGHTINGS)
        check_choice("initial_reads", self.initial_reads, READS)

    def _check_biases(
        self, name: str, of_read_heads: Biases, of_write_heads: Biases | None
    ) -> None:
        """Checks the initial biases of both kinds of heads."""
        of_read_heads = check_biases(name, of_read_heads, self.num_read_heads)
        if of_write_heads is None:
            of_write_heads = of_read_heads
            is_tuple = isinstance(of_read_heads, tuple)
            if is_tuple and self.num_read_heads != self.num_write_heads:
                raise ValueError(
                    f"`write_{name}` must be given if `{name}` has one number for each "
                    f"of the {self.num_read_heads} read heads, and there are "
                    f"{self.num_write_heads} write heads. "
                    f"Received: {name}={shorten(of_read_heads)}, write_{name}=None"
                )
        of_write_heads = check_biases(
            f"write_{name}", of_write_heads, self.num_write_heads
        )
        self.set_checked(**{name: of_read_heads, f"write_{name}": of_write_heads})

    @property
    def num_heads(self) -> int:
        """Number of read and write heads together, H."""
        return self.num_read_heads + self.num_write_heads

    @property
    def shapes(self) -> dict[str, tuple[int, ...]]:
        return {
            "reads": (self.num_read_heads, self.word_size),
            "weightings": (self.num_heads, self.memory_size),
            "memory": (self.memory_size, self.word_size),
        }

    @property
    def initial(self) -> dict[str, Any]:
        return {
            "memory": self.initial_memory,
            "weightings": self.initial_weightings,
            "reads": self.initial_reads,
        }

    @property
    def head_shapes(self) -> dict[str, tuple[int, int]]:
        # One dense layer computes all heads: one large matrix product is faster than
        # seven small ones for each head.
        return {
            "key": (self.num_heads, self.word_size),
            "beta": (self.num_heads, 1),
            "gate": (self.num_heads, 1),
            "shift": (self.num_heads, 2 * self.shift_range + 1),
            "gamma": (self.num_heads, 1),
            "erase": (self.num_write_heads, self.word_size),
            "add": (self.num_write_heads, self.word_size),
        }

    @property
    def head_biases(self) -> dict[str, Any]:
        """Biases of the interpolation gates and of the shifts.

        Below 0, gates first address by location, starting from the previous rows; above
        0, by content. Above 0, the bias of a shift is that of the shift to the next
        row, so that heads first advance by one row at each step. Below 0, its size is
        the bias of staying, so that heads first stay on the rows that they have found.
        With 0 they blur.
        """
        biases = {"gate": self._of_all_heads("gate_bias")}
        if self.shift_range:
            advance = self._of_all_heads("shift_bias")
            stay = self.shift_range  # the middle of the shifts
            biases["shift"] = np.zeros(self.head_shapes["shift"])
            biases["shift"][:, stay] = np.maximum(-advance[:, 0], 0)
            biases["shift"][:, stay + 1] = np.maximum(advance[:, 0], 0)
        return biases

    def _of_all_heads(self, name: str) -> np.ndarray:
        """Biases of read heads, then of write heads, `(H, 1)`."""
        kinds = {name: self.num_read_heads, f"write_{name}": self.num_write_heads}
        each = [np.broadcast_to(getattr(self, n), count) for n, count in kinds.items()]
        return np.concatenate(each)[:, None]

    def kernel_initializer(
        self, shape: tuple[int, ...], dtype: str | None = None
    ) -> Tensor:
        """A random matrix whose columns of key strengths, gates, shifts and sharpening
        are zero, so that all heads begin with the addressing of their biases.

        With random columns the seed decided which algorithm a network found, see
        benchmarks/trials.md. Keys, erase and add vectors stay random: they must differ
        from step to step.
        """
        kernel = keras.initializers.GlorotUniform()(shape, dtype)
        zero = ("beta", "gate", "shift", "gamma")
        influence = [
            np.full(math.prod(shape), name not in zero)
            for name, shape in self.head_shapes.items()
        ]
        return kernel * ops.cast(np.concatenate(influence), kernel.dtype)

    def parameters(
        self, raw: dict[str, Tensor]
    ) -> tuple[AddressingParameters, WriteParameters]:
        return head_parameters.parameters(raw)

    def access(
        self,
        parameters: tuple[AddressingParameters, WriteParameters],
        state: NTMState,
    ) -> tuple[Tensor, NTMState]:
        find, change = parameters
        content = addressing.content_weighting(
            state.memory, find.key, find.beta, row_axis=2
        )
        gated = addressing.interpolate(content, state.weightings, find.gate)
        shifted = addressing.shift(gated, find.shift)
        weightings = addressing.sharpen(shifted, find.gamma)
        write_weightings = weightings[:, self.num_read_heads :]
        memory = access.write(state.memory, write_weightings, *change, row_axis=2)
        reads = access.read(memory, weightings[:, : self.num_read_heads], row_axis=2)
        return reads, state._replace(weightings=weightings, memory=memory)

    def trace(
        self, parameters: tuple[AddressingParameters, WriteParameters], state: NTMState
    ) -> MemoryTrace:
        _, write = parameters
        return row_trace(state, write.add, state.weightings)
