"""The loss of an epoch, without the batches where it is not finite."""

import math
from typing import Any

import keras
from keras import ops

Tensor = Any


class MeanLoss(keras.metrics.Mean):
    """Mean of a loss over the batches where it is finite; NaN if there are none.

    The loss that Keras reports is NaN for the whole epoch if it is NaN for one batch,
    although `GuardedAdam` skips the step of that batch.

    Args:
        loss: A Keras loss.
    """

    def __init__(
        self, loss: keras.Loss, name: str = "mean_loss", **kwargs: Any
    ) -> None:
        super().__init__(name=name, **kwargs)
        self.loss = loss

    def update_state(
        self, y_true: Tensor, y_pred: Tensor, sample_weight: Tensor | None = None
    ) -> None:
        loss = self.loss(y_true, y_pred, sample_weight)
        finite = ops.isfinite(loss)
        super().update_state(
            ops.where(finite, loss, 0.0), sample_weight=ops.cast(finite, self.dtype)
        )

    def result(self) -> Tensor:
        # Not 0, which would be the best loss of all.
        return ops.where(self.count > 0, super().result(), math.nan)
