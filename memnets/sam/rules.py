"""Sparse access: a head reads the few rows that are nearest to its key, and writes to
the rows that it read before and to the least recently accessed row.

Pure functions of tensors. Shapes are written with `B` batch, `R` heads, `N` memory
rows, `W` word size and `K` rows that a head reads. Rows are chosen by their numbers,
`(B, ...)` of an integer type, see `memnets.sam.row_choice`. All other rows are left
alone, so that a step keeps nothing of the size of the memory for its gradient.

The equations are those of one head. Each of the `R` heads reads and writes by itself
here, and has a least recently accessed row of its own.

Reference:
    Rae, Hunt, Harley, Danihelka, Senior, Wayne, Graves, Lillicrap (2016), Scaling
    Memory-Augmented Neural Networks with Sparse Reads and Writes, arXiv:1610.09027,
    section 3.
"""

import math
from collections.abc import Callable, Sequence

import numpy as np
from keras import ops

from .. import backends
from ..backends.exporting import is_exporting
from ..memory.addressing import NORM_EPSILON, softmax, widened
from ..numerics.tensor_checks import Tensor, check_rank

# The paper, section 3.2: delta, the weight above which a row counts as accessed.
ACCESS_THRESHOLD = 0.005


def take_rows(memory: Tensor, rows: Tensor) -> tuple[Tensor, Tensor]:
    """Some rows of each memory, and the memory to use from here on.

    Reading from the memory that is returned, and not again from the argument, makes the
    gradient of the memory one tensor that is changed in place. Else each reading would
    make one of the size of the memory, to be added.

    Args:
        memory: Tensor `(B, N, W)`.
        rows: Row numbers `(B, ...)`.
    Returns:
        Rows `(B, ..., W)`, and the same memory.
    Raises:
        ValueError: If the memory does not have three axes.
    """
    check_rank(3, memory=memory)
    memory, rows = map(ops.convert_to_tensor, (memory, rows))
    if is_exporting():
        return _words(memory, _places(rows, memory.shape[1]), rows.shape[1:]), memory
    # JAX takes the row numbers as an argument only, and their gradient as a number.
    words, memory = _take_rows(memory, ops.cast(rows, "float32"))
    return words, memory


@backends.current().custom_gradient
def _take_rows(
    memory: Tensor, rows: Tensor
) -> tuple[tuple[Tensor, Tensor], Callable[..., tuple[Tensor, Tensor]]]:
    places = _places(ops.cast(rows, "int32"), ops.shape(memory)[1])
    words = _words(memory, places, rows.shape[1:])

    def gradient(*upstream: Tensor) -> tuple[Tensor, Tensor]:
        words, memory = upstream[0] if len(upstream) == 1 else upstream
        return _add_rows(memory, places, words), ops.zeros_like(rows)

    return (words, memory), gradient


def _words(memory: Tensor, places: Tensor, shape: Sequence[int]) -> Tensor:
    """What memories hold at places, `(B, *shape, W)`."""
    size = memory.shape[2]
    words = ops.take(ops.reshape(memory, (-1, size)), places, axis=0)
    return ops.reshape(words, (ops.shape(memory)[0], *shape, size))


def _places(rows: Tensor, num_rows: int) -> Tensor:
    """The places of rows `(B, ...)` in all memories of a batch one after the other, as
    one list."""
    rows = ops.reshape(rows, (-1, math.prod(rows.shape[1:])))
    # The initial state that a user gives may name rows that are not there.
    rows = ops.maximum(ops.minimum(ops.cast(rows, "int32"), num_rows - 1), 0)
    first = num_rows * ops.arange(ops.shape(rows)[0], dtype=rows.dtype)
    return ops.reshape(rows + first[:, None], (-1,))


def _add_rows(memory: Tensor, places: Tensor, words: Tensor) -> Tensor:
    """Adds words `(..., W)` to a memory `(B, N, W)`."""
    if is_exporting():
        return memory + _spread(places, words, memory, adds=True)
    flat, words = (ops.reshape(x, (-1, memory.shape[2])) for x in (memory, words))
    flat = ops.scatter_update(flat, places[:, None], words, reduction="add")
    return ops.reshape(flat, ops.shape(memory))


def _spread(places: Tensor, words: Tensor, memory: Tensor, adds: bool) -> Tensor:
    """Words at their places, and zeros in all other rows of a memory. Other formats of
    models have no operation that adds to rows, or takes the larger number.

    A place that is named twice gets the sum of its words `(B, Q, W)`, or the first.
    """
    count = math.prod(words.shape[1:-1])
    named = ops.reshape(places, (-1, count))
    same = named[:, :, None] == named[:, None]
    before = np.tril(np.ones((count, count), bool), -1)
    is_first = ops.logical_not(ops.any(ops.logical_and(same, before), axis=2))
    if adds:
        words = ops.matmul(ops.cast(same, words.dtype), words)
    words = ops.reshape(words, (-1, memory.shape[2]))
    # All others go to one more row, which is left out.
    rows = ops.shape(memory)[0] * memory.shape[1]
    places = ops.where(ops.reshape(is_first, (-1, 1)), places[:, None], rows)
    shape = (rows + 1, memory.shape[2])
    spread = backends.current().scatter(places, words, shape)
    return ops.reshape(spread[:rows], ops.shape(memory))


def sparse_weighting(words: Tensor, key: Tensor, beta: Tensor) -> Tensor:
    """Attention by content to a few rows: the softmax of cosines.

    Args:
        words: Tensor `(B, R, K, W)`, the rows of each head.
        key: Tensor `(B, R, W)`.
        beta: Tensor `(B, R, 1)`, key strength, > 0.
    Returns:
        Weights `(B, R, K)`, each head summing to 1.
    Raises:
        ValueError: If a tensor has another number of axes.
    """
    check_rank(4, words=words)
    check_rank(3, key=key, beta=beta)
    (words, key, beta), dtype = widened(words, key, beta)
    dots = ops.sum(words * ops.expand_dims(key, 2), axis=3)
    key_square = ops.sum(ops.square(key), axis=2, keepdims=True)
    squares = ops.sum(ops.square(words), axis=3)
    cosines = (
        dots * ops.rsqrt(key_square + NORM_EPSILON) * ops.rsqrt(squares + NORM_EPSILON)
    )
    return ops.cast(softmax(beta * cosines), dtype)  # eq. 2, over K rows


def read(words: Tensor, weights: Tensor) -> Tensor:
    """Average of a few rows under their weights.

    Args:
        words: Tensor `(B, R, K, W)`.
        weights: Tensor `(B, R, K)`.
    Returns:
        Read vectors `(B, R, W)`.
    Raises:
        ValueError: If a tensor has another number of axes.
    """
    check_rank(4, words=words)
    check_rank(3, weights=weights)
    return ops.sum(ops.expand_dims(weights, 3) * words, axis=2)  # eq. 4


def write_weights(prev_weights: Tensor, gate: Tensor, write_gate: Tensor) -> Tensor:
    """Blends the rows that were read (gate 1) with the least recently accessed one
    (gate 0).

    w^W = alpha (gamma w^R_prev + (1 - gamma) I^U).

    Args:
        prev_weights: Tensor `(B, R, K)`, the weights of the rows that each head read in
            the previous step.
        gate: Tensor `(B, R, 1)` in [0, 1], gamma.
        write_gate: Tensor `(B, R, 1)` in [0, 1], alpha; 0 writes nothing.
    Returns:
        Weights `(B, R, K + 1)`: of the rows that were read, then of the least recently
        accessed row.
    Raises:
        ValueError: If a tensor does not have three axes.
    """
    check_rank(3, prev_weights=prev_weights, gate=gate, write_gate=write_gate)
    weights = ops.concatenate([gate * prev_weights, 1.0 - gate], axis=2)
    return ops.multiply(write_gate, weights)  # eq. 5


def write(
    memory: Tensor,
    rows: Tensor,
    weights: Tensor,
    add: Tensor,
    erased: Tensor,
    lost: Tensor | None = None,
) -> Tensor:
    """Sets rows to zero, then adds to rows under the weights; other rows stay.

    Args:
        memory: Tensor `(B, N, W)`.
        rows: Row numbers `(B, R, L)` of each head.
        weights: Tensor `(B, R, L)`.
        add: Tensor `(B, R, W)`, what each head adds.
        erased: Row numbers `(B, E)`, all different: the least recently accessed rows.
            They are lost also where a head writes to the rows that it read.
        lost: Tensor `(B, E, W)`, what these rows hold, if it has been taken already.
            Taken a second time, it would make XLA copy the memory.
    Returns:
        The new memory, of the same shape.
    Raises:
        ValueError: If a tensor has another number of axes.
    Example:
        >>> rows, erased = np.array([[[2, 0]]]), np.array([[0]])
        >>> memory = write(np.ones((1, 3, 1)), rows, np.array([[[0.5, 0.25]]]),
        ...                np.array([[[4.0]]]), erased)
        >>> [float(row) for row in memory[0, :, 0]]
        [1.0, 1.0, 3.0]
    """
    check_rank(3, memory=memory, rows=rows, weights=weights, add=add)
    check_rank(2, erased=erased)
    memory, rows, weights, add, erased = map(
        ops.convert_to_tensor, (memory, rows, weights, add, erased)
    )
    num_written = math.prod(rows.shape[1:])
    # Subtracting is exact. Setting rows to zero would make JAX keep a mask of the size
    # of the memory.
    if lost is None:
        lost, memory = take_rows(memory, erased)
    words = ops.expand_dims(weights, 3) * ops.expand_dims(add, 2)
    words = ops.reshape(words, (-1, num_written, memory.shape[2]))
    rows = ops.reshape(rows, (-1, num_written))
    # All at once: with two changes XLA copies the gradient of the memory.
    places = _places(ops.concatenate([erased, rows], axis=1), memory.shape[1])
    changes = ops.concatenate([-lost, words], axis=1)
    return _add_rows(memory, places, changes)  # eq. 3


def update_access(
    last_access: Tensor, rows: Tensor, weights: Tensor, step: Tensor
) -> Tensor:
    """The step at which each row was last accessed: read and written, by all heads
    together, with a weight above `ACCESS_THRESHOLD`.

    Args:
        last_access: Tensor `(B, N)`, 0 for never.
        rows: Row numbers `(B, L)` of all that was read and written; a row may be named
            several times.
        weights: Tensor `(B, L)`.
        step: Tensor `(B, 1)`, the number of this step, from 1.
    Returns:
        Tensor `(B, N)`.
    Raises:
        ValueError: If a tensor does not have two axes.
    """
    check_rank(2, last_access=last_access, rows=rows, weights=weights, step=step)
    last_access, rows, weights, step = map(
        ops.stop_gradient,
        map(ops.convert_to_tensor, (last_access, rows, weights, step)),
    )
    same = ops.cast(rows[:, :, None] == rows[:, None], weights.dtype)
    total = ops.einsum("blm,bm->bl", same, weights)
    accessed = ops.where(total > ACCESS_THRESHOLD, step, ops.zeros_like(total))
    places = _places(rows, last_access.shape[1])
    if is_exporting():
        before = ops.take_along_axis(last_access, ops.cast(rows, "int32"), axis=1)
        later, memory = ops.relu(accessed - before)[..., None], last_access[..., None]
        return last_access + _spread(places, later, memory, adds=False)[..., 0]
    flat, accessed = (ops.reshape(x, (-1,)) for x in (last_access, accessed))
    flat = backends.current().scatter_max(flat, places, accessed)
    return ops.reshape(flat, ops.shape(last_access))  # U^(2), section 3.2
