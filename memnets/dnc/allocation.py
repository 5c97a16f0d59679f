"""The allocation of a Differentiable Neural Computer: which rows are free to write to.

Pure functions of tensors; shape letters as in `memnets.addressing`. A weighting of a
write head may sum to less than 1: the rest is not written.

Reference:
    Graves, Wayne, Reynolds et al. (2016), Hybrid Computing Using a Neural Network with
    Dynamic External Memory, Nature 538, Methods, "Dynamic memory allocation". Its
    equations have no numbers. DeepMind's code: google-deepmind/dnc,
    `dnc/addressing.py`, `Freeness`.
"""

from keras import ops

from .. import backends
from ..numerics.tensor_checks import Tensor, check_rank


def retention(weighting: Tensor, free_gate: Tensor) -> Tensor:
    """How much of each row the free gates keep, psi.

    psi = prod_i (1 - f_i w_i), over the read heads i.

    Args:
        weighting: Weighting `(B, R, N)` of the read heads in the previous step.
        free_gate: Tensor `(B, R, 1)` in [0, 1]; 1 frees the rows that were read.
    Returns:
        Tensor `(B, N)` in [0, 1].
    Raises:
        ValueError: If a tensor does not have three axes.
    """
    check_rank(3, weighting=weighting, free_gate=free_gate)
    return _product_over_heads(1.0 - free_gate * weighting)


def update_usage(prev_usage: Tensor, weighting: Tensor, retention: Tensor) -> Tensor:
    """How much each row is in use: written rows are, freed rows are not.

    u = (u_prev + w - u_prev w) psi. With several write heads, w is
    1 - prod_h (1 - w_h), as in DeepMind's code.

    Args:
        prev_usage: Tensor `(B, N)` in [0, 1].
        weighting: Weighting `(B, H, N)` of the write heads in the previous step.
        retention: Tensor `(B, N)` in [0, 1].
    Returns:
        Tensor `(B, N)` in [0, 1].
    Raises:
        ValueError: If a tensor has another number of axes.
    """
    check_rank(3, weighting=weighting)
    check_rank(2, prev_usage=prev_usage, retention=retention)
    written = 1.0 - _product_over_heads(1.0 - weighting)
    return (prev_usage + (1.0 - prev_usage) * written) * retention


def allocation_weighting(usage: Tensor) -> Tensor:
    """Attention to the free rows: the row that is used least gets the most.

    With phi the rows by ascending usage, a[phi_j] = (1 - u[phi_j]) prod_{i<j} u[phi_i].
    Rows of equal usage are ordered by their number. There is no gradient through the
    order.

    Args:
        usage: Tensor `(B, N)` in [0, 1].
    Returns:
        Weighting `(B, N)`, which sums to at most 1, and to 0 where all rows are in use.
    Raises:
        ValueError: If the tensor does not have two axes.
    Example:
        >>> usage = np.array([[0.9, 0.0, 0.0, 0.2]])
        >>> [round(float(share), 3) for share in allocation_weighting(usage)[0]]
        [0.0, 1.0, 0.0, 0.0]
    """
    check_rank(2, usage=usage)
    usage = ops.convert_to_tensor(usage)
    # Both backends keep equal values in their order, which the tests pin. `top_k`
    # documents it, but a model with `top_k` cannot be exported from JAX.
    order = ops.argsort(usage)
    ascending = ops.take_along_axis(usage, order, axis=1)
    allocation = (1.0 - ascending) * _product_of_earlier(ascending)
    return _put_along_rows(allocation, order)


def _put_along_rows(values: Tensor, order: Tensor) -> Tensor:
    """Undoes `take_along_axis`: `values[:, i]` at row `order[:, i]`. To sort `order`
    for this would cost as much as all the rest of an allocation."""
    shape = ops.shape(values)
    batch = ops.arange(shape[0], dtype=order.dtype)
    batch = ops.broadcast_to(ops.expand_dims(batch, 1), shape)
    places = ops.stack([batch, order], axis=2)
    return backends.current().scatter(places, values, shape)


def _product_of_earlier(factors: Tensor) -> Tensor:
    """The product of the entries before each entry, along the last axis.

    Products of 1, 2, 4 ... entries: the gradient of `cumprod` divides by its factors,
    which may be 0. DeepMind's code keeps usage above 1e-6 instead, and with several
    write heads this epsilon then decides which of the free rows the second one takes.
    """
    product, count = _later(factors, 1), 1
    while count < factors.shape[-1]:
        product = product * _later(product, count)
        count *= 2
    return product


def _later(factors: Tensor, steps: int) -> Tensor:
    """The entries moved to later places; ones come first."""
    first = ops.ones_like(factors[:, :steps])
    return ops.concatenate([first, factors[:, :-steps]], axis=1)


def allocate(usage: Tensor, gate: Tensor) -> Tensor:
    """The allocation weighting of each write head.

    Heads allocate in turn: a head sees the rows that the heads before it are about to
    write as used. This is DeepMind's rule; the paper has one write head.

    Args:
        usage: Tensor `(B, N)` in [0, 1].
        gate: Tensor `(B, H, 1)` in [0, 1], the share of each head's write that goes to
            allocated rows: write gate times allocation gate.
    Returns:
        Weighting `(B, H, N)`; each head sums to at most 1.
    Raises:
        ValueError: If a tensor has another number of axes.
    """
    check_rank(2, usage=usage)
    check_rank(3, gate=gate)
    usage, gate = map(ops.convert_to_tensor, (usage, gate))
    weightings = []
    for head in range(gate.shape[1]):
        weightings.append(allocation_weighting(usage))
        usage = usage + (1.0 - usage) * gate[:, head] * weightings[-1]
    return ops.stack(weightings, axis=1)


def write_weighting(
    allocation: Tensor, content: Tensor, allocation_gate: Tensor, write_gate: Tensor
) -> Tensor:
    """Blends allocation (allocation gate 1) with content; write gate 0 writes nothing.

    w = g_w (g_a a + (1 - g_a) c).

    Args:
        allocation: Weighting `(B, H, N)`.
        content: Weighting `(B, H, N)`.
        allocation_gate: Tensor `(B, H, 1)` in [0, 1].
        write_gate: Tensor `(B, H, 1)` in [0, 1].
    Returns:
        Weighting `(B, H, N)`; each head sums to at most 1.
    Raises:
        ValueError: If a tensor does not have three axes.
    """
    check_rank(3, allocation=allocation, content=content)
    check_rank(3, allocation_gate=allocation_gate, write_gate=write_gate)
    chosen = allocation_gate * allocation + (1.0 - allocation_gate) * content
    return write_gate * chosen


def _product_over_heads(factors: Tensor) -> Tensor:
    """`(B, H, N)` to `(B, N)`. Head by head: the gradient of a product along an axis
    divides by its factors, which may be 0."""
    product = factors[:, 0]
    for head in range(1, factors.shape[1]):
        product = product * factors[:, head]
    return product
