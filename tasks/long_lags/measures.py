"""Keras metrics of tasks with one answer a sequence."""

from typing import Any

import keras
from keras import ops

from ..losses.finite_mean import FiniteMean
from ..losses.tensors import Tensor


def answers_of(outputs: Tensor, reading: str) -> Tensor:
    """The answers that outputs `(B, ...)` stand for.

    Args:
        outputs: Outputs of a model.
        reading: linear, sigmoid or softmax.
    """
    return keras.activations.get(reading)(outputs)


def targets_like(answers: Tensor, targets: Tensor, column: int = -1) -> Tensor:
    """Targets in the form of answers `(B, n)`.

    Args:
        answers: The answers.
        targets: Numbers of classes `(B,)`; or `(B, n)`. Of one answer there may be
            several columns: the first is noisy, the last is its mean.
        column: Which of several columns.
    """
    if len(targets.shape) == 1:
        targets = ops.one_hot(ops.cast(targets, "int32"), answers.shape[-1])
    elif answers.shape[-1] == 1:
        targets = ops.expand_dims(targets[:, column], -1)
    return ops.cast(targets, answers.dtype)


class _Answers(keras.metrics.Metric):
    """A metric of which answers are right: within a tolerance of their targets."""

    def __init__(
        self, outputs: str, tolerance: float, name: str, **kwargs: Any
    ) -> None:
        super().__init__(name=name, **kwargs)
        self.outputs = outputs
        self.tolerance = tolerance

    def wrong(self, y_true: Tensor, y_pred: Tensor) -> Tensor:
        """Whether each answer is wrong, `(B,)`. One that is not finite is."""
        answers = answers_of(ops.cast(y_pred, self.dtype), self.outputs)
        difference = ops.abs(answers - targets_like(answers, y_true))
        return ops.logical_not(ops.all(difference < self.tolerance, axis=-1))

    def get_config(self) -> dict[str, Any]:
        config = super().get_config()
        return {**config, "outputs": self.outputs, "tolerance": self.tolerance}


@keras.saving.register_keras_serializable("memnets")
class WrongAnswers(_Answers):
    """The share of wrong answers.

    Example:
        >>> metric = WrongAnswers("linear", 0.04)
        >>> metric.update_state(np.zeros((2, 1)), np.array([[0.03], [0.05]]))
        >>> float(metric.result())
        0.5
    """

    def __init__(
        self, outputs: str, tolerance: float, name: str = "wrong", **kwargs: Any
    ) -> None:
        super().__init__(outputs, tolerance, name, **kwargs)
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
        >>> metric = RightInARow("linear", 0.04)
        >>> zeros = np.zeros((3, 1))
        >>> metric.update_state(zeros, np.array([[1.0], [0.0], [0.0]]))
        >>> metric.update_state(zeros, zeros)
        >>> float(metric.result())
        5.0
    """

    def __init__(
        self,
        outputs: str,
        tolerance: float,
        name: str = "right_in_a_row",
        **kwargs: Any,
    ) -> None:
        super().__init__(outputs, tolerance, name, **kwargs)
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
class AbsoluteError(FiniteMean):
    """The mean absolute difference of answers and targets, without batches where it is
    not finite.

    Example:
        >>> metric = AbsoluteError("linear")
        >>> metric.update_state(np.array([[9.0, 1.0]]), np.array([[0.5]]))
        >>> float(metric.result())
        0.5
    """

    def __init__(self, outputs: str, name: str = "abs_error", **kwargs: Any) -> None:
        super().__init__(name=name, **kwargs)
        self.outputs = outputs

    def values(self, targets: Tensor, outputs: Tensor) -> Tensor:
        answers = answers_of(ops.cast(outputs, self.dtype), self.outputs)
        difference = ops.abs(answers - targets_like(answers, targets))
        return ops.mean(difference, axis=-1)

    def get_config(self) -> dict[str, Any]:
        return {**super().get_config(), "outputs": self.outputs}


@keras.saving.register_keras_serializable("memnets")
class MinkowskiError(keras.losses.Loss):
    """The sum of |answer - target|^R / R; with R = 2 half the squared error.

    The smaller R, the less a few large errors count. Of a target that is 1 with
    probability p, else 0, R = 2 learns p, and R = 1 the likelier of the two.

    Reference:
        Hochreiter, Schmidhuber (1997), Long Short-Term Memory, appendix A.1, has R = 2;
        Hanson, Burr (1988), Minkowski-r Back-Propagation, the others.
    Example:
        >>> float(MinkowskiError("linear")(np.array([[1.0]]), np.array([[0.0]])))
        0.5
    """

    def __init__(self, outputs: str, exponent: float = 2.0, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.outputs = outputs
        self.exponent = exponent

    def call(self, y_true: Tensor, y_pred: Tensor) -> Tensor:
        answers = answers_of(y_pred, self.outputs)
        targets = targets_like(answers, y_true, column=0)
        difference = answers - targets
        if self.exponent == 2:  # the derivative of the square needs no sign
            return ops.sum(difference**2, axis=-1) / 2
        powers = ops.abs(difference) ** self.exponent
        return ops.sum(powers, axis=-1) / self.exponent

    def get_config(self) -> dict[str, Any]:
        config = super().get_config()
        return {**config, "outputs": self.outputs, "exponent": self.exponent}
