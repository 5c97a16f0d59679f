"""How raw controller output becomes named parameters of the heads of an LRUA memory.

Every squashing function of these heads is in this file.

Reference:
    Santoro, Bartunov, Botvinick, Wierstra, Lillicrap (2016), One-shot Learning with
    Memory-Augmented Neural Networks, arXiv:1605.06065, section 3.
"""

from typing import NamedTuple

from keras import ops

from ..memory.heads import oneplus
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


def parameters(raw: dict[str, Tensor]) -> tuple[ReadParameters, WriteParameters]:
    """Squashes raw values `(B, heads, values per head)`.

    Args:
        raw: The values. `add` is missing where a head writes its key, `beta` where keys
            have no strengths.
    """
    # The paper leaves the key free. What is written is bounded, as in an NTM.
    key = tanh(raw["key"])
    beta = oneplus(raw["beta"]) if "beta" in raw else None
    add = tanh(raw["add"]) if "add" in raw else key
    return ReadParameters(key, beta), WriteParameters(add, ops.sigmoid(raw["gate"]))
