"""What fast weights are written by: a step, and many steps at once.

Fast weights are a matrix S `(V, K)` that a network writes into at each step, and reads
with a query q: S q. `u` below is what a step writes at its key k, which has length 1:
S_t = alpha_t S_(t-1) + u_t k_t^T.

| rule        | u_t                                       | alpha_t |
| ----------- | ----------------------------------------- | ------- |
| additive    | beta_t v_t                                | 1       |
| delta       | beta_t (v_t - S_(t-1) k_t)                | 1       |
| gated-delta | beta_t (v_t - alpha_t S_(t-1) k_t)        | given   |

With beta 1, the delta rule replaces what is stored at a key, where the additive rule of
Hebb adds to it.

Letters: `B` batch, `H` heads, `T` steps, `K` size of keys, `V` size of values.

References:
    Schlag, Irie, Schmidhuber (2021), Linear Transformers Are Secretly Fast Weight
    Programmers, arXiv:2102.11174, equations 14, 17, 22 to 24.
    Yang, Wang, Zhang, Shen, Kim (2024), Parallelizing Linear Transformers with the
    Delta Rule over Sequence Length, arXiv:2406.06484, for many steps at once.
    Yang, Kautz, Hatamizadeh (2025), Gated Delta Networks, arXiv:2412.06464, equation
    10.
"""

from typing import NamedTuple

import numpy as np
from keras import ops

from .. import backends
from ..backends.exporting import is_exporting
from ..memory.addressing import widened
from ..numerics.tensor_checks import Tensor

RULES = ("additive", "delta", "gated-delta")
# Inside the root of lengths, whose gradient at 0 would not be a number.
EPSILON = 1e-6
# What is kept of a memory after such a decay, exp(-100), cannot be told from nothing.
LOWEST_DECAY = -100.0


class FastWeightStep(NamedTuple):
    """What a network says at a step, or at each of T steps, which is then the axis
    after the heads.

    Attributes:
        query: `(B, H, K)`.
        key: `(B, H, K)`, of length 1.
        value: `(B, H, V)`.
        strength: `(B, H)`, beta, from 0 (nothing is written) to 1.
        decay: `(B, H)`, the logarithm of alpha, at most 0; None for an alpha of 1.
    """

    query: Tensor
    key: Tensor
    value: Tensor
    strength: Tensor
    decay: Tensor | None


def unit_length(x: Tensor) -> Tensor:
    """Vectors along the last axis, divided by their lengths; zeros stay zeros."""
    (x,), dtype = widened(x)
    squares = ops.sum(ops.square(x), axis=-1, keepdims=True)
    return ops.cast(x / ops.sqrt(squares + EPSILON**2), dtype)


def read(memory: Tensor, query: Tensor) -> Tensor:
    """S q: `(B, H, V)` of a memory `(B, H, V, K)` and queries `(B, H, K)`."""
    return ops.matmul(memory, query[..., None])[..., 0]


def write(memory: Tensor, step: FastWeightStep, overwrites: bool) -> Tensor:
    """The memory after a step.

    Args:
        memory: `(B, H, V, K)`.
        step: What is written.
        overwrites: Whether by the delta rule.
    """
    if step.decay is not None:
        memory = memory * ops.exp(step.decay)[..., None, None]
    written = step.value
    if overwrites:
        written = written - read(memory, step.key)
    written = step.strength[..., None] * written
    return memory + written[..., None] * step.key[..., None, :]


class Chunk(NamedTuple):
    """What T steps do to any memory S_0 before them: with u = written - replaced S_0^T
    they read query S_0^T + seen u, and leave kept S_0 + u^T key.

    Attributes:
        query: `(B, H, T, K)`.
        seen: `(B, H, T, T)`, how much of each u a step reads.
        written: `(B, H, T, V)`.
        key: `(B, H, T, K)`.
        replaced: `(B, H, T, K)`; None if nothing is.
        kept: `(B, H, 1, 1)`; None for 1.
    """

    query: Tensor
    seen: Tensor
    written: Tensor
    key: Tensor
    replaced: Tensor | None = None
    kept: Tensor | None = None


def chunk_of(steps: FastWeightStep, overwrites: bool) -> Chunk:
    """Several steps as one.

    What is written at step i depends on what was written before, in the same chunk
    too: u_i + sum_(j<i) A_ij u_j = beta_i (v_i - gamma_i S_0 k_i), with A_ij = beta_i
    (gamma_i / gamma_j) k_i . k_j, and gamma_i the product of alpha_1 to alpha_i. The
    inverse of this triangular system, which has ones on its diagonal, gives the u of
    all steps.

    Args:
        steps: `(B, H, T, ...)`.
        overwrites: Whether by the delta rule.
    """
    query, key, value, strength, decay = steps
    size = key.shape[-2]
    lower = ops.convert_to_tensor(np.tril(np.ones((size, size))), key.dtype)
    if decay is None:
        since_start, ratios, to_end, kept = 1.0, lower, 1.0, None
    else:
        # Sums of lower numbers would round away the decays after them.
        log_gamma = ops.cumsum(ops.maximum(decay, LOWEST_DECAY), axis=-1)
        between = log_gamma[..., :, None] - log_gamma[..., None, :]
        # Above the diagonal the ratio may be too large for a number.
        ratios = lower * ops.exp(between * lower)
        since_start = ops.exp(log_gamma)[..., None]
        to_end = ops.exp(log_gamma[..., -1:] - log_gamma)[..., None]
        kept = since_start[..., -1:, :]
    turned = ops.swapaxes(key, -1, -2)
    written, replaced = strength[..., None] * value, None
    if overwrites:
        before = strength[..., None] * ratios * ops.matmul(key, turned)
        inverse = inverse_of_unit_lower(before)
        replaced = ops.matmul(inverse, strength[..., None] * since_start * key)
        written = ops.matmul(inverse, written)
    seen = ratios * ops.matmul(query, turned)
    return Chunk(since_start * query, seen, written, to_end * key, replaced, kept)


def run_chunk(memory: Tensor, chunk: Chunk) -> tuple[Tensor, Tensor]:
    """Several steps at once, by products of matrices.

    Args:
        memory: The memory before, S_0, `(B, H, V, K)`.
        chunk: The steps.
    Returns:
        What is read after each step, `(B, H, T, V)`, and the memory after the last.
    """
    turned = ops.swapaxes(memory, -1, -2)
    written = chunk.written
    if chunk.replaced is not None:
        written = written - ops.matmul(chunk.replaced, turned)
    reads = ops.matmul(chunk.query, turned) + ops.matmul(chunk.seen, written)
    kept = memory if chunk.kept is None else chunk.kept * memory
    return reads, kept + ops.matmul(ops.swapaxes(written, -1, -2), chunk.key)


@backends.current().custom_gradient
def inverse_of_unit_lower(matrix: Tensor) -> Tensor:
    """The inverse of a lower triangular matrix with ones on its diagonal.

    `ops.solve_triangular` is no choice. On JAX and a processor of two cores, two calls
    at the same time may wait forever: both take a thread, and need a third.

    Args:
        matrix: `(..., T, T)`, of which only what is below the diagonal counts.
    Returns:
        `(..., T, T)`.
    """
    inverse = _inverse_by_blocks(matrix)
    turned = ops.swapaxes(inverse, -1, -2)

    def gradient(*gradients: Tensor, upstream: Tensor | None = None) -> Tensor:
        upstream = gradients[0] if upstream is None else upstream
        return -ops.tril(ops.matmul(turned, ops.matmul(upstream, turned)), -1)

    return inverse, gradient


def _inverse_by_blocks(matrix: Tensor) -> Tensor:
    """The blocks on the diagonal are inverted first, from those of size 1 on: two
    neighbours with the inverses N_1 and N_2, and L below the first, make one of twice
    the size, which has -N_2 L N_1 there."""
    *others, size, _ = ops.shape(matrix)
    full = 1 << (size - 1).bit_length()  # the next power of two
    missing = [(0, 0)] * len(others) + [(0, full - size)] * 2
    matrix = ops.pad(matrix, missing)
    blocks = ops.ones((*others, full, 1, 1), matrix.dtype)
    while (width := blocks.shape[-1]) < full:
        pairs = full // (2 * width)
        links = ops.reshape(matrix, (*others, pairs, 2 * width, pairs, 2 * width))
        links = _own_pairs(links[..., width:, :, :width])
        first, second = blocks[..., 0::2, :, :], blocks[..., 1::2, :, :]
        below = -ops.matmul(second, ops.matmul(links, first))
        upper = ops.concatenate([first, ops.zeros_like(first)], axis=-1)
        below = ops.concatenate([below, second], axis=-1)
        blocks = ops.concatenate([upper, below], axis=-2)
    return blocks[..., 0, :size, :size]


def _own_pairs(links: Tensor) -> Tensor:
    """Of `(..., P, A, P, B)` what each of the P pairs has with itself, `(..., P, A,
    B)`."""
    if is_exporting():  # LiteRT has no operation for a diagonal.
        pairs = range(links.shape[-2])
        return ops.stack([links[..., pair, :, pair, :] for pair in pairs], axis=-3)
    return ops.moveaxis(ops.diagonal(links, axis1=-4, axis2=-2), -1, -3)
