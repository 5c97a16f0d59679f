"""The loss and the Keras metrics of tasks whose outputs are logits of bits."""

import math
from typing import Any

import keras
from keras import ops

Tensor = Any


def masked_loss() -> keras.losses.Loss:
    """Cross-entropy of logits `(B, T, bits)`, averaged over the steps of weight 1, so
    that padding changes nothing. The weights are the mask, as `sample_weight`."""
    return keras.losses.BinaryCrossentropy(
        from_logits=True, reduction="mean_with_sample_weight"
    )


class PerSequence(keras.metrics.Metric):
    """Mean over sequences of a value per bit, summed over the steps of weight 1.

    Sequences with an output that is not finite do not count.
    """

    def __init__(self, name: str, **kwargs: Any) -> None:
        super().__init__(name=name, **kwargs)
        self.total = self.add_weight(name="total", initializer="zeros")
        self.sequences = self.add_weight(name="sequences", initializer="zeros")

    def per_bit(self, targets: Tensor, logits: Tensor) -> Tensor:
        """The value of each bit, `(B, T, bits)`."""
        raise NotImplementedError

    def update_state(
        self, y_true: Tensor, y_pred: Tensor, sample_weight: Tensor = None
    ) -> None:
        values = self.per_bit(
            ops.cast(y_true, self.dtype), ops.cast(y_pred, self.dtype)
        )
        values = ops.sum(values, axis=-1)  # (B, T)
        if sample_weight is not None:
            values = values * ops.cast(sample_weight, self.dtype)
        finite = ops.all(ops.isfinite(y_pred), axis=(1, 2))  # (B,)
        values = ops.where(finite, ops.sum(values, axis=1), 0.0)
        self.total.assign_add(ops.sum(values))
        self.sequences.assign_add(ops.sum(ops.cast(finite, self.dtype)))

    def result(self) -> Tensor:
        # NaN if no sequence counted: 0 would be a success.
        return self.total / self.sequences


@keras.saving.register_keras_serializable("memnets")
class BitErrors(PerSequence):
    """Wrong bits per sequence; a logit above 0 counts as the bit 1.

    Example:
        >>> metric = BitErrors()
        >>> metric.update_state(np.ones((1, 2, 3)), -np.ones((1, 2, 3)), [[0.0, 1.0]])
        >>> float(metric.result())
        3.0
    """

    def __init__(self, name: str = "bit_errors", **kwargs: Any) -> None:
        super().__init__(name=name, **kwargs)

    def per_bit(self, targets: Tensor, logits: Tensor) -> Tensor:
        return ops.cast(ops.not_equal(logits > 0, targets > 0.5), self.dtype)


@keras.saving.register_keras_serializable("memnets")
class BitsPerSequence(PerSequence):
    """Cross-entropy in bits per sequence, as the papers report it.

    Example:
        >>> metric = BitsPerSequence()
        >>> metric.update_state(np.ones((1, 2, 3)), np.zeros((1, 2, 3)))
        >>> round(float(metric.result()), 4)
        6.0
    """

    def __init__(self, name: str = "bits_per_sequence", **kwargs: Any) -> None:
        super().__init__(name=name, **kwargs)

    def per_bit(self, targets: Tensor, logits: Tensor) -> Tensor:
        nats = ops.binary_crossentropy(targets, logits, from_logits=True)
        return nats / math.log(2)
