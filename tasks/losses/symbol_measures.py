"""The loss and the Keras metric of tasks whose outputs are symbols."""

from collections.abc import Sequence
from typing import Any

import keras
from keras import ops

from .sequence_metric import SequenceErrors
from .tensors import Tensor

# A logit of a symbol that is no choice: its exponential is 0.
NO_CHOICE = -1e30


def parts_of(values: Tensor, groups: Sequence[int]) -> list[Tensor]:
    """Values `(..., sum(groups))` as one `(..., size)` for each group."""
    parts, first = [], 0
    for size in groups:
        parts.append(values[..., first : first + size])
        first += size
    return parts


def choices_of(targets: Tensor, logits: Tensor) -> Tensor:
    """The logits of a group, far below all others where a target is below 0."""
    return ops.where(targets < 0, ops.cast(NO_CHOICE, logits.dtype), logits)


@keras.saving.register_keras_serializable("memnets")
class GroupedCrossEntropy(keras.losses.Loss):
    """Cross-entropy in nats of groups of logits, averaged over the groups and over the
    steps of weight 1.

    Targets are `(B, T, sum(groups))`, each group one-hot. A group of zeros is not asked
    for, and costs nothing. A symbol whose target is below 0 is no choice: it is not
    part of the softmax.

    Args:
        groups: The number of symbols of each group.
    Example:
        >>> loss = GroupedCrossEntropy([2, 2])
        >>> round(float(loss(np.array([[[1.0, 0, 0, 0]]]), np.zeros((1, 1, 4)))), 4)
        0.3466
    """

    def __init__(self, groups: Sequence[int], name: str | None = None) -> None:
        super().__init__(name=name, reduction="mean_with_sample_weight")
        self.groups = tuple(groups)

    def call(self, y_true: Tensor, y_pred: Tensor) -> Tensor:
        targets = parts_of(y_true, self.groups)
        logits = parts_of(y_pred, self.groups)
        nats = sum(
            # The sum of a group of zeros is 0.
            -ops.sum(
                ops.where(target > 0, target * ops.log_softmax(choices, axis=-1), 0.0),
                axis=-1,
            )
            for target, choices in zip(
                targets, map(choices_of, targets, logits), strict=True
            )
        )
        return nats / len(self.groups)

    def get_config(self) -> dict[str, Any]:
        return {"name": self.name, "groups": self.groups}


@keras.saving.register_keras_serializable("memnets")
class SymbolErrors(SequenceErrors):
    """Wrong symbols per sequence. A group of zeros is not asked for, and a symbol whose
    target is below 0 is no choice.

    Args:
        groups: The number of symbols of each group.
    Example:
        >>> metric = SymbolErrors([2, 3])
        >>> targets = np.array([[[1.0, 0, 0, 0, 1], [0, 0, 1, 0, 0]]])
        >>> logits = np.array([[[0.0, 1, 0, 0, 1], [9, 0, 1, 0, 0]]])
        >>> metric.update_state(targets, logits)
        >>> float(metric.result())
        1.0
    """

    def __init__(
        self, groups: Sequence[int], name: str = "symbol_errors", **kwargs: Any
    ) -> None:
        super().__init__(name=name, **kwargs)
        self.groups = tuple(groups)

    def per_output(self, targets: Tensor, logits: Tensor) -> Tensor:
        wrong = []
        for target, answer in zip(
            parts_of(targets, self.groups), parts_of(logits, self.groups), strict=True
        ):
            chosen = ops.argmax(choices_of(target, answer), axis=-1)
            right = ops.equal(ops.argmax(target, axis=-1), chosen)
            # One that is not finite is wrong.
            right = ops.logical_and(right, ops.all(ops.isfinite(answer), axis=-1))
            asked = ops.any(target > 0.5, axis=-1)
            wrong.append(ops.logical_and(asked, ops.logical_not(right)))
        return ops.cast(ops.stack(wrong, axis=-1), self.dtype)

    def get_config(self) -> dict[str, Any]:
        return {**super().get_config(), "groups": self.groups}


@keras.saving.register_keras_serializable("memnets")
class StringCrossEntropy(GroupedCrossEntropy):
    """Cross-entropy in nats of symbols, summed over the steps of weight 1 and averaged
    over the sequences.

    Args:
        groups: The number of symbols of each group.
    Example:
        >>> loss = StringCrossEntropy([2])
        >>> round(float(loss(np.eye(2)[[[0, 1], [1, 1]]], np.zeros((2, 2, 2)))), 4)
        1.3863
    """

    def __init__(self, groups: Sequence[int], name: str | None = None) -> None:
        super().__init__(groups, name)
        self.reduction = "sum"

    def call(self, y_true: Tensor, y_pred: Tensor) -> Tensor:
        nats = super().call(y_true, y_pred)
        return nats / ops.cast(ops.shape(y_pred)[0], nats.dtype)


@keras.saving.register_keras_serializable("memnets")
class SymbolAccuracy(SymbolErrors):
    """Share of the symbols asked for that are right, over all sequences. A symbol whose
    target is below 0 is no choice.

    Args:
        groups: The number of symbols of each group.
    Example:
        >>> metric = SymbolAccuracy([2])
        >>> targets = np.array([[[1.0, 0], [0, 1], [1, 0], [0, 0]]])
        >>> metric.update_state(targets, np.array([[[0.0, 1]] * 4]))
        >>> round(float(metric.result()), 4)
        0.3333
    """

    def __init__(
        self, groups: Sequence[int], name: str = "accuracy", **kwargs: Any
    ) -> None:
        super().__init__(groups, name, **kwargs)
        self.asked = self.add_weight(name="asked", initializer="zeros")

    def update_state(
        self, y_true: Tensor, y_pred: Tensor, sample_weight: Tensor = None
    ) -> None:
        super().update_state(y_true, y_pred, sample_weight)
        asked = sum(
            ops.cast(ops.any(target > 0.5, axis=-1), self.dtype)
            for target in parts_of(y_true, self.groups)
        )
        if sample_weight is not None:
            asked = asked * ops.cast(sample_weight, self.dtype)
        self.asked.assign_add(ops.sum(asked))

    def result(self) -> Tensor:
        # NaN if nothing was asked for.
        return 1 - self.total / self.asked
