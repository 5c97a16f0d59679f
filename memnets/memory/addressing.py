"""The addressing mechanism of the Neural Turing Machine: where each head looks.

Pure functions of tensors. Shapes are written with `B` batch, `H` heads, `N` memory
rows, `W` word size and `K` shift range. A *weighting* is a distribution of attention
over the rows of the memory: `(B, H, N)`, each entry >= 0, each head summing to 1 (eq.
1). Where squares, exponents and epsilons need it, tensors of half precision are
converted to float32; the result has the type of the arguments.

Reference:
    Graves, Wayne, Danihelka (2014), Neural Turing Machines, arXiv:1410.5401, section
    3.3.
"""

import keras
from keras import ops

from ..backends.exporting import is_exporting
from ..numerics.precision import at_least_float32
from ..numerics.tensor_checks import Tensor, check_rank

# Heuristic: small beside any norm that occurs. It stands inside the square root of each
# norm: the gradient of sqrt at 0 is infinite, so an epsilon outside it would leave NaN
# gradients on an all-zero memory.
NORM_EPSILON = 1e-6
# Heuristic: keeps log(0) finite for rows without attention. At gamma = 1, a one-hot
# weighting over 128 rows loses 1e-4 of its mass to the other rows.
SHARPEN_EPSILON = 1e-6


def softmax(scores: Tensor) -> Tensor:
    """Softmax over the last axis, which may have one entry (Keras would warn)."""
    if scores.shape[-1] == 1:
        return ops.ones_like(scores)
    return ops.softmax(scores, axis=-1)


def widened(*tensors: Tensor) -> tuple[list[Tensor], str]:
    """The tensors in float32 or wider, and the data type of the result: half precision
    has too few digits for the epsilons here."""
    dtypes = {
        keras.backend.standardize_dtype(ops.convert_to_tensor(tensor).dtype)
        for tensor in tensors
    }
    # Keras on JAX would say float32 of float64.
    is_double = "float64" in dtypes
    dtype = "float64" if is_double else keras.backend.result_type(*dtypes, float)
    wide = at_least_float32(dtype)
    return [ops.cast(tensor, wide) for tensor in tensors], dtype


def check_row_axis(row_axis: int) -> None:
    """Raises `ValueError` unless `row_axis` is one of the last two axes of a memory."""
    if row_axis not in (1, 2):
        raise ValueError(f"`row_axis` must be 1 or 2. Received: row_axis={row_axis!r}")


def cosine_similarity(memory: Tensor, key: Tensor, *, row_axis: int = 1) -> Tensor:
    """Cosine of the angle between each key and each memory row.

    It is near 0 where the key or the row is near zero.

    Args:
        memory: Tensor `(B, N, W)`, or `(B, W, N)` with `row_axis=2`.
        key: Tensor `(B, H, W)`.
        row_axis: Axis of `memory` that counts its rows, 1 or 2. With 2 the long axis
            comes last, which is faster on processors; `NTMCell` stores its memory this
            way.
    Returns:
        Tensor `(B, H, N)` in [-1, 1].
    Raises:
        ValueError: If a tensor does not have three axes, or `row_axis` is not 1 or 2.
    """
    check_rank(3, memory=memory, key=key)
    (memory, key), dtype = widened(memory, key)
    return ops.cast(_cosine_similarity(memory, key, row_axis), dtype)


def _cosine_similarity(
    memory: Tensor, key: Tensor, row_axis: int, mask: Tensor | None = None
) -> Tensor:
    check_row_axis(row_axis)
    if mask is not None:
        return _masked_cosine_similarity(memory, key, row_axis, mask)
    dot = ops.einsum("bhw,bnw->bhn" if row_axis == 1 else "bhw,bwn->bhn", key, memory)
    key_square = ops.sum(ops.square(key), axis=2, keepdims=True)  # (B, H, 1)
    row_square = ops.expand_dims(
        ops.sum(ops.square(memory), axis=3 - row_axis), 1
    )  # (B, 1, N)
    return (
        dot
        * ops.rsqrt(key_square + NORM_EPSILON)
        * ops.rsqrt(row_square + NORM_EPSILON)
    )  # eq. 6


def _masked_cosine_similarity(
    memory: Tensor, key: Tensor, row_axis: int, mask: Tensor
) -> Tensor:
    """The cosine after the key and the rows are multiplied by the mask of each head.

    Masking the rows themselves would take a memory for each head.
    """
    each_row = "bhw,bnw->bhn" if row_axis == 1 else "bhw,bwn->bhn"
    share = ops.square(mask)
    dot = ops.einsum(each_row, key * share, memory)
    key_square = ops.sum(ops.square(key) * share, axis=2, keepdims=True)
    row_square = ops.einsum(each_row, share, ops.square(memory))
    return (
        dot
        * ops.rsqrt(key_square + NORM_EPSILON)
        * ops.rsqrt(row_square + NORM_EPSILON)
    )


def content_weighting(
    memory: Tensor,
    key: Tensor,
    beta: Tensor,
    *,
    row_axis: int = 1,
    mask: Tensor | None = None,
) -> Tensor:
    """Attention by content: rows with the direction of the key get the most weight.

    Args:
        memory: Tensor `(B, N, W)`, or `(B, W, N)` with `row_axis=2`.
        key: Tensor `(B, H, W)`, what to look for.
        beta: Tensor `(B, H, 1)`, key strength, > 0.
        row_axis: See `cosine_similarity`.
        mask: Tensor `(B, H, W)` in (0, 1], which multiplies the key and each row: the
            components that count (Csordas, Schmidhuber (2019), Improving
            Differentiable Neural Computers Through Memory Masking, De-allocation, and
            Link Distribution Sharpness Control, arXiv:1904.10278). None for all.
    Returns:
        Weighting `(B, H, N)`.
    Raises:
        ValueError: If a tensor does not have three axes, or `row_axis` is not 1 or 2.
    Example:
        >>> memory = np.eye(3)[None]  # one memory of three rows
        >>> key = np.array([[[0.0, 5.0, 0.0]]])
        >>> beta = np.array([[[50.0]]])
        >>> weighting = content_weighting(memory, key, beta)
        >>> [round(float(share), 3) for share in weighting[0, 0]]
        [0.0, 1.0, 0.0]
    """
    check_rank(3, memory=memory, key=key, beta=beta)
    (memory, key, beta), dtype = widened(memory, key, beta)
    if mask is not None:
        check_rank(3, mask=mask)
        mask = ops.cast(mask, memory.dtype)
    scores = beta * _cosine_similarity(memory, key, row_axis, mask)
    return ops.cast(softmax(scores), dtype)  # eq. 5


def interpolate(content: Tensor, prev_weighting: Tensor, gate: Tensor) -> Tensor:
    """Blends the content weighting (gate 1) with the previous weighting (gate 0).

    Args:
        content: Weighting `(B, H, N)`.
        prev_weighting: Weighting `(B, H, N)` of the previous step.
        gate: Tensor `(B, H, 1)` in [0, 1].
    Returns:
        Weighting `(B, H, N)`.
    Raises:
        ValueError: If a tensor does not have three axes.
    """
    check_rank(3, content=content, prev_weighting=prev_weighting, gate=gate)
    return gate * content + (1.0 - gate) * prev_weighting  # eq. 7


def shift(weighting: Tensor, shift: Tensor) -> Tensor:
    """Moves a weighting: circular convolution with a distribution over shifts.

    Args:
        weighting: Weighting `(B, H, N)`.
        shift: Tensor `(B, H, 2K+1)`, each head summing to 1. Entry `K + j` is the share
            that moves by `j` rows, from -K to K: mass on the last entry moves attention
            to *later* rows. Row 0 follows the last row.
    Returns:
        Weighting `(B, H, N)`.
    Raises:
        ValueError: If a tensor does not have three axes, or the number of shifts is
            even or larger than N.
    Example:
        >>> first_row = np.array([[[1.0, 0.0, 0.0, 0.0]]])
        >>> to_next_row = np.array([[[0.0, 0.0, 1.0]]])
        >>> [float(share) for share in shift(first_row, to_next_row)[0, 0]]
        [0.0, 1.0, 0.0, 0.0]
    """
    check_rank(3, weighting=weighting, shift=shift)
    num_taps = shift.shape[-1]
    if num_taps % 2 == 0 or num_taps > weighting.shape[-1]:
        raise ValueError(
            "The last axis of `shift` must be odd and at most the number of rows. "
            f"Received: shift of shape {tuple(shift.shape)}, weighting of shape "
            f"{tuple(weighting.shape)}"
        )
    weighting, shift = map(ops.convert_to_tensor, (weighting, shift))
    shifted = 0.0
    # Rolling and adding is several times faster than multiplying with an N x N
    # circulant matrix.
    for tap in range(num_taps):
        offset = tap - num_taps // 2
        rolled = _rolled(weighting, offset) if offset else weighting
        shifted = shifted + shift[..., tap : tap + 1] * rolled  # eq. 8
    return shifted


def _rolled(weighting: Tensor, offset: int) -> Tensor:
    if not is_exporting():
        return ops.roll(weighting, offset, axis=-1)
    # LiteRT has no operation that rolls. Elsewhere this takes longer.
    parts = [weighting[..., -offset:], weighting[..., :-offset]]
    return ops.concatenate(parts, axis=-1)


def sharpen(weighting: Tensor, gamma: Tensor) -> Tensor:
    """Raises a weighting to the power gamma and normalises it.

    This undoes the blur that shifting leaves.

    Args:
        weighting: Weighting `(B, H, N)`.
        gamma: Tensor `(B, H, 1)`, >= 1.
    Returns:
        Weighting `(B, H, N)`.
    Raises:
        ValueError: If a tensor does not have three axes.
    """
    check_rank(3, weighting=weighting, gamma=gamma)
    # softmax(gamma log w) is w^gamma / sum w^gamma in one operation that does not
    # underflow.
    (weighting, gamma), dtype = widened(weighting, gamma)
    scores = gamma * ops.log(weighting + SHARPEN_EPSILON)
    return ops.cast(softmax(scores), dtype)  # eq. 9
