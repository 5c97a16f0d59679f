"""Least recently used access (LRUA): a head writes to the least recently used row, or
to the rows that it read in the previous step.

Pure functions of tensors; shape letters as in `memnets.addressing`. Each of the `R`
read heads also writes. The equations leave open what several heads do; here each has a
least used row of its own.

Reference:
    Santoro, Bartunov, Botvinick, Wierstra, Lillicrap (2016), One-shot Learning with
    Memory-Augmented Neural Networks, arXiv:1605.06065, section 3.2.
"""

from keras import ops

from ..memory import access
from ..numerics.tensor_checks import Tensor, check_rank, check_size
from ..numerics.top_k import in_turn


def update_usage(
    prev_usage: Tensor, read_weighting: Tensor, write_weighting: Tensor, decay: float
) -> Tensor:
    """How much each row has been read and written recently.

    w^u = gamma w^u_prev + w^r + w^w, summed over heads.

    Args:
        prev_usage: Tensor `(B, N)`, >= 0.
        read_weighting: Weighting `(B, R, N)`.
        write_weighting: Weighting `(B, R, N)`.
        decay: gamma, from 0 to less than 1: the share that is kept in a step.
    Returns:
        Tensor `(B, N)`, >= 0.
    Raises:
        ValueError: If a tensor has another number of axes.
    """
    check_rank(2, prev_usage=prev_usage)
    check_rank(3, read_weighting=read_weighting, write_weighting=write_weighting)
    used = ops.sum(read_weighting, axis=1) + ops.sum(write_weighting, axis=1)
    return decay * ops.convert_to_tensor(prev_usage) + used  # eq. 5


def least_used_weighting(usage: Tensor, num_heads: int) -> Tensor:
    """Attention to the least used rows, one row for each head.

    The first head gets the least used row, the second head the next one, and so on. The
    sum over heads is w^lu of the paper. Of rows of equal usage the first comes first.
    There is no gradient through the choice.

    Args:
        usage: Tensor `(B, N)`.
        num_heads: Number of rows, n, at most N.
    Returns:
        Weighting `(B, num_heads, N)` of zeros and ones.
    Raises:
        ValueError: If the tensor does not have two axes, or there are fewer rows.
    Example:
        >>> usage = np.array([[0.9, 0.1, 0.0, 0.1]])
        >>> np.asarray(least_used_weighting(usage, 2))[0].astype(int).tolist()
        [[0, 0, 1, 0], [0, 1, 0, 0]]
    """
    check_rank(2, usage=usage)
    usage = ops.convert_to_tensor(usage)
    num_rows = usage.shape[1]
    if check_size("num_heads", num_heads) > num_rows:
        raise ValueError(
            f"`num_heads` must be at most the number of rows, {num_rows}. "
            f"Received: num_heads={num_heads}"
        )
    _, rows = in_turn(-usage, num_heads)
    return ops.one_hot(rows, num_rows, dtype=usage.dtype)  # eq. 6


def write_weighting(
    prev_read_weighting: Tensor, least_used: Tensor, gate: Tensor
) -> Tensor:
    """Blends the rows that were read (gate 1) with the least used ones (gate 0).

    w^w = sigma(alpha) w^r_prev + (1 - sigma(alpha)) w^lu_prev.

    Args:
        prev_read_weighting: Weighting `(B, R, N)` of the previous step.
        least_used: Weighting `(B, R, N)`, by the usage after the previous step.
        gate: Tensor `(B, R, 1)` in [0, 1], sigma(alpha).
    Returns:
        Weighting `(B, R, N)`.
    Raises:
        ValueError: If a tensor does not have three axes.
    """
    check_rank(
        3, prev_read_weighting=prev_read_weighting, least_used=least_used, gate=gate
    )
    gate, prev_read_weighting, least_used = map(
        ops.convert_to_tensor, (gate, prev_read_weighting, least_used)
    )
    return gate * prev_read_weighting + (1.0 - gate) * least_used  # eq. 7


def write(
    memory: Tensor,
    weighting: Tensor,
    add: Tensor,
    least_used: Tensor,
    *,
    row_axis: int = 1,
) -> Tensor:
    """Sets the least used rows to zero, then adds under the weightings.

    M = M_prev + w^w k. The least used rows are lost also where a head writes to the
    rows that it read.

    Args:
        memory: Tensor `(B, N, W)`, or `(B, W, N)` with `row_axis=2`.
        weighting: Weighting `(B, R, N)`.
        add: Tensor `(B, R, W)`, what each head writes: its key, in the paper.
        least_used: Weighting `(B, R, N)` of zeros and ones.
        row_axis: Axis of `memory` that counts its rows, see
            `addressing.cosine_similarity`.
    Returns:
        The new memory, of the same shape.
    Raises:
        ValueError: If a tensor does not have three axes, or `row_axis` is not 1 or 2.
    """
    check_rank(3, memory=memory, least_used=least_used)
    kept = 1.0 - ops.sum(least_used, axis=1)
    memory = ops.multiply(memory, ops.expand_dims(kept, 3 - row_axis))
    return access.accumulate(memory, weighting, add, row_axis=row_axis)  # eq. 8
