"""Cross-entropy with smoothed targets, as a Keras loss."""

from typing import Any

import keras

from ..checks import check_number
from .tensors import Tensor
from .token_loss import token_nats


@keras.saving.register_keras_serializable("memnets")
class SmoothedCrossEntropy(keras.losses.Loss):
    """Cross-entropy of the next token, averaged over the steps of weight 1, with a
    share of the probability on all tokens, see `token_nats`.

    Args:
        smoothing: The share.
    """

    def __init__(self, smoothing: float = 0.1, name: str | None = None) -> None:
        super().__init__(name=name, reduction="mean_with_sample_weight")
        self.smoothing = check_number("smoothing", smoothing, minimum=0, below=1)

    def call(self, y_true: Tensor, y_pred: Tensor) -> Tensor:
        return token_nats(y_true, y_pred, self.smoothing)

    def get_config(self) -> dict[str, Any]:
        return {"name": self.name, "smoothing": self.smoothing}
