"""The loss of models that predict the next token."""

from typing import Any


def next_token_loss() -> Any:
    """Cross-entropy of the next token, averaged over the steps of weight 1."""
    import keras

    return keras.losses.SparseCategoricalCrossentropy(
        from_logits=True, reduction="mean_with_sample_weight"
    )
