"""Keras metrics that are a mean over sequences."""

from typing import Any

import keras
from keras import ops

from .tensors import Tensor


class SequenceMetric(keras.metrics.Metric):
    """Mean over sequences of a value for each output, summed over the steps of
    weight 1.

    Sequences with an output that is not finite do not count.
    """

    def __init__(self, name: str, **kwargs: Any) -> None:
        super().__init__(name=name, **kwargs)
        self.total = self.add_weight(name="total", initializer="zeros")
        self.sequences = self.add_weight(name="sequences", initializer="zeros")

    def per_output(self, targets: Tensor, logits: Tensor) -> Tensor:
        """The value of each output, `(B, T, n)`."""
        raise NotImplementedError

    def counts(self, logits: Tensor) -> Tensor:
        """Whether each sequence counts, `(B,)`."""
        return ops.all(ops.isfinite(logits), axis=(1, 2))

    def update_state(
        self, y_true: Tensor, y_pred: Tensor, sample_weight: Tensor = None
    ) -> None:
        values = self.per_output(
            ops.cast(y_true, self.dtype), ops.cast(y_pred, self.dtype)
        )
        values = ops.sum(values, axis=-1)  # (B, T)
        if sample_weight is not None:
            values = values * ops.cast(sample_weight, self.dtype)
        counts = self.counts(y_pred)
        values = ops.where(counts, ops.sum(values, axis=1), 0.0)
        self.total.assign_add(ops.sum(values))
        self.sequences.assign_add(ops.sum(ops.cast(counts, self.dtype)))

    def result(self) -> Tensor:
        # NaN if no sequence counted: 0 would be a success.
        return self.total / self.sequences


class SequenceErrors(SequenceMetric):
    """The same of errors: every sequence counts, and an output that is not finite is
    wrong."""

    def counts(self, logits: Tensor) -> Tensor:
        return ops.ones_like(logits[:, 0, 0], dtype="bool")
