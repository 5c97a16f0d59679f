"""Tokens as inputs of a network."""

from .tensor import Tensor


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
