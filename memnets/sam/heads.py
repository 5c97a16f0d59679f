"""How raw controller output becomes named parameters of the heads of a sparse access
memory.

Every squashing function of these heads is in this file.

Reference:
    Rae et al. (2016), Scaling Memory-Augmented Neural Networks with Sparse Reads and
    Writes, arXiv:1610.09027, section 3.
"""

from typing import NamedTuple

import numpy as np
from keras import ops

from ..memory.heads import initial_values, oneplus, split_values
from ..numerics.tensor_checks import Tensor


class ReadParameters(NamedTuple):
    """The parameters by which each of `R` heads reads.

    Attributes:
        key: `(B, R, W)`, q, the content to look for. Linear.
        beta: `(B, R, 1)`, key strength, >= 1. Oneplus.
    """

    key: Tensor
    beta: Tensor


class WriteParameters(NamedTuple):
    """The parameters by which each of `R` heads writes.

    Attributes:
        add: `(B, R, W)`, a, what is written. Linear.
        gate: `(B, R, 1)` in (0, 1), gamma, the share that goes to the rows that the
            head read in the previous step. Sigmoid.
        write_gate: `(B, R, 1)` in (0, 1), alpha, how much is written. Sigmoid.
    """

    add: Tensor
    gate: Tensor
    write_gate: Tensor


class SAMHeadLayout(NamedTuple):
    """The order of the raw values of all heads in one vector.

    Attributes:
        num_heads: Number of heads, R.
        word_size: W.
    """

    num_heads: int
    word_size: int

    @property
    def shapes(self) -> dict[str, tuple[int, int]]:
        """`(heads, values per head)` of each parameter, in the order of the vector."""
        heads, width = self.num_heads, self.word_size
        return {
            "key": (heads, width),
            "beta": (heads, 1),
            "add": (heads, width),
            "gate": (heads, 1),
            "write_gate": (heads, 1),
        }

    @property
    def size(self) -> int:
        """Number of raw values of one example."""
        return sum(heads * size for heads, size in self.shapes.values())

    def initial_bias(
        self, beta_bias: float, gate_bias: float, write_gate_bias: float
    ) -> np.ndarray:
        """Bias of the dense layer before training, `(size,)`.

        Args:
            beta_bias: Bias of the key strengths.
            gate_bias: Bias of the gates. Below 0, heads first write to the least
                recently accessed row; above 0, to the rows that they have just read.
            write_gate_bias: Bias of the write gates. Above 0, heads first write at
                every step.
        """
        given = {"beta": beta_bias, "gate": gate_bias, "write_gate": write_gate_bias}
        return initial_values(self.shapes, given)

    def split(self, raw: Tensor) -> tuple[ReadParameters, WriteParameters]:
        """Splits raw values `(B, size)` into named parameters and squashes them.

        Returns:
            `(ReadParameters, WriteParameters)`.
        """
        parts = split_values(raw, self.shapes)
        return (
            ReadParameters(parts["key"], oneplus(parts["beta"])),
            WriteParameters(
                parts["add"],
                ops.sigmoid(parts["gate"]),
                ops.sigmoid(parts["write_gate"]),
            ),
        )
