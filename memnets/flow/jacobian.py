"""Gradients carried one step back in time, by the Jacobian of a cell's step."""

import keras
import numpy as np
from keras import ops

from .. import backends
from ..backends.recomputation import without_recomputation
from ..cells.states import cell_step
from ..numerics.tensor_checks import Tensor
from ..recurrent.recording import split_state
from .steps import Steps


def step_back(cell: keras.layers.Layer, steps: Steps, vectors: Tensor) -> Tensor:
    """v J_t for each step but the first, where J_t is the derivative of the state
    after step t by the state before it. Can be differentiated by the weights.

    Args:
        cell: The cell.
        steps: Its steps, T of them.
        vectors: `(B, T - 1, S)`.
    Returns:
        `(B, T - 1, S)`.
    """
    if vectors.shape[1] == 0:  # Keras' LSTMCell fails on an empty batch on TensorFlow
        return vectors
    # All steps are computed as one large batch.
    inputs, before, flat = (
        ops.reshape(tensor, (-1, tensor.shape[-1]))
        for tensor in (steps.sequences[:, 1:], steps.states[:, :-1], vectors)
    )

    def product(states: Tensor) -> Tensor:
        with without_recomputation():
            _, after = cell_step(cell, inputs, split_state(cell, states))
        after = ops.concatenate(after, axis=-1)
        return ops.sum(ops.cast(after, flat.dtype) * flat)

    products = backends.current().gradient(product, before)
    return ops.reshape(products, ops.shape(vectors))


def has_step_back(steps: Steps) -> Tensor:
    """`(B, T - 1)`, whether a step from the second on goes back to one before it: it is
    not masked, nor are all before it."""
    before = ops.cumsum(ops.cast(steps.counts, "int32"), axis=1)[:, :-1] > 0
    return ops.logical_and(steps.counts[:, 1:], before)


def step_gains(
    cell: keras.layers.Layer, steps: Steps, gradients: Tensor
) -> tuple[Tensor, Tensor]:
    """By how much each step back changes the norm of a gradient, |d_t J_t| / |d_t|.

    Args:
        cell: The cell.
        steps: Its steps, T of them.
        gradients: `(B, T, S)`, d.
    Returns:
        The gains `(B, T - 1)`, from the second step on, and whether they count: there
        is a step back, and a gradient.
    """
    norms = norm(gradients)[:, 1:]
    is_there = norms > 0
    if norms.shape[1] == 0:
        return norms, is_there
    safe = ops.where(is_there, norms, ops.ones_like(norms))
    gains = norm(step_back(cell, steps, gradients[:, 1:] / safe[..., None]))
    return gains, ops.logical_and(has_step_back(steps), is_there)


def norm(vectors: Tensor) -> Tensor:
    """Euclidean norms over the last axis; small numbers do not underflow, and the
    gradient at zero is zero."""
    largest = ops.stop_gradient(ops.max(ops.abs(vectors), axis=-1, keepdims=True))
    largest = ops.where(largest > 0, largest, ops.ones_like(largest))
    squares = ops.sum((vectors / largest) ** 2, axis=-1)
    is_zero = squares == 0
    roots = ops.sqrt(ops.where(is_zero, ops.ones_like(squares), squares))
    return ops.where(is_zero, ops.zeros_like(roots), roots * largest[..., 0])


def singular_values(cell: keras.layers.Layer, steps: Steps) -> np.ndarray:
    """Those of J_t for each step of the first sequence but the first.

    Args:
        cell: The cell.
        steps: Its steps, T of them.
    Returns:
        `(T - 1, S)`, the largest first; NaN where there is no step back.
    """
    _, length, size = steps.states.shape
    # One copy of the sequence for each row of the matrices.
    copies = Steps(*(ops.repeat(tensor[:1], size, axis=0) for tensor in steps))
    rows = np.broadcast_to(np.eye(size)[:, None], (size, length - 1, size))
    rows = ops.convert_to_tensor(rows, steps.states.dtype)
    matrices = ops.convert_to_numpy(step_back(cell, copies, rows)).swapaxes(0, 1)
    values = np.linalg.svd(matrices, compute_uv=False)
    values[~ops.convert_to_numpy(has_step_back(steps))[0]] = np.nan
    return values
