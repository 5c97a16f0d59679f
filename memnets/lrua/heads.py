"""How raw controller output becomes named parameters of the heads of an LRUA memory.

Every squashing function of these heads is in this file.

Reference:
    Santoro, Bartunov, Botvinick, Wierstra, Lillicrap (2016), One-shot Learning with
    Memory-Augmented Neural Networks, arXiv:1605.06065, section 3.
"""

from typing import NamedTuple

from keras import ops

from ..memory.heads import oneplus, split_values
from ..numerics.precision import tanh
from ..numerics.tensor_checks import Tensor


class ReadParameters(NamedTuple):
    """The parameters by which each of `R` heads reads.

    Attributes:
        key: `(B, R, W)`, k, the content to look for. Tanh.
        beta: `(B, R, 1)`, key strength, >= 1. Oneplus. None without strengths.
    """

    key: Tensor
    beta: Tensor | None


class WriteParameters(NamedTuple):
    """The parameters by which each of `R` heads writes.

    Attributes:
        add: `(B, R, W)`, what is written: the key, or a vector of its own. Tanh.
        gate: `(B, R, 1)` in (0, 1), sigma(alpha), the share that goes to the rows that
            the head read in the previous step. Sigmoid.
    """

    add: Tensor
    gate: Tensor


class LRUAHeadLayout(NamedTuple):
    """The order of the raw values of all heads in one vector.

    Attributes:
        num_heads: Number of heads, R.
        word_size: W.
        separate_add: Whether a head writes another vector than its key.
        strengths: Whether keys have strengths.
    """

    num_heads: int
    word_size: int
    separate_add: bool
    strengths: bool

    @property
    def shapes(self) -> dict[str, tuple[int, int]]:
        """`(heads, values per head)` of each parameter, in the order of the vector."""
        shapes = {"key": (self.num_heads, self.word_size), "gate": (self.num_heads, 1)}
        if self.separate_add:
            shapes["add"] = (self.num_heads, self.word_size)
        if self.strengths:
            shapes["beta"] = (self.num_heads, 1)
        return shapes

    @property
    def size(self) -> int:
        """Number of raw values of one example."""
        return sum(heads * size for heads, size in self.shapes.values())

    def split(self, raw: Tensor) -> tuple[ReadParameters, WriteParameters]:
        """Splits raw values `(B, size)` into named parameters and squashes them.

        Returns:
            `(ReadParameters, WriteParameters)`.
        """
        parts = split_values(raw, self.shapes)
        # The paper leaves the key free. What is written is bounded, as in an NTM.
        key = tanh(parts["key"])
        return (
            ReadParameters(key, oneplus(parts["beta"]) if self.strengths else None),
            WriteParameters(
                tanh(parts["add"]) if self.separate_add else key,
                ops.sigmoid(parts["gate"]),
            ),
        )
