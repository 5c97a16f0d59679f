"""The state of a Neural Turing Machine: as named tensors and as flat vectors."""

from typing import NamedTuple

from keras import ops

from .tensor_checks import Tensor


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


class StateLayout(NamedTuple):
    """How the state of an NTM lies in flat vectors, the output first.

    Flat vectors are the only form of state that `return_state`, `Bidirectional` and
    masks support on every backend. The memory is stored as `(W, N)`: processors are
    fast at a long last axis.

    Attributes:
        units: Size of the output.
        controller_sizes: Sizes of the states of the controller.
        num_read_heads: Number of read heads, R.
        num_heads: Number of read and write heads together, H.
        memory_size: Number of memory rows, N.
        word_size: Number of components of a row, W.
    """

    units: int
    controller_sizes: tuple[int, ...]
    num_read_heads: int
    num_heads: int
    memory_size: int
    word_size: int

    @property
    def sizes(self) -> list[int]:
        """Sizes of the flat vectors, in the order of `NTMState`."""
        return [
            self.units,
            *self.controller_sizes,
            self.num_read_heads * self.word_size,
            self.num_heads * self.memory_size,
            self.memory_size * self.word_size,
        ]

    def unpack(self, states: list[Tensor]) -> NTMState:
        """Gives names and shapes to a list of flat states `(..., size)`.

        Raises:
            ValueError: If the list has another length.
        """
        if len(states) != len(self.sizes):
            raise ValueError(
                f"`states` must hold {len(self.sizes)} tensors, of the sizes "
                f"{self.sizes}. Received: {len(states)}"
            )
        output, *controller, reads, weightings, memory = states
        leading = tuple(ops.shape(output))[:-1]
        rows_last = ops.reshape(memory, (*leading, self.word_size, self.memory_size))
        return NTMState(
            output=output,
            controller=controller,
            reads=ops.reshape(reads, (*leading, self.num_read_heads, self.word_size)),
            weightings=ops.reshape(
                weightings, (*leading, self.num_heads, self.memory_size)
            ),
            memory=ops.swapaxes(rows_last, -1, -2),
        )

    def pack(self, state: NTMState) -> list[Tensor]:
        """Turns an `NTMState` into the list of flat states that Keras passes around."""
        return [
            state.output,
            *state.controller,
            _flatten(state.reads),
            _flatten(state.weightings),
            _flatten(ops.swapaxes(state.memory, -1, -2)),
        ]


def _flatten(tensor):
    """`(..., rows, columns)` to `(..., rows * columns)`."""
    *leading, rows, columns = tuple(ops.shape(tensor))
    # Not -1: its size would be ambiguous for an empty batch.
    return ops.reshape(tensor, (*leading, rows * columns))
