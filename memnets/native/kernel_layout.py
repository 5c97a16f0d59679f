"""The arguments of the compiled kernel: sizes and weights as vectors.

`src/sizes.h` reads the same vectors in C++.
"""

import abc
import dataclasses
from collections.abc import Iterable
from typing import Any, ClassVar

import keras
import numpy as np
from keras import ops

from ..backends.torch_compiling import remembered
from ..numerics.tensor_checks import Tensor
from .coverage import cell_clip, controller_cells


class Layout(abc.ABC):
    """What the kernel must know of a cell: the sizes of its arrays. A subclass is a
    frozen dataclass for one kind of cell.

    Attributes:
        kind: In the names of the functions in C++.
        input_size: Size of what a step reads.
        features_size: Size of the result of a step.
        state_size: Size of the state of one sequence.
    """

    kind: ClassVar[str]
    input_size: Any
    features_size: Any
    state_size: Any

    @property
    @abc.abstractmethod
    def numbers(self) -> list[int]:
        """The sizes that do not depend on a call, as integers."""

    def sizes(self, batch: int, steps: int, threads: int, saves: bool) -> np.ndarray:
        """The vector of sizes, int32: those of a call, then `numbers`.

        Args:
            batch: Number of sequences.
            steps: Number of steps.
            threads: Largest number of threads.
            saves: Whether the forward pass stores the history that gradients need.
        """
        return np.array([batch, steps, threads, saves, *self.numbers], "int32")


@dataclasses.dataclass(frozen=True)
class MemoryLayout(Layout):
    """The sizes of a cell with a memory, with the names of the cell. A subclass is for
    one kind of memory."""

    input_size: int
    memory_size: int
    word_size: int
    num_read_heads: int
    num_write_heads: int
    is_lstm: bool
    cell_clip: float
    controller_size: tuple[int, ...]

    @property
    def features_size(self) -> int:
        """Size of the result of each step: the controller's output and the reads."""
        return self.controller_size[-1] + self.num_read_heads * self.word_size

    @property
    def state_size(self) -> int:
        """Size of the state of one sequence, without the output of the network."""
        return (
            sum(self.controller_size) * (2 if self.is_lstm else 1)
            + self.num_read_heads * self.word_size
            + (self.num_read_heads + self.num_write_heads) * self.memory_size
            + self.order_size
            + self.memory_size * self.word_size
        )

    @property
    def order_size(self) -> int:
        """Size of the parts of the state between weightings and memory."""
        return 0

    @property
    @abc.abstractmethod
    def options(self) -> tuple[int, ...]:
        """The options of the kind of memory, as integers."""

    @property
    def numbers(self) -> list[int]:
        return [
            self.input_size,
            self.memory_size,
            self.word_size,
            self.num_read_heads,
            self.num_write_heads,
            *self.options,
            int(self.is_lstm),
            float_bits(self.cell_clip),
            len(self.controller_size),
            *self.controller_size,
        ]


CONTROLLER = ("input_size", "is_lstm", "cell_clip", "controller_size")


def layout_class(cell: keras.layers.Layer) -> type[MemoryLayout] | None:
    """The class of the layout of a cell, None if the kernel does not know its class.
    A subclass of the cell or of its memory may compute something else: a cell needs a
    `kernel_layout` of its own."""
    own = vars(type(cell)).get("kernel_layout")
    return own if own and type(cell.memory) is type(cell).memory_class else None


def layout_of(cell: keras.layers.Layer) -> MemoryLayout:
    """The layout of a cell that has one, and whose controller has
    `controller_cells`."""
    cells = controller_cells(cell.controller)
    kind = layout_class(cell)
    if cells is None or kind is None:
        raise ValueError("The compiled kernel cannot compute this cell.")
    names = _field_names(kind)
    return kind(
        input_size=cell._features,
        is_lstm=_is_lstm(cells[0]),
        cell_clip=cell_clip(cells[0]),
        controller_size=tuple(inner.units for inner in cells),
        **{name: getattr(cell, name) for name in names if name not in CONTROLLER},
    )


@remembered
def _field_names(kind: type[MemoryLayout]) -> list[str]:
    return [field.name for field in dataclasses.fields(kind)]


@remembered
def float_bits(number: float) -> int:
    """The bits of a number in float32, as an integer."""
    return int(np.float32(number).view("int32"))


def weights_of(cell: keras.layers.Layer) -> Tensor:
    """All weights of a cell that the kernel needs, in one vector.

    For each cell of the controller its matrices, one above the other, and its bias;
    then the matrix and the bias of the heads.
    """
    weights = _weights_and_shapes(cell)
    return ops.concatenate([ops.reshape(weight, (-1,)) for weight, _ in weights])


def has_expected_weights(cell: keras.layers.Layer) -> bool:
    """Whether the weights of a cell that is built have the shapes and the data type
    that the kernel expects: it reads as many numbers as the sizes of the cell say."""
    return have_shapes(_weights_and_shapes(cell))


def have_shapes(pairs: Iterable[tuple[Tensor, tuple[int, ...]]]) -> bool:
    """Whether weights are float32 and have the shapes that stand beside them."""
    return all(
        tuple(getattr(weight, "shape", ())) == shape
        and keras.backend.standardize_dtype(weight.dtype) == "float32"
        for weight, shape in pairs
    )


def _weights_and_shapes(
    cell: keras.layers.Layer,
) -> list[tuple[Tensor, tuple[int, ...]]]:
    """The parts of `weights_of`, each with the shape that it must have."""
    pairs, below = [], cell._features + cell.num_read_heads * cell.word_size
    for inner in controller_cells(cell.controller) or []:
        if _is_lstm(inner):
            layer, width = inner, 4 * inner.units
            recurrent = [(inner.recurrent_kernel, (inner.units, width))]
        else:
            layer, width, recurrent = inner.dense, inner.units, []
        pairs += [(layer.kernel, (below, width)), *recurrent, (layer.bias, (width,))]
        below = inner.units
    width = cell.memory.num_raw
    return [*pairs, (cell.heads.kernel, (below, width)), (cell.heads.bias, (width,))]


def _is_lstm(inner: keras.layers.Layer) -> bool:
    return isinstance(inner, keras.layers.LSTMCell)
