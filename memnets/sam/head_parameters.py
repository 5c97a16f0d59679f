"""How raw controller output becomes named parameters of the heads of a sparse access
memory.

Every squashing function of these heads is in this file.

Reference:
    Rae et al. (2016), Scaling Memory-Augmented Neural Networks with Sparse Reads and
    Writes, arXiv:1610.09027, section 3.
"""

from typing import NamedTuple

from keras import ops

from ..memory.heads import oneplus
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


def parameters(raw: dict[str, Tensor]) -> tuple[ReadParameters, WriteParameters]:
    """Squashes raw values `(B, heads, values per head)`."""
    read = ReadParameters(raw["key"], oneplus(raw["beta"]))
    gates = (ops.sigmoid(raw[name]) for name in ("gate", "write_gate"))
    return read, WriteParameters(raw["add"], *gates)
