"""Tensors and arrays of tokens and logits."""

from typing import Any, TypeAlias

import numpy as np

# A tensor of any backend: Keras has no type for them.
Tensor: TypeAlias = Any


def log_softmax(logits: np.ndarray) -> np.ndarray:
    """Log-probabilities of logits along the last axis, in float64; those of logits that
    are not all numbers are -inf."""
    logits = np.asarray(logits, float)
    with np.errstate(invalid="ignore"):
        shifted = logits - logits.max(axis=-1, keepdims=True)
        values = shifted - np.log(np.exp(shifted).sum(axis=-1, keepdims=True))
    return np.where(np.isnan(values), -np.inf, values)


def one_hot(
    tokens: Tensor, size: int, value: float = 1.0, *, mask_zero: bool = False
) -> Tensor:
    """Each token as a row `(size,)` in which one number is not 0.

    Args:
        tokens: Symbolic tokens `(B, T)`.
        size: Number of different tokens.
        value: That number.
        mask_zero: Whether token 0 is padding, which the layers after do not see.
    Returns:
        `(B, T, size)`.
    """
    import keras

    # Not keras.ops.one_hot: a file with a layer of Keras is loaded without doubts.
    rows = keras.layers.Embedding(
        *(size, size),
        embeddings_initializer=keras.initializers.Identity(gain=value),
        trainable=False,
        mask_zero=mask_zero,
        name="one_hot",
    )
    return rows(tokens)
