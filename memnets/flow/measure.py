"""The gradient at each step of a recurrent layer, measured."""

import dataclasses

import keras
import numpy as np
from keras import ops

from ..numerics.precision import at_least_float32
from ..numerics.tensor_checks import Structure, Tensor
from ..recurrent.recording import split_state
from .bound import hochreiter_bound
from .jacobian import norm, singular_values, step_gains
from .steps import recurrent_layer, state_gradients

# Heuristic: so many entries of Jacobians need 32 MiB and a few seconds.
MAX_ENTRIES = 2**23


@dataclasses.dataclass(frozen=True, eq=False)
class GradientFlow:
    """The gradient of a loss at each step of a recurrent layer.

    The gradient d_t is that of a sequence's own loss with respect to the complete
    state s_t of the layer after step t. Steps are in the order of processing. Norms are
    root mean squares over the sequences that a mask leaves the step; NaN where none.

    Attributes:
        norms: `(T,)`, |d_t|.
        state_norms: `(T, states)`, the same for each state, in the order of the cell's
            `state_size`.
        gains: `(T - 1,)`, |d_t J_t| / |d_t| from the second step on, where J_t is the
            derivative of s_t by s_(t-1) and the norms are those of all sequences
            together: below 1 gradients fade in this step, above 1 they grow.
        bound: `(T,)`, Hochreiter's n (f'_max |W|)^(T - t), the largest factor between
            an error at the last step and what comes of it at step t. None where the
            cell is not a simple network.
        singular_values: `(T - 1, S)`, those of J_t for the first sequence, the largest
            first: by how much a step can stretch and shrink a gradient. None where the
            matrices are too large.
    """

    norms: np.ndarray
    state_norms: np.ndarray
    gains: np.ndarray
    bound: np.ndarray | None
    singular_values: np.ndarray | None


def gradient_flow(
    model: keras.Model,
    layer: keras.layers.Layer | str,
    x: Structure,
    y: Structure,
    sample_weight: Structure = None,
) -> GradientFlow:
    """Measures how the gradient of a loss flows back through a recurrent layer.

    The model runs as in inference, and stays as it is. The loss is the one that it was
    compiled with; it must be an average over the sequences, as Keras' losses are. An
    output that is one of the states, as in all cells of Keras and of this library,
    counts as that state. Where a cell stops gradients, so do J_t and the norms.

    Args:
        model: A compiled model.
        layer: A recurrent layer of it, or the layer's name: of Keras, `memnets.NTM`,
            `memnets.MemoryRNN`, or `keras.layers.RNN` with any cell of vector states.
        x, y, sample_weight: A batch of B sequences, as for `keras.Model.fit`.
    Raises:
        ValueError: If the model is not compiled, the layer is unknown or not recurrent,
            or the arrays do not fit together.
    Reference:
        Goodfellow, Bengio, Courville, Deep Learning, sections 10.2.1 and 10.7 of the
        draft.
    Example:
        >>> model = keras.Sequential([keras.layers.SimpleRNN(4), keras.layers.Dense(1)])
        >>> model.compile(loss="mse")
        >>> x, y = np.ones((2, 5, 3)), np.ones((2, 1))
        >>> flow = gradient_flow(model, model.layers[0], x, y)
        >>> flow.norms.shape, flow.gains.shape
        ((5,), (4,))
    """
    layer = recurrent_layer(model, layer)
    steps, gradients = state_gradients(model, layer, x, y, sample_weight)
    batch_size, length, size = gradients.shape
    norms = batch_size * _array(norm(gradients))
    parts = [
        batch_size * _array(norm(part)) for part in split_state(layer.cell, gradients)
    ]
    is_step = _array(steps.counts)
    gains, is_gain = map(_array, step_gains(layer.cell, steps, gradients))
    is_small = (length - 1) * size**2 <= MAX_ENTRIES
    return GradientFlow(
        norms=_root_mean_square(norms, is_step),
        state_norms=np.stack([_root_mean_square(p, is_step) for p in parts], axis=-1),
        # The gain of the gradients of all sequences together.
        gains=_root_mean_square(gains, is_gain * norms[:, 1:] ** 2),
        bound=hochreiter_bound(layer.cell, np.arange(length)[::-1]),
        singular_values=singular_values(layer.cell, steps) if is_small else None,
    )


def _array(tensor: Tensor) -> np.ndarray:
    wide = ops.cast(tensor, at_least_float32(tensor.dtype))
    return ops.convert_to_numpy(wide).astype(float)


def _root_mean_square(values: np.ndarray, weights: np.ndarray) -> np.ndarray:
    """Over the batch; NaN where no sequence has a weight."""
    with np.errstate(invalid="ignore"):
        return np.sqrt((weights * values**2).sum(axis=0) / weights.sum(axis=0))
