"""How raw controller output becomes named parameters of the heads of a DNC: the
interface vector of the paper.

Every squashing function of these heads is in this file.

Reference:
    Graves, Wayne, Reynolds et al. (2016), Hybrid Computing Using a Neural Network with
    Dynamic External Memory, Nature 538, Methods, "Interface parameters".
"""

from collections.abc import Callable
from typing import NamedTuple

from keras import ops

from ..memory.heads import oneplus
from ..numerics.tensor_checks import Tensor


class ReadParameters(NamedTuple):
    """The parameters of `R` read heads, beside `H` write heads.

    Attributes:
        key: `(B, R, W)`, the content to look for. Linear.
        beta: `(B, R, 1)`, key strength, >= 1. Oneplus.
        free_gate: `(B, R, 1)` in (0, 1), whether the rows that were read are free now.
            Sigmoid.
        mode: `(B, R, 2H + 1)`, pi, shares of moving backward, content and moving
            forward. Softmax. None without links.
        mask: `(B, R, W)` in (mask_min, 1), the components of a row that count. Sigmoid.
            None without masks.
        gamma: `(B, R, 2H)`, sharpening of moves backward and forward, >= 1. Oneplus.
            None without sharpening.
    """

    key: Tensor
    beta: Tensor
    free_gate: Tensor
    mode: Tensor | None
    mask: Tensor | None
    gamma: Tensor | None


class WriteParameters(NamedTuple):
    """The parameters of `H` write heads.

    Attributes:
        key: `(B, H, W)`, the content to look for. Linear.
        beta: `(B, H, 1)`, key strength, >= 1. Oneplus.
        erase: `(B, H, W)` in (0, 1). Sigmoid.
        add: `(B, H, W)`, v, the write vector. Linear.
        allocation_gate: `(B, H, 1)` in (0, 1). Sigmoid.
        write_gate: `(B, H, 1)` in (0, 1). Sigmoid.
        mask: `(B, H, W)` in (mask_min, 1), the components of a row that count. Sigmoid.
            None without masks.
    """

    key: Tensor
    beta: Tensor
    erase: Tensor
    add: Tensor
    allocation_gate: Tensor
    write_gate: Tensor
    mask: Tensor | None


def parameters(
    raw: dict[str, Tensor], mask_min: float
) -> tuple[ReadParameters, WriteParameters]:
    """Squashes raw values `(B, heads, values per head)`.

    Args:
        raw: The values, without those of options that are off.
        mask_min: Smallest value of a mask.
    """

    def optional(name: str, squash: Callable[[Tensor], Tensor]) -> Tensor | None:
        return squash(raw[name]) if name in raw else None

    def mask(values: Tensor) -> Tensor:
        return mask_min + (1.0 - mask_min) * ops.sigmoid(values)

    read = ReadParameters(
        key=raw["read_key"],
        beta=oneplus(raw["read_beta"]),
        free_gate=ops.sigmoid(raw["free_gate"]),
        mode=optional("mode", ops.softmax),
        mask=optional("read_mask", mask),
        gamma=optional("gamma", oneplus),
    )
    write = WriteParameters(
        key=raw["write_key"],
        beta=oneplus(raw["write_beta"]),
        erase=ops.sigmoid(raw["erase"]),
        add=raw["add"],
        allocation_gate=ops.sigmoid(raw["allocation_gate"]),
        write_gate=ops.sigmoid(raw["write_gate"]),
        mask=optional("write_mask", mask),
    )
    return read, write
