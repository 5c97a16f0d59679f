"""The temporal links of a Differentiable Neural Computer: which row was written after
which.

Pure functions of tensors; shape letters as in `memnets.addressing`, and `H` write
heads, each with links of its own.

Reference:
    Graves, Wayne, Reynolds et al. (2016), Hybrid Computing Using a Neural Network with
    Dynamic External Memory, Nature 538, Methods, "Temporal memory linkage". Its
    equations have no numbers.
"""

from keras import ops

from ..numerics.tensor_checks import Tensor, check_rank


def update_links(links: Tensor, precedence: Tensor, weighting: Tensor) -> Tensor:
    """The links after a write.

    L[i, j] = (1 - w_i - w_j) L_prev[i, j] + w_i p_prev[j], and 0 on the diagonal.

    Args:
        links: Tensor `(B, H, N, N)` in [0, 1], before the write; each row and each
            column sums to at most 1.
        precedence: Tensor `(B, H, N)`, before the write, see `update_precedence`.
        weighting: Weighting `(B, H, N)` of the write heads.
    Returns:
        Tensor of the shape of `links`.
    Raises:
        ValueError: If a tensor has another number of axes.
    """
    check_rank(4, links=links)
    check_rank(3, precedence=precedence, weighting=weighting)
    links = ops.convert_to_tensor(links)
    kept = 1.0 - ops.expand_dims(weighting, 3) - ops.expand_dims(weighting, 2)
    # The gradients of `einsum` are products of matrices: faster on JAX than sums.
    written = ops.einsum("bhi,bhj->bhij", weighting, precedence)
    others = 1.0 - ops.eye(links.shape[-1], dtype=links.dtype)
    return (kept * links + written) * others


def update_precedence(precedence: Tensor, weighting: Tensor) -> Tensor:
    """How much each row is the one that was written last.

    p = (1 - sum_i w_i) p_prev + w.

    Args:
        precedence: Tensor `(B, H, N)`, of the previous step.
        weighting: Weighting `(B, H, N)` of the write heads.
    Returns:
        Tensor `(B, H, N)`; each head sums to at most 1.
    Raises:
        ValueError: If a tensor does not have three axes.
    """
    check_rank(3, precedence=precedence, weighting=weighting)
    written = ops.sum(weighting, axis=-1, keepdims=True)
    return (1.0 - written) * precedence + weighting


def follow_links(links: Tensor, weighting: Tensor) -> tuple[Tensor, Tensor]:
    """Moves each read head to the rows written before and after those it was on.

    b = L^T w and f = L w.

    Args:
        links: Tensor `(B, H, N, N)`.
        weighting: Weighting `(B, R, N)` of the read heads in the previous step.
    Returns:
        `(backward, forward)`, each `(B, R, H, N)`.
    Raises:
        ValueError: If a tensor has another number of axes.
    Example:
        >>> row_2_after_row_0 = np.zeros((1, 1, 3, 3))
        >>> row_2_after_row_0[0, 0, 2, 0] = 1.0
        >>> on_row_0 = np.array([[[1.0, 0.0, 0.0]]])
        >>> _, forward = follow_links(row_2_after_row_0, on_row_0)
        >>> [float(share) for share in forward[0, 0, 0]]
        [0.0, 0.0, 1.0]
    """
    check_rank(4, links=links)
    check_rank(3, weighting=weighting)
    # Products in which XLA need not transpose the links, the largest tensor here.
    weighting = ops.expand_dims(weighting, 1)
    backward = ops.matmul(weighting, links)
    forward = ops.matmul(links, ops.swapaxes(weighting, 2, 3))
    return ops.swapaxes(backward, 1, 2), ops.transpose(forward, (0, 3, 1, 2))


def read_weighting(
    backward: Tensor, content: Tensor, forward: Tensor, mode: Tensor
) -> Tensor:
    """Blends the three ways of finding a row.

    w = pi_1 b + pi_2 c + pi_3 f.

    Args:
        backward: Tensor `(B, R, H, N)`.
        content: Weighting `(B, R, N)`.
        forward: Tensor `(B, R, H, N)`.
        mode: Tensor `(B, R, 2H + 1)`, each read head summing to 1: the shares of
            backward, content and forward.
    Returns:
        Weighting `(B, R, N)`; each head sums to at most 1.
    Raises:
        ValueError: If a tensor has another number of axes.
    """
    check_rank(4, backward=backward, forward=forward)
    check_rank(3, content=content, mode=mode)
    ways = ops.concatenate([backward, ops.expand_dims(content, 2), forward], axis=2)
    return ops.einsum("brk,brkn->brn", mode, ways)
