"""How raw controller output becomes named parameters of the heads of an NTM.

Every squashing function of these heads is in this file.
"""

from typing import NamedTuple

import numpy as np
from keras import ops

from ..memory.addressing import softmax
from ..memory.heads import split_values
from ..numerics.precision import tanh
from ..numerics.tensor_checks import Tensor


class AddressingParameters(NamedTuple):
    """The parameters by which each of `H` heads finds its rows, in the paper's order.

    Attributes:
        key: `(B, H, W)`, k, the content to look for. Linear.
        beta: `(B, H, 1)`, key strength, > 0. Softplus.
        gate: `(B, H, 1)`, g, interpolation gate in (0, 1). Sigmoid.
        shift: `(B, H, 2K+1)`, s, shift weighting. Softmax.
        gamma: `(B, H, 1)`, sharpening, >= 1. 1 + softplus.
    """

    key: Tensor
    beta: Tensor
    gate: Tensor
    shift: Tensor
    gamma: Tensor


class WriteParameters(NamedTuple):
    """The parameters by which each of `H` write heads changes its rows.

    Attributes:
        erase: `(B, H, W)` in (0, 1). Sigmoid.
        add: `(B, H, W)` in (-1, 1). Tanh.
    """

    erase: Tensor
    add: Tensor


class HeadLayout(NamedTuple):
    """The order of the raw values of all heads in one vector.

    One dense layer computes all heads: one large matrix product is faster than seven
    small ones for each head.

    Attributes:
        num_heads: Number of read and write heads together, H.
        num_write_heads: Number of write heads.
        word_size: W.
        shift_range: K.
    """

    num_heads: int
    num_write_heads: int
    word_size: int
    shift_range: int

    @property
    def shapes(self) -> dict[str, tuple[int, int]]:
        """`(heads, values per head)` of each parameter, in the order of the vector."""
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
    def size(self) -> int:
        """Number of raw values of one example."""
        return sum(heads * size for heads, size in self.shapes.values())

    def initial_bias(
        self,
        gate_bias: float | tuple[float, ...],
        write_gate_bias: float | tuple[float, ...],
        shift_bias: float | tuple[float, ...],
        write_shift_bias: float | tuple[float, ...],
    ) -> np.ndarray:
        """Bias of the dense layer before training, `(size,)`.

        Args:
            gate_bias: Bias of the interpolation gates of the read heads. Below 0,
                heads first address by location, starting from their previous rows;
                above 0, by content. One number, or one for each head.
            write_gate_bias: The same for the write heads.
            shift_bias: Bias of the shifts of the read heads. Above 0, of the shift to
                the next row, so that heads first advance by one row at each step.
                Below 0, its size is the bias of staying, so that heads first stay on
                the rows that they have found. With 0 they blur.
            write_shift_bias: The same for the write heads.
        """
        bias = {name: np.zeros(shape, "float32") for name, shape in self.shapes.items()}
        num_read_heads = self.num_heads - self.num_write_heads
        bias["gate"][:num_read_heads, 0] = gate_bias
        bias["gate"][num_read_heads:, 0] = write_gate_bias
        if self.shift_range:
            advance = np.zeros(self.num_heads)
            advance[:num_read_heads] = shift_bias
            advance[num_read_heads:] = write_shift_bias
            stay = self.shift_range  # the middle of the shifts
            bias["shift"][:, stay] = np.maximum(-advance, 0)
            bias["shift"][:, stay + 1] = np.maximum(advance, 0)
        return np.concatenate([values.ravel() for values in bias.values()])

    def initial_kernel(self, kernel: Tensor) -> Tensor:
        """Kernel of the dense layer before training, from a random one.

        The columns of key strengths, gates, shifts and sharpening are zero, so that
        all heads begin with the addressing of `initial_bias`. With random columns the
        seed decided which algorithm a network found, see benchmarks/trials.md. Keys,
        erase and add vectors stay random: they must differ from step to step.

        Args:
            kernel: `(controller_size, size)`.
        Returns:
            `(controller_size, size)`.
        """
        influence = {name: np.ones(shape) for name, shape in self.shapes.items()}
        for name in ("beta", "gate", "shift", "gamma"):
            influence[name][:] = 0.0
        row = np.concatenate([values.ravel() for values in influence.values()])
        return kernel * ops.cast(row, kernel.dtype)

    def split(self, raw: Tensor) -> tuple[AddressingParameters, WriteParameters]:
        """Splits raw values `(B, size)` into named parameters and squashes them.

        Returns:
            `(AddressingParameters, WriteParameters)`.
        """
        parts = split_values(raw, self.shapes)
        addressing = AddressingParameters(
            # The paper leaves the key free. The cosine ignores its length, so a
            # squashing function would only distort its direction.
            key=parts["key"],
            beta=ops.softplus(parts["beta"]),
            gate=ops.sigmoid(parts["gate"]),
            shift=softmax(parts["shift"]),
            gamma=1.0 + ops.softplus(parts["gamma"]),
        )
        write = WriteParameters(
            erase=ops.sigmoid(parts["erase"]), add=tanh(parts["add"])
        )
        return addressing, write
