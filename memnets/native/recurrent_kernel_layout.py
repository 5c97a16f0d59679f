"""The arguments of the compiled kernel for an LSTM or a GRU without a memory.

`src/recurrent.h` reads the same vectors in C++.
"""

import dataclasses

import keras
from keras import ops

from ..numerics.tensor_checks import Tensor
from .coverage import cell_clip
from .kernel_layout import Layout, float_bits, have_shapes


@dataclasses.dataclass(frozen=True)
class RecurrentLayout(Layout):
    """The sizes of a cell: "lstm" or "gru"."""

    kind: str  # type: ignore[misc]
    input_size: int
    units: int
    cell_clip: float

    @property
    def features_size(self) -> int:
        return self.units

    @property
    def state_size(self) -> int:
        return self.units * (1 if self.kind == "gru" else 2)

    @property
    def numbers(self) -> list[int]:
        return [self.input_size, self.units, float_bits(self.cell_clip)]


def recurrent_layout(cell: keras.layers.Layer) -> RecurrentLayout:
    """The layout of a built cell that `coverage.is_recurrent_unit` names."""
    kind = "gru" if _is_gru(cell) else "lstm"
    return RecurrentLayout(kind, cell.kernel.shape[0], cell.units, cell_clip(cell))


def recurrent_weights(cell: keras.layers.Layer) -> Tensor:
    """The weights that the kernel needs, in one vector: the matrix of the inputs, the
    recurrent one, and the bias, or the two biases of a GRU."""
    if cell.use_bias:
        bias = ops.convert_to_tensor(cell.bias)
    else:
        bias = ops.zeros(_bias_shape(cell))
    parts = [*map(ops.convert_to_tensor, (cell.kernel, cell.recurrent_kernel)), bias]
    return ops.concatenate([ops.reshape(part, (-1,)) for part in parts])


def has_expected_weights(cell: keras.layers.Layer) -> bool:
    """As `kernel_layout.has_expected_weights`."""
    width = _bias_shape(cell)[-1]
    pairs: list[tuple[Tensor, tuple[int, ...]]] = [
        (cell.kernel, (cell.kernel.shape[0], width)),
        (cell.recurrent_kernel, (cell.units, width)),
    ]
    if cell.use_bias:
        pairs.append((cell.bias, _bias_shape(cell)))
    return have_shapes(pairs)


def _bias_shape(cell: keras.layers.Layer) -> tuple[int, ...]:
    return (2, 3 * cell.units) if _is_gru(cell) else (4 * cell.units,)


def _is_gru(cell: keras.layers.Layer) -> bool:
    return isinstance(cell, keras.layers.GRUCell)
