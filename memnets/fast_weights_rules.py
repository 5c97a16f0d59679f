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

from keras import ops

from .addressing import widened
from .tensor_checks import Tensor

RULES = ("additive", "delta", "gated-delta")
# Inside the root of lengths, whose gradient at 0 would not be a number.
EPSILON = 1e-6


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


def run_chunk(
    memory: Tensor, steps: FastWeightStep, overwrites: bool
) -> tuple[Tensor, Tensor]:
    """Several steps at once, by products of matrices.

    What is written at step i depends on what was written before, in the same chunk
    too: u_i + sum_(j<i) A_ij u_j = beta_i (v_i - gamma_i S_0 k_i), with A_ij = beta_i
    (gamma_i / gamma_j) k_i . k_j, and gamma_i the product of alpha_1 to alpha_i. This
    triangular system has the u of all steps as its solution.

    Args:
        memory: The memory before, S_0, `(B, H, V, K)`.
        steps: `(B, H, T, ...)`.
        overwrites: Whether by the delta rule.
    Returns:
        What is read after each step, `(B, H, T, V)`, and the memory after the last.
    """
    query, key, value, strength, decay = steps
    size = key.shape[-2]
    lower = ops.tril(ops.ones((size, size), key.dtype))
    transposed = ops.swapaxes(memory, -1, -2)
    if decay is None:
        since_start, ratios, to_end = None, lower, None
    else:
        log_gamma = ops.cumsum(decay, axis=-1)
        between = log_gamma[..., :, None] - log_gamma[..., None, :]
        # Above the diagonal the ratio may be too large for a number.
        ratios = lower * ops.exp(between * lower)
        since_start = ops.exp(log_gamma)[..., None]
        to_end = ops.exp(log_gamma[..., -1:] - log_gamma)[..., None]

    def of_start(vectors):
        """S_0 times vectors `(B, H, T, K)`, decayed up to each step."""
        found = ops.matmul(vectors, transposed)
        return found if since_start is None else since_start * found

    written = strength[..., None] * value
    if overwrites:
        written = written - strength[..., None] * of_start(key)
        alike = ops.matmul(key, ops.swapaxes(key, -1, -2))
        before = strength[..., None] * ratios * alike
        eye = ops.eye(size, dtype=key.dtype)
        system = before * (lower - eye) + eye
        written = ops.solve_triangular(system, written, lower=True)
    seen = ratios * ops.matmul(query, ops.swapaxes(key, -1, -2))
    reads = of_start(query) + ops.matmul(seen, written)
    kept = memory
    if to_end is not None:
        kept = memory * ops.exp(log_gamma[..., -1])[..., None, None]
        written = to_end * written
    return reads, kept + ops.matmul(ops.swapaxes(written, -1, -2), key)
