"""How raw controller output becomes named parameters of the heads of a DNC: the
interface vector of the paper.

Every squashing function of these heads is in this file.

Reference:
    Graves, Wayne, Reynolds et al. (2016), Hybrid Computing Using a Neural Network with
    Dynamic External Memory, Nature 538, Methods, "Interface parameters".
"""

from typing import NamedTuple

import numpy as np
from keras import ops

from ..memory.heads import initial_values, oneplus, split_values
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


class DNCHeadLayout(NamedTuple):
    """The order of the raw values of all heads in one vector.

    Attributes:
        num_read_heads: Number of read heads, R.
        num_write_heads: Number of write heads, H.
        word_size: W.
        links: Whether read heads follow links.
        mask_min: Smallest value of a mask; None without masks.
        sharpen_links: Whether moves along links are sharpened.
    """

    num_read_heads: int
    num_write_heads: int
    word_size: int
    links: bool
    mask_min: float | None
    sharpen_links: bool

    @property
    def shapes(self) -> dict[str, tuple[int, int]]:
        """`(heads, values per head)` of each parameter, in the order of the vector."""
        read, write, width = self.num_read_heads, self.num_write_heads, self.word_size
        shapes = {
            "read_key": (read, width),
            "read_beta": (read, 1),
            "write_key": (write, width),
            "write_beta": (write, 1),
            "erase": (write, width),
            "add": (write, width),
            "free_gate": (read, 1),
            "allocation_gate": (write, 1),
            "write_gate": (write, 1),
        }
        if self.links:
            shapes["mode"] = (read, 2 * write + 1)
        if self.mask_min is not None:
            shapes["read_mask"] = (read, width)
            shapes["write_mask"] = (write, width)
        if self.sharpen_links:
            shapes["gamma"] = (read, 2 * write)
        return shapes

    @property
    def size(self) -> int:
        """Number of raw values of one example."""
        return sum(heads * size for heads, size in self.shapes.values())

    def initial_bias(self, allocation_bias: float) -> np.ndarray:
        """Bias of the dense layer before training, `(size,)`.

        Args:
            allocation_bias: Bias of the allocation gates. Above 0, write heads first
                write to free rows; below 0, to rows that they find by content.
        """
        return initial_values(self.shapes, {"allocation_gate": allocation_bias})

    def split(self, raw: Tensor) -> tuple[ReadParameters, WriteParameters]:
        """Splits raw values `(B, size)` into named parameters and squashes them.

        Returns:
            `(ReadParameters, WriteParameters)`.
        """
        parts = split_values(raw, self.shapes)
        read = ReadParameters(
            key=parts["read_key"],
            beta=oneplus(parts["read_beta"]),
            free_gate=ops.sigmoid(parts["free_gate"]),
            mode=ops.softmax(parts["mode"]) if self.links else None,
            mask=self._mask(parts.get("read_mask")),
            gamma=oneplus(parts["gamma"]) if self.sharpen_links else None,
        )
        write = WriteParameters(
            key=parts["write_key"],
            beta=oneplus(parts["write_beta"]),
            erase=ops.sigmoid(parts["erase"]),
            add=parts["add"],
            allocation_gate=ops.sigmoid(parts["allocation_gate"]),
            write_gate=ops.sigmoid(parts["write_gate"]),
            mask=self._mask(parts.get("write_mask")),
        )
        return read, write

    def _mask(self, raw):
        if raw is None:
            return None
        return self.mask_min + (1.0 - self.mask_min) * ops.sigmoid(raw)
