"""The rows that a sparse access memory reads and writes: the nearest to a key, and the
least recently accessed.

Pure functions of tensors, by comparing all rows; shape letters as in
`memnets.sam.rules`. There is no gradient through a choice.

Reference:
    Rae et al. (2016), Scaling Memory-Augmented Neural Networks with Sparse Reads and
    Writes, arXiv:1610.09027, section 3.
"""

import math
from collections.abc import Sequence

from keras import ops

from ..memory.addressing import NORM_EPSILON
from ..numerics.precision import at_least_float32
from ..numerics.tensor_checks import Tensor, check_rank, check_size
from ..numerics.top_k import in_turn, top_k

# Tuned: how many numbers of a memory are compared at once: 2 MiB stay in a cache.
NUMBERS_AT_ONCE = 2**19
LOWEST = -1e18  # below every similarity


def check_count(name: str, count: int, num_rows: int) -> None:
    """Checks a number of rows to choose.

    Raises:
        ValueError: If it is not a positive integer, or above the number of rows.
    """
    if check_size(name, count) > num_rows:
        raise ValueError(
            f"`{name}` must be at most the number of rows, {num_rows}. "
            f"Received: {name}={count}"
        )


def nearest_rows(memory: Tensor, key: Tensor, count: int) -> Tensor:
    """The rows with the largest cosine to each key, by comparing all rows.

    The first of equal rows comes first.

    Args:
        memory: Tensor `(B, N, W)`.
        key: Tensor `(B, R, W)`.
        count: Number of rows, K, at most N.
    Returns:
        Row numbers `(B, R, K)`, the nearest first.
    Raises:
        ValueError: If a tensor does not have three axes, or there are fewer rows.
    Example:
        >>> key = np.array([[[0.0, 5.0, 1.0]]])
        >>> np.asarray(nearest_rows(np.eye(3)[None], key, 2)).tolist()
        [[[1, 2]]]
    """
    check_rank(3, memory=memory, key=key)
    memory, key = map(ops.stop_gradient, map(ops.convert_to_tensor, (memory, key)))
    check_count("count", count, memory.shape[1])
    _, rows = _most_similar(memory, key, count)
    return rows


def _most_similar(memory: Tensor, key: Tensor, count: int) -> Sequence[Tensor]:
    """The largest cosines, up to a factor, and the numbers of their rows."""
    num_rows, word_size = memory.shape[1:]
    at_once = max(count, NUMBERS_AT_ONCE // word_size)
    if num_rows <= at_once:
        return _largest(_similarities(memory, key), count)

    def add_part(part: Tensor, best: tuple[Tensor, Tensor]) -> tuple[Tensor, Tensor]:
        begin = ops.minimum(part * at_once, num_rows - at_once)
        size = (ops.shape(memory)[0], at_once, word_size)
        similar = _similarities(ops.slice(memory, (0, begin, 0), size), key)
        numbers = begin + ops.arange(at_once, dtype="int32")
        # The last part begins before the end of the one before it.
        similar = ops.where(numbers < part * at_once, LOWEST, similar)
        values, rows = _largest(similar, count)
        values, rows = (
            ops.concatenate(pair, axis=2)
            for pair in zip(best, (values, begin + rows), strict=True)
        )
        values, places = in_turn(values, count)
        return values, ops.take_along_axis(rows, places, axis=2)

    none = ops.zeros_like(key[:, :, :1]) * ops.ones((count,), key.dtype)
    first = (none + LOWEST, ops.cast(none, "int32"))
    return ops.fori_loop(0, -(-num_rows // at_once), add_part, first)


def _similarities(memory: Tensor, key: Tensor) -> Tensor:
    """The cosines times the norm of each key, which does not change the order."""
    squares = ops.sum(ops.square(memory), axis=2)
    dots = ops.einsum("brw,bnw->brn", key, memory)
    return dots * ops.expand_dims(ops.rsqrt(squares + NORM_EPSILON), 1)


def _largest(values: Tensor, count: int) -> list[Tensor]:
    """The largest of `(B, R, N)` over the last axis, and their places."""
    *leading, num_rows = ops.shape(values)
    found = top_k(ops.reshape(values, (-1, num_rows)), count, in_turn)
    return [ops.reshape(each, (*leading, count)) for each in found]


def least_recent_rows(last_access: Tensor, count: int) -> Tensor:
    """The least recently accessed rows, one for each head.

    The first of rows that were last accessed at the same step comes first.

    Args:
        last_access: Tensor `(B, N)`, the step of the last access to each row.
        count: Number of rows, at most N.
    Returns:
        Row numbers `(B, count)`.
    Raises:
        ValueError: If the tensor does not have two axes, or there are fewer rows.
    Example:
        >>> np.asarray(least_recent_rows(np.array([[4.0, 1.0, 7.0, 1.0]]), 2)).tolist()
        [[1, 3]]
    """
    check_rank(2, last_access=last_access)
    last_access = ops.stop_gradient(ops.convert_to_tensor(last_access))
    check_count("count", count, last_access.shape[1])
    # Integers cannot hold what stands for a row that is taken.
    last_access = ops.cast(last_access, at_least_float32(last_access.dtype))
    # As many groups as rows in a group: the fewest to search in turn.
    group = math.isqrt(last_access.shape[1])
    # U of the paper counts the steps since the last access.
    return top_k(-last_access, count, in_turn, group)[1]  # eq. 6
