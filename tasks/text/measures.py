"""The Keras metric of models of text."""

import math
from typing import Any

import keras

from ..token_loss import token_nats

Tensor = Any


@keras.saving.register_keras_serializable("memnets")
class BitsPerCharacter(keras.metrics.Mean):
    """Bits of the next character, a mean over the steps of weight 1.

    Example:
        >>> metric = BitsPerCharacter()
        >>> metric.update_state(np.array([[0, 1]]), np.zeros((1, 2, 4)))
        >>> float(metric.result())
        2.0
    """

    def __init__(self, name: str = "bits_per_character", **kwargs: Any) -> None:
        super().__init__(name=name, **kwargs)

    def update_state(
        self, y_true: Tensor, y_pred: Tensor, sample_weight: Tensor = None
    ) -> None:
        nats = token_nats(y_true, y_pred)
        super().update_state(nats / math.log(2), sample_weight=sample_weight)


@keras.saving.register_keras_serializable("memnets")
class BitsPerToken(BitsPerCharacter):
    """The same of tokens that are pieces of words, or words."""

    def __init__(self, name: str = "bits_per_token", **kwargs: Any) -> None:
        super().__init__(name=name, **kwargs)
