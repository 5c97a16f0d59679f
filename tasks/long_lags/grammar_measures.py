"""The loss and the measure of a task that predicts the symbols of a grammar."""

from typing import Any

import keras
from keras import ops

from ..losses.tensors import Tensor


@keras.saving.register_keras_serializable("memnets")
class NextSymbolLoss(keras.losses.Loss):
    """Loss of the next symbol, over the steps of weight 1: the cross-entropy of a
    softmax, or half the sum of the squared errors of a sigmoid for each symbol.

    Targets are `(B, T, 2 symbols)`: the next symbol, then which may follow.
    """

    def __init__(self, symbols: int, outputs: str = "softmax", **kwargs: Any) -> None:
        super().__init__(**{"reduction": "mean_with_sample_weight", **kwargs})
        self.symbols = symbols
        self.outputs = outputs

    def call(self, y_true: Tensor, y_pred: Tensor) -> Tensor:
        following = y_true[..., : self.symbols]
        if self.outputs == "sigmoid":
            return ops.sum((ops.sigmoid(y_pred) - following) ** 2, axis=-1) / 2
        # Padding has no next symbol; it has no weight either.
        return ops.categorical_crossentropy(following, y_pred, from_logits=True)

    def get_config(self) -> dict[str, Any]:
        config = super().get_config()
        return {**config, "symbols": self.symbols, "outputs": self.outputs}


@keras.saving.register_keras_serializable("memnets")
class WrongStrings(keras.metrics.Mean):
    """The share of strings with a step at which an illegal symbol is as high as a
    legal one."""

    def __init__(self, symbols: int, name: str = "wrong", **kwargs: Any) -> None:
        super().__init__(name=name, **kwargs)
        self.symbols = symbols

    def update_state(
        self, y_true: Tensor, y_pred: Tensor, sample_weight: Tensor = None
    ) -> None:
        legal = y_true[..., self.symbols :] > 0.5
        far = ops.cast(1e30, y_pred.dtype)
        lowest = ops.min(ops.where(legal, y_pred, far), axis=-1)
        highest = ops.max(ops.where(legal, -far, y_pred), axis=-1)
        # A comparison that is not finite is not right.
        right = lowest > highest
        if sample_weight is not None:
            right = ops.logical_or(right, ops.cast(sample_weight, "float32") < 0.5)
        super().update_state(1 - ops.cast(ops.all(right, axis=-1), "float32"))

    def get_config(self) -> dict[str, Any]:
        return {**super().get_config(), "symbols": self.symbols}
