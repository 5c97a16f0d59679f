"""The hops of a memory network: texts as vectors, and attention over the entries of a
memory.

Pure functions of tensors. `N` is the number of entries, `J` of words, `d` the size of a
vector. A mask is true at what is real, and false at padding.

Reference:
    Sukhbaatar, Szlam, Weston, Fergus (2015), End-To-End Memory Networks,
    arXiv:1503.08895, section 2 and section 4.1.
"""

from keras import ops

from .. import backends
from ..memory.addressing import softmax
from ..numerics.precision import at_least_float32
from ..numerics.tensor_checks import Tensor, check_rank

# Added to the scores of padding: its attention is 0 after the softmax. It is finite,
# because differences of infinite numbers are not numbers.
PADDING = -1e9


def position_encoding(mask: Tensor, size: int, dtype: str = "float32") -> Tensor:
    """The weights of the words of a text, by which their order counts.

    l_kj = (1 - j/J) - (k/d) (1 - 2 j/J), for the component k = 1 ... d of the word
    j = 1 ... J. J counts the words of this text, without padding.

    Args:
        mask: Boolean tensor `(..., J)`.
        size: Components of a vector, d.
        dtype: Data type of the result.
    Returns:
        Tensor `(..., J, d)`, 0 at padding.
    Reference:
        Section 4.1, "Sentence Representation".
    """
    wide = at_least_float32(dtype)
    real = ops.cast(mask, wide)
    place = ops.cumsum(real, axis=-1)
    count = ops.sum(real, axis=-1, keepdims=True)
    share = (place / ops.maximum(count, 1.0))[..., None]  # j/J
    component = ops.arange(1, size + 1, dtype=wide) / size  # k/d
    weights = (1.0 - share) - component * (1.0 - 2.0 * share)
    return ops.cast(weights * real[..., None], dtype)


def ages(mask: Tensor, empty: Tensor | None = None) -> Tensor:
    """How long ago each entry was stored: 0 for the last one.

    Args:
        mask: Boolean tensor `(B, N)`.
        empty: Tensor `(B, N)` of integers, the number of empty memories right after
            each entry; none if None.
    Returns:
        Tensor `(B, N)` of integers; that of padding has no meaning.
    Reference:
        Section 4.1, "Temporal Encoding" and "Learning time invariance by injecting
        random noise".
    """
    check_rank(2, mask=mask)
    steps = ops.cast(mask, "int32")
    after = ops.flip(ops.cumsum(ops.flip(steps, 1), axis=1), 1) - steps
    if empty is None:
        return after
    empty = ops.cast(empty, "int32") * steps
    return after + ops.flip(ops.cumsum(ops.flip(empty, 1), axis=1), 1)


def attention(
    query: Tensor, keys: Tensor, mask: Tensor, is_linear: Tensor | bool = False
) -> Tensor:
    """How much of its attention a query gives to each entry.

    p_i = softmax(u^T m_i); without the softmax where the attention is linear.

    Args:
        query: Tensor `(B, d)`, u.
        keys: Tensor `(B, N, d)`, m.
        mask: Boolean tensor `(B, N)`. Padding has no attention, and without a real
            entry there is none.
        is_linear: Whether to leave out the softmax; may be a boolean tensor.
    Returns:
        Tensor `(B, N)`, which sums to 1 unless it is linear.
    Raises:
        ValueError: If a tensor has another number of axes.
    """
    check_rank(2, query=query, mask=mask)
    check_rank(3, keys=keys)
    scores = ops.squeeze(ops.matmul(keys, query[..., None]), -1)
    soft = softmax(ops.where(mask, scores, PADDING))  # eq. 1
    if is_linear is not False:
        soft = ops.where(is_linear, scores, soft)
    return ops.where(mask, soft, 0.0)


def read(weighting: Tensor, values: Tensor) -> Tensor:
    """What a hop reads: o = sum_i p_i c_i.

    Args:
        weighting: Tensor `(B, N)`, p.
        values: Tensor `(B, N, d)`, c.
    Returns:
        Tensor `(B, d)`.
    Raises:
        ValueError: If a tensor has another number of axes.
    """
    check_rank(2, weighting=weighting)
    check_rank(3, values=values)
    return ops.squeeze(ops.matmul(weighting[:, None], values), 1)  # eq. 2


def next_query(
    query: Tensor, reading: Tensor, mapping: Tensor | None = None, whole: bool = False
) -> Tensor:
    """The query of the next hop.

    u' = u + o, or H u + o, or R (u + o) if `whole`.

    Args:
        query: Tensor `(B, d)`, u.
        reading: Tensor `(B, d)`, o.
        mapping: Tensor `(d, d)`, H or R, which is multiplied from the right; None for
            the identity.
        whole: Whether the mapping is of the sum.
    Reference:
        Equation 4, and section 2.2 for H. R: Miller et al. (2016), Key-Value Memory
        Networks for Directly Reading Documents, arXiv:1606.03126, section 3.1.
    """
    if mapping is None:
        return query + reading  # eq. 4
    if whole:
        return ops.matmul(query + reading, mapping)
    return ops.matmul(query, mapping) + reading  # section 2.2


def half_rectified(query: Tensor) -> Tensor:
    """A query `(B, d)` whose second half is 0 where it was negative.

    Without it hops are linear but for their attention.

    Reference:
        Section 5, of the language models.
    """
    linear, rectified = backends.current().split(query, [query.shape[-1] // 2], axis=-1)
    return ops.concatenate([linear, ops.relu(rectified)], axis=-1)
