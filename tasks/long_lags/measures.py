"""Keras metrics of tasks with one answer a sequence."""

from typing import Any

import keras
from keras import ops

Tensor = Any


class _Answers(keras.metrics.Metric):
    """A metric of which answers are right: within a tolerance of their targets.

    Of classes, targets are numbers `(B,)` and outputs are logits. Of one number, the
    last column of the targets counts.
    """

    def __init__(self, tolerance: float, name: str, **kwargs: Any) -> None:
        super().__init__(name=name, **kwargs)
        self.tolerance = tolerance

    def wrong(self, y_true: Tensor, y_pred: Tensor) -> Tensor:
        """Whether each answer is wrong, `(B,)`. One that is not finite is."""
        y_pred = ops.cast(y_pred, self.dtype)
        if len(y_true.shape) == 1:
            classes = y_pred.shape[-1]
            y_true = ops.one_hot(ops.cast(y_true, "int32"), classes)
            y_pred = ops.softmax(y_pred)
        elif y_pred.shape[-1] == 1:
            y_true = y_true[:, -1:]
        difference = ops.abs(y_pred - ops.cast(y_true, self.dtype))
        return ops.logical_not(ops.all(difference < self.tolerance, axis=-1))

    def get_config(self) -> dict[str, Any]:
        return {**super().get_config(), "tolerance": self.tolerance}


@keras.saving.register_keras_serializable("memnets")
class WrongAnswers(_Answers):
    """The share of wrong answers.

    Example:
        >>> metric = WrongAnswers(0.04)
        >>> metric.update_state(np.zeros((2, 1)), np.array([[0.03], [0.05]]))
        >>> float(metric.result())
        0.5
    """

    def __init__(self, tolerance: float, name: str = "wrong", **kwargs: Any) -> None:
        super().__init__(tolerance, name, **kwargs)
        self.total = self.add_weight(name="total", initializer="zeros")
        self.answers = self.add_weight(name="answers", initializer="zeros")

    def update_state(
        self, y_true: Tensor, y_pred: Tensor, sample_weight: Tensor = None
    ) -> None:
        wrong = ops.cast(self.wrong(y_true, y_pred), self.dtype)
        self.total.assign_add(ops.sum(wrong))
        self.answers.assign_add(ops.sum(ops.ones_like(wrong)))

    def result(self) -> Tensor:
        return self.total / self.answers


@keras.saving.register_keras_serializable("memnets")
class RightInARow(_Answers):
    """How many of the last answers were right, without a wrong one between them.

    Example:
        >>> metric = RightInARow(0.04)
        >>> zeros = np.zeros((3, 1))
        >>> metric.update_state(zeros, np.array([[1.0], [0.0], [0.0]]))
        >>> metric.update_state(zeros, zeros)
        >>> float(metric.result())
        5.0
    """

    def __init__(
        self, tolerance: float, name: str = "right_in_a_row", **kwargs: Any
    ) -> None:
        super().__init__(tolerance, name, **kwargs)
        self.count = self.add_weight(name="count", initializer="zeros")

    def update_state(
        self, y_true: Tensor, y_pred: Tensor, sample_weight: Tensor = None
    ) -> None:
        wrong = ops.cast(self.wrong(y_true, y_pred), self.dtype)
        # From the end, answers are right until the first wrong one.
        before_a_wrong_one = ops.flip(ops.cumsum(ops.flip(wrong))) < 0.5
        right = ops.sum(ops.cast(before_a_wrong_one, self.dtype))
        some_wrong = ops.max(wrong) > 0.5
        self.count.assign(ops.where(some_wrong, right, self.count + right))

    def result(self) -> Tensor:
        return ops.convert_to_tensor(self.count)


@keras.saving.register_keras_serializable("memnets")
class AbsoluteError(keras.metrics.Mean):
    """Mean absolute difference of a number and the last column of its targets.

    Example:
        >>> metric = AbsoluteError()
        >>> metric.update_state(np.array([[9.0, 1.0]]), np.array([[0.5]]))
        >>> float(metric.result())
        0.5
    """

    def __init__(self, name: str = "abs_error", **kwargs: Any) -> None:
        super().__init__(name=name, **kwargs)

    def update_state(
        self, y_true: Tensor, y_pred: Tensor, sample_weight: Tensor = None
    ) -> None:
        y_true = ops.cast(y_true[:, -1:], self.dtype)
        super().update_state(ops.abs(ops.cast(y_pred, self.dtype) - y_true))


@keras.saving.register_keras_serializable("memnets")
class NoisyTargetLoss(keras.losses.MeanSquaredError):
    """The mean squared error to the first column of the targets."""

    def call(self, y_true: Tensor, y_pred: Tensor) -> Tensor:
        return super().call(y_true[:, :1], y_pred)


def noisy_target_loss() -> keras.losses.Loss:
    """The loss of targets with noise, beside which their means stand for measures."""
    return NoisyTargetLoss()
