"""How raw controller output becomes the parameters of the heads. Every squashing
function lives here."""

from typing import NamedTuple

import numpy as np
from keras import ops


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


def _layout(num_heads, num_write_heads, word_size, shift_range):
    """(heads, values a head) of each group of raw values, in their order."""
    return {
        "key": (num_heads, word_size),
        "beta": (num_heads, 1),
        "gate": (num_heads, 1),
        "shift": (num_heads, 2 * shift_range + 1),
        "gamma": (num_heads, 1),
        "erase": (num_write_heads, word_size),
        "add": (num_write_heads, word_size),
    }


def parameters_size(num_heads, num_write_heads, word_size, shift_range):
    """Number of raw values that `split_parameters` takes for one example."""
    layout = _layout(num_heads, num_write_heads, word_size, shift_range)
    return sum(heads * size for heads, size in layout.values())


def initial_bias(num_heads, num_write_heads, word_size, shift_range, shift_bias):
    """Bias of the dense layer that makes the raw values, before training.

    Args:
        num_heads: Number of read and write heads together, H.
        num_write_heads: Number of write heads.
        word_size: W.
        shift_range: K.
        shift_bias: Bias of the shift by one row onwards: above 0, heads that have not
            learned anything yet walk through the memory instead of staying where they
            are and blurring.
    Returns:
        Array `(parameters_size(...),)`, zero but for that shift.
    """
    layout = _layout(num_heads, num_write_heads, word_size, shift_range)
    bias = {name: np.zeros(shape, "float32") for name, shape in layout.items()}
    if shift_range:
        bias["shift"][:, shift_range + 1] = shift_bias
    return np.concatenate([values.ravel() for values in bias.values()])


def split_parameters(raw, num_heads, num_write_heads, word_size, shift_range):
    """Cuts one raw vector into named, squashed head parameters.

    All heads come out of one dense layer: one large matrix product instead of seven
    small ones a head.

    Args:
        raw: Tensor `(B, parameters_size(...))`.
        num_heads: Number of read and write heads together, H.
        num_write_heads: Number of write heads.
        word_size: W.
        shift_range: K.
    Returns:
        `(AddressingParameters, WriteParameters)`.
    """
    layout = _layout(num_heads, num_write_heads, word_size, shift_range)
    parts, start = {}, 0
    for name, (heads, size) in layout.items():
        part = raw[:, start : start + heads * size]
        parts[name] = ops.reshape(part, (-1, heads, size))
        start += heads * size
    addressing = AddressingParameters(
        # The paper leaves the key free. The cosine ignores its length, so a squashing
        # function would only bend its direction.
        key=parts["key"],
        beta=ops.softplus(parts["beta"]),
        gate=ops.sigmoid(parts["gate"]),
        shift=ops.softmax(parts["shift"], axis=-1),
        gamma=1.0 + ops.softplus(parts["gamma"]),
    )
    write = WriteParameters(
        erase=ops.sigmoid(parts["erase"]), add=ops.tanh(parts["add"])
    )
    return addressing, write
