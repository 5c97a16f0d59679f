"""The losses of models that predict the next token."""

from typing import TYPE_CHECKING

from .tensors import Tensor

if TYPE_CHECKING:
    import keras

# On JAX Keras computes a cross-entropy with a row of zeros and a 1 for every token,
# which takes longer than all the rest where there are many tokens.


def token_nats(targets: Tensor, logits: Tensor, smoothing: float = 0.0) -> Tensor:
    """Cross-entropy of tokens, in nats.

    Args:
        targets: Tokens `(...)`, of any type of number.
        logits: `(..., V)`.
        smoothing: Share of the probability that all tokens have equally, instead of the
            target.
    Returns:
        A tensor `(...)`.
    Reference:
        Szegedy et al. (2016), Rethinking the Inception Architecture for Computer
        Vision, section 7, of the smoothing.
    """
    from keras import ops

    logits = ops.cast(logits, "float32")
    # Keras gives targets to a loss as float32.
    targets = ops.cast(targets, "int32")[..., None]
    right = ops.take_along_axis(logits, targets, axis=-1)[..., 0]
    if smoothing:
        mean = ops.mean(logits, axis=-1)
        right = (1 - smoothing) * right + smoothing * mean
    return ops.logsumexp(logits, axis=-1) - right


def next_token_loss() -> "keras.Loss":
    """Cross-entropy of the next token, averaged over the steps of weight 1."""
    import keras

    return keras.losses.SparseCategoricalCrossentropy(
        from_logits=True, reduction="mean_with_sample_weight"
    )
