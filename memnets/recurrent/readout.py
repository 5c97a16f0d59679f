"""A linear readout of a network that is not trained, as of an echo state network."""

from collections.abc import Iterator
from typing import Any

import keras
import numpy as np
from keras import ops

from ..checks import check_integer, check_number
from ..numerics.precision import at_least_float32
from ..numerics.tensor_checks import Structure, Tensor, check_tensor

# Heuristic: as many rows at a time, so that few times more memory is needed than the
# states of a batch take.
ROWS = 4096


def fit_readout(
    layer: keras.layers.Layer,
    x: Tensor,
    y: Tensor,
    *,
    ridge: float = 1e-6,
    washout: int = 100,
    batch_size: int = 32,
) -> keras.layers.Dense:
    """The linear layer that predicts targets best from what a layer puts out.

    With H, one row for each step, and targets Y it solves

        W = (H^T H + ridge I)^-1 H^T Y

    in float64. Every output also has a bias, on which there is no penalty: another
    constant in the targets changes the bias only. H^T H itself is not formed, because
    its condition number is the square of that of H. The rows are reduced batch by batch
    to a triangle R of a QR decomposition, with R^T R = H^T H, so that memory does not
    grow with the number of sequences.

    The layer is called, not changed. The states of an echo state network are nearly
    collinear and its weights large: a layer in float64 (`dtype="float64"`, for the cell
    too) predicts more precisely than one in float32, and can do with a smaller `ridge`.

    Args:
        layer: A layer or model from `(B, T, features)` to `(B, T, n)`, such as
            `keras.layers.RNN(cell, return_sequences=True)`. To let the readout see
            the inputs too, give a model that concatenates inputs and states.
        x: Inputs `(B, T, features)`.
        y: Targets `(B, T, outputs)`, one for each step.
        ridge: Penalty on the squared weights, from 0. With 0, weights that the data
            leave open are as small as can be.
        washout: Steps at the beginning of each sequence that are left out: the states
            still depend on how they began.
        batch_size: Sequences that the layer sees at a time.
    Returns:
        A built `keras.layers.Dense` from `(..., n)` to `(..., outputs)`.
        `keras.Sequential([layer, readout])` is the whole network.
    Raises:
        ValueError: If an argument is out of its range, a shape is wrong, no step is
            left, the layer is stateful or does not return a sequence, or a number is
            not finite.
        TypeError: If `x` or `y` is not a tensor of real numbers.
    Reference:
        Jaeger (2001), The "Echo State" Approach to Analysing and Training Recurrent
        Neural Networks, GMD Report 148, section 3. Goodfellow, Bengio, Courville
        (2016), Deep Learning, section 10.8.
    Example:
        >>> cell = keras.layers.SimpleRNNCell(20, trainable=False)
        >>> layer = keras.layers.RNN(cell, return_sequences=True)
        >>> x = np.random.default_rng(0).uniform(size=(1, 300, 1))
        >>> readout = fit_readout(layer, x, np.roll(x, 2, axis=1))
        >>> tuple(readout(layer(x)).shape)
        (1, 300, 1)
    """
    ridge = check_number("ridge", ridge, minimum=0)
    washout = check_integer("washout", washout, minimum=0)
    batch_size = check_integer("batch_size", batch_size)
    _check_data(layer, x, y, washout)
    triangle = np.zeros((0, 0))
    for states, targets in _batches(layer, x, y, batch_size):
        states, targets = states[:, washout:], targets[:, washout:]
        triangle = _reduced(triangle, states, targets)
        num_states, dtype = states.shape[-1], states.dtype
    weights = _solution(triangle, num_states, ridge)
    readout = keras.layers.Dense(weights.shape[1], dtype=at_least_float32(dtype.name))
    readout.build((None, None, num_states))
    readout.set_weights([weights[:-1], weights[-1]])
    return readout


def _check_data(layer: keras.layers.Layer, x: Tensor, y: Tensor, washout: int) -> None:
    check_tensor("x", x, ("B", "T", "features"))
    num_sequences, steps, _ = x.shape
    check_tensor("y", y, (num_sequences, steps, "outputs"))
    if not num_sequences:
        raise ValueError(
            f"`x` must hold a sequence. Received: x of shape {tuple(x.shape)}"
        )
    if washout >= steps:
        raise ValueError(
            f"`washout` must be below the {steps} steps of `x`. "
            f"Received: washout={washout}"
        )
    parts = (layer, *getattr(layer, "layers", ()))
    if any(getattr(part, "stateful", False) for part in parts):
        raise ValueError(
            "`layer` must not be stateful: its states would depend on earlier calls. "
            f"Received: layer={layer}"
        )


def _batches(
    layer: Any, x: Tensor, y: Tensor, batch_size: int
) -> Iterator[tuple[np.ndarray, np.ndarray]]:
    """States `(B, T, n)` and targets `(B, T, outputs)` of some sequences at a time."""
    if not layer.built:
        layer.build((None, *x.shape[1:]))
    runner = _Runner(layer)
    for start in range(0, x.shape[0], batch_size):
        part = slice(start, start + batch_size)
        inputs = ops.convert_to_numpy(x[part])
        targets = ops.convert_to_numpy(y[part]).astype("float64")
        _check_finite("x", inputs)
        _check_finite("y", targets)
        states = runner.predict_on_batch(inputs)
        if getattr(states, "shape", ())[:-1] != inputs.shape[:-1]:
            raise ValueError(
                "`layer` must put out one tensor (B, T, n), as a recurrent layer does "
                "with return_sequences=True and without return_state. "
                f"Received: layer={layer}"
            )
        _check_finite("layer", states)
        yield states, targets


class _Runner(keras.Model):
    """Runs a layer compiled. A functional model would connect the layer to an input
    once more, and then its `output` is not unique."""

    def __init__(self, layer: keras.layers.Layer) -> None:
        super().__init__(name="runner", autocast=False)
        self.layer = layer

    def call(self, inputs: Tensor) -> Structure:
        return self.layer(inputs, training=False)


def _check_finite(name: str, array: np.ndarray) -> None:
    if not np.isfinite(array).all():
        what = {"layer": "`layer` must put out finite states"}
        raise ValueError(
            f"{what.get(name, f'`{name}` must be finite')}. Received: NaN or infinity"
        )


def _reduced(
    triangle: np.ndarray, states: np.ndarray, targets: np.ndarray
) -> np.ndarray:
    """The triangle of a QR decomposition of all rows so far; a row is a state, 1 for
    the bias, and the targets."""
    ones = np.ones((*states.shape[:-1], 1))
    rows = np.concatenate([states, ones, targets], axis=-1)
    rows = rows.reshape(-1, rows.shape[-1])
    for start in range(0, len(rows), ROWS):
        more = rows[start : start + ROWS]
        if len(triangle):
            more = np.concatenate([triangle, more])
        triangle = np.asarray(np.linalg.qr(more, mode="r"))
    return triangle


def _solution(triangle: np.ndarray, num_states: int, ridge: float) -> np.ndarray:
    """The weights `(n + 1, outputs)`, the last row the bias."""
    inputs, targets = np.split(triangle, [num_states + 1], axis=1)
    penalty = np.sqrt(ridge) * np.eye(num_states, num_states + 1)
    inputs = np.concatenate([inputs, penalty])
    targets = np.concatenate([targets, np.zeros((num_states, targets.shape[1]))])
    # Not by substitution: with no penalty the states may be linearly dependent.
    return np.linalg.lstsq(inputs, targets, rcond=None)[0]
