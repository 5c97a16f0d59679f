"""How raw controller output becomes named parameters of the heads of an NTM.

Every squashing function of these heads is in this file.
"""

from typing import NamedTuple

from keras import ops

from ..memory.addressing import softmax
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


def parameters(
    raw: dict[str, Tensor],
) -> tuple[AddressingParameters, WriteParameters]:
    """Squashes raw values `(B, heads, values per head)`."""
    addressing = AddressingParameters(
        # The paper leaves the key free. The cosine ignores its length, so a squashing
        # function would only distort its direction.
        key=raw["key"],
        beta=ops.softplus(raw["beta"]),
        gate=ops.sigmoid(raw["gate"]),
        shift=softmax(raw["shift"]),
        gamma=1.0 + ops.softplus(raw["gamma"]),
    )
    return addressing, WriteParameters(
        erase=ops.sigmoid(raw["erase"]), add=tanh(raw["add"])
    )
