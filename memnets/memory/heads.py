"""How the raw output of a controller becomes named parameters of heads."""

from keras import ops

from ..numerics.tensor_checks import Tensor


def split_values(raw: Tensor, shapes: dict[str, tuple[int, int]]) -> dict[str, Tensor]:
    """Cuts raw values into parameters by name.

    Args:
        raw: `(B, size)`.
        shapes: `(heads, values per head)` of each parameter, in the order of the raw
            values.
    Returns:
        Tensors `(B, heads, values per head)`.
    """
    parts, start = {}, 0
    for name, (heads, size) in shapes.items():
        part = raw[:, start : start + heads * size]
        parts[name] = ops.reshape(part, (-1, heads, size))
        start += heads * size
    return parts


def oneplus(x: Tensor) -> Tensor:
    """1 + log(1 + e^x), which is at least 1. DeepMind's code has softplus for key
    strengths, with which a head can begin without a preference for any row."""
    return 1.0 + ops.softplus(x)
