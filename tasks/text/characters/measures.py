"""The Keras metrics of tasks that write characters."""

from typing import Any

import keras
from keras import ops

from ...losses.tensors import Tensor


class _Right(keras.metrics.Mean):
    """A mean over sequences of which characters are right.

    Targets are tokens `(B, T)`, outputs are logits `(B, T, tokens)`. A sequence with an
    output that is not finite has no character right.
    """

    def update_state(
        self, y_true: Tensor, y_pred: Tensor, sample_weight: Tensor = None
    ) -> None:
        right = ops.equal(ops.argmax(y_pred, axis=-1), ops.cast(y_true, "int32"))
        finite = ops.all(ops.isfinite(y_pred), axis=(1, 2))
        right = ops.cast(ops.logical_and(right, finite[:, None]), self.dtype)
        counts = ops.ones_like(right) if sample_weight is None else sample_weight
        counts = ops.cast(counts, self.dtype)
        shares = ops.sum(right * counts, axis=1) / ops.sum(counts, axis=1)
        super().update_state(self.of_shares(shares))

    def of_shares(self, shares: Tensor) -> Tensor:
        """The value of sequences with these shares of right characters, `(B,)`."""
        raise NotImplementedError


@keras.saving.register_keras_serializable("memnets")
class ForcedCharacters(_Right):
    """The share of right characters, with teacher forcing; a mean over sequences.

    Example:
        >>> metric = ForcedCharacters()
        >>> logits = np.eye(3)[[[1, 2, 2, 0]]]
        >>> metric.update_state([[1, 2, 1, 1]], logits, [[1.0, 1.0, 1.0, 0.0]])
        >>> round(float(metric.result()), 3)
        0.667
    """

    def __init__(self, name: str = "forced_characters", **kwargs: Any) -> None:
        super().__init__(name=name, **kwargs)

    def of_shares(self, shares: Tensor) -> Tensor:
        return shares


@keras.saving.register_keras_serializable("memnets")
class ForcedAnswers(_Right):
    """The share of answers whose characters are all right, with teacher forcing.

    Example:
        >>> metric = ForcedAnswers()
        >>> metric.update_state([[1, 2], [1, 1]], np.eye(3)[[[1, 2], [1, 2]]])
        >>> float(metric.result())
        0.5
    """

    def __init__(self, name: str = "forced_answers", **kwargs: Any) -> None:
        super().__init__(name=name, **kwargs)

    def of_shares(self, shares: Tensor) -> Tensor:
        # A share is a sum of ones over their number: exactly 1 if all are right.
        return ops.cast(shares >= 1, self.dtype)
