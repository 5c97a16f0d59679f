"""How raw controller output becomes the parameters of the heads. Every squashing
function lives here."""

from typing import NamedTuple

import numpy as np
from keras import ops

from .addressing import softmax


class AddressingParameters(NamedTuple):
    """What each of `H` heads needs to find its rows, in the paper's order.

    Attributes:
        key: `(B, H, W)`, k, what to look for. Linear.
        beta: `(B, H, 1)`, key strength, > 0. Softplus.
        gate: `(B, H, 1)`, g, interpolation gate in (0, 1). Sigmoid.
        shift: `(B, H, 2K+1)`, s, shift weighting. Softmax.
        gamma: `(B, H, 1)`, sharpening, >= 1. 1 + softplus.
    """

    key: object
    beta: object
    gate: object
    shift: object
    gamma: object


class WriteParameters(NamedTuple):
    """What each of `H` write heads does with its rows.

    Attributes:
        erase: `(B, H, W)` in (0, 1). Sigmoid.
        add: `(B, H, W)` in (-1, 1). Tanh.
    """

    erase: object
    add: object


class HeadLayout(NamedTuple):
    """How the raw values of all heads lie in one vector.

    All heads come out of one dense layer: one large matrix product instead of seven
    small ones a head.

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
    def shapes(self):
        """`(heads, values a head)` of each parameter, in the order of the vector."""
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
    def size(self):
        """Number of raw values of one example."""
        return sum(heads * size for heads, size in self.shapes.values())

    def initial_bias(self, gate_bias, write_gate_bias, shift_bias):
        """Bias of the dense layer before training, `(size,)`.

        Args:
            gate_bias: Of the interpolation gates of the read heads: below 0, heads
                begin by going on from where they were rather than by jumping to
                content.
            write_gate_bias: Of those of the write heads.
            shift_bias: Of the shift to the next row: above 0, heads begin by walking
                through the memory instead of staying where they are and blurring.
        """
        bias = {name: np.zeros(shape, "float32") for name, shape in self.shapes.items()}
        bias["gate"][:] = gate_bias
        bias["gate"][self.num_heads - self.num_write_heads :] = write_gate_bias
        if self.shift_range:
            bias["shift"][:, self.shift_range + 1] = shift_bias
        return np.concatenate([values.ravel() for values in bias.values()])

    def split(self, raw):
        """Cuts raw values `(B, size)` into named and squashed parameters.

        Returns:
            `(AddressingParameters, WriteParameters)`.
        """
        parts, start = {}, 0
        for name, (heads, size) in self.shapes.items():
            part = raw[:, start : start + heads * size]
            parts[name] = ops.reshape(part, (-1, heads, size))
            start += heads * size
        addressing = AddressingParameters(
            # The paper leaves the key free. The cosine ignores its length, so a
            # squashing function would only bend its direction.
            key=parts["key"],
            beta=ops.softplus(parts["beta"]),
            gate=ops.sigmoid(parts["gate"]),
            shift=softmax(parts["shift"]),
            gamma=1.0 + ops.softplus(parts["gamma"]),
        )
        write = WriteParameters(
            erase=ops.sigmoid(parts["erase"]), add=ops.tanh(parts["add"])
        )
        return addressing, write
