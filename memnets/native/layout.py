"""The arguments of the compiled kernel: sizes and weights as vectors.

`src/sizes.h` reads the same vectors in C++.
"""

import math
from typing import Any, NamedTuple

import keras
import numpy as np
from keras import ops

from ..cells.clipped_lstm import ClippedLSTMCell
from ..cells.feedforward import FeedforwardCell
from ..tensor_checks import Tensor


class Layout(NamedTuple):
    """The sizes of an `NTMCell` that the kernel needs, with the names of the cell."""

    input_size: int
    memory_size: int
    word_size: int
    num_read_heads: int
    num_write_heads: int
    shift_range: int
    is_lstm: bool
    cell_clip: float
    controller_size: tuple[int, ...]

    @classmethod
    def of(cls, cell: Any) -> "Layout":
        """The layout of a cell whose controller has `controller_cells`."""
        cells = controller_cells(cell.controller)
        if cells is None:
            raise ValueError("The compiled kernel cannot compute this controller.")
        return cls(
            _kernels(cells[0])[0].shape[0] - cell.num_read_heads * cell.word_size,
            cell.memory_size,
            cell.word_size,
            cell.num_read_heads,
            cell.num_write_heads,
            cell.shift_range,
            _is_lstm(cells[0]),
            _cell_clip(cells[0]),
            tuple(inner.units for inner in cells),
        )

    @property
    def features_size(self) -> int:
        """Size of the result of each step: the controller's output and the reads."""
        return self.controller_size[-1] + self.num_read_heads * self.word_size

    @property
    def state_size(self) -> int:
        """Size of the state of one sequence, without the output of the network."""
        heads = self.num_read_heads + self.num_write_heads
        return (
            sum(self.controller_size) * (2 if self.is_lstm else 1)
            + self.num_read_heads * self.word_size
            + heads * self.memory_size
            + self.memory_size * self.word_size
        )

    def sizes(self, batch: int, steps: int, threads: int, saves: bool) -> np.ndarray:
        """The vector of sizes, int32.

        Args:
            batch: Number of sequences.
            steps: Number of steps.
            threads: Largest number of threads.
            saves: Whether the forward pass stores the history that gradients need.
        """
        *memory, is_lstm, cell_clip, units = self
        clip = np.float32(cell_clip).view("int32")  # its bits
        numbers = [*memory, is_lstm, clip, threads, saves, len(units), *units]
        return np.array([batch, steps, *numbers], "int32")


def controller_cells(controller: Any) -> list[Any] | None:
    """The cells of a controller if the kernel can compute them; otherwise None.

    It can compute LSTM cells with the default arguments of Keras, with or without a
    bound for their carries, feedforward cells with tanh, and stacks of one kind.
    """
    stacked = type(controller) is keras.layers.StackedRNNCells
    cells = list(controller.cells) if stacked else [controller]
    if all(map(_is_lstm, cells)) or all(map(_is_tanh, cells)):
        return cells if len(set(map(_cell_clip, cells))) == 1 else None
    return None


def _cell_clip(cell):
    return getattr(cell, "cell_clip", math.inf)


def _is_lstm(cell):
    return (
        type(cell) in (keras.layers.LSTMCell, ClippedLSTMCell)
        and cell.activation is keras.activations.tanh
        and cell.recurrent_activation is keras.activations.sigmoid
        and cell.use_bias
    )


def _is_tanh(cell):
    return (
        type(cell) is FeedforwardCell
        and cell.dense.activation is keras.activations.tanh
    )


def weights_of(cell: Any) -> Tensor:
    """All weights of an `NTMCell` that the kernel needs, in one vector.

    For each cell of the controller its matrices, one above the other, and its bias;
    then the matrix and the bias of the heads.
    """
    parts = []
    for inner in controller_cells(cell.controller) or []:
        layer = inner if _is_lstm(inner) else inner.dense
        parts += [*_kernels(inner), layer.bias]
    parts += [cell.heads.kernel, cell.heads.bias]
    return ops.concatenate([ops.reshape(part, (-1,)) for part in parts])


def _kernels(cell):
    """The matrices of a cell: for its inputs and, in an LSTM, for its last output."""
    if _is_lstm(cell):
        return [cell.kernel, cell.recurrent_kernel]
    return [cell.dense.kernel]
