"""The loss and the Keras metric of stories."""

from typing import Any

import keras
from keras import ops

from ...losses.tensors import Tensor
from ...losses.token_loss import token_nats


@keras.saving.register_keras_serializable("memnets")
class AnswerCrossEntropy(keras.losses.Loss):
    """Cross-entropy of answers in nats.

    Targets are `(B, 1 + n)`: the token of the answer, and then what does not count
    here. Outputs are logits `(B, V)`.

    Example:
        >>> loss = AnswerCrossEntropy()
        >>> round(float(loss(np.array([[1, 0, 1]]), np.zeros((1, 4)))), 4)
        1.3863
    """

    def call(self, y_true: Tensor, y_pred: Tensor) -> Tensor:
        return token_nats(y_true[:, 0], y_pred)


@keras.saving.register_keras_serializable("memnets")
class AnswerErrors(keras.metrics.Mean):
    """The share of wrong answers; targets and outputs as of `AnswerCrossEntropy`.

    Example:
        >>> metric = AnswerErrors()
        >>> metric.update_state(np.array([[1, 0], [2, 1]]), np.eye(3)[[1, 1]])
        >>> float(metric.result())
        0.5
    """

    def __init__(self, name: str = "wrong", **kwargs: Any) -> None:
        super().__init__(name=name, **kwargs)

    def update_state(
        self, y_true: Tensor, y_pred: Tensor, sample_weight: Tensor = None
    ) -> None:
        answers = ops.cast(ops.argmax(y_pred, axis=-1), "int32")
        right = ops.equal(answers, ops.cast(y_true[:, 0], "int32"))
        # One that is not a number is wrong.
        right = ops.logical_and(right, ops.all(ops.isfinite(y_pred), axis=-1))
        super().update_state(1.0 - ops.cast(right, self.dtype), sample_weight)
