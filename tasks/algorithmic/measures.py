"""The loss and the Keras metrics of tasks whose outputs are logits of bits."""

import math
from typing import Any

import keras
from keras import ops

from ..losses.sequence_metric import SequenceErrors, SequenceMetric
from ..losses.tensors import Tensor


def masked_loss() -> keras.losses.Loss:
    """Cross-entropy of logits `(B, T, bits)`, averaged over the steps of weight 1, so
    that padding changes nothing. The weights are the mask, as `sample_weight`."""
    return keras.losses.BinaryCrossentropy(
        from_logits=True, reduction="mean_with_sample_weight"
    )


@keras.saving.register_keras_serializable("memnets")
class BitErrors(SequenceErrors):
    """Wrong bits per sequence; a logit above 0 counts as the bit 1, and one that is not
    finite as wrong.

    Example:
        >>> metric = BitErrors()
        >>> metric.update_state(np.ones((1, 2, 3)), -np.ones((1, 2, 3)), [[0.0, 1.0]])
        >>> float(metric.result())
        3.0
    """

    def __init__(self, name: str = "bit_errors", **kwargs: Any) -> None:
        super().__init__(name=name, **kwargs)

    def per_output(self, targets: Tensor, logits: Tensor) -> Tensor:
        other = ops.not_equal(logits > 0, targets > 0.5)
        wrong = ops.logical_or(other, ops.logical_not(ops.isfinite(logits)))
        return ops.cast(wrong, self.dtype)


@keras.saving.register_keras_serializable("memnets")
class BitsPerSequence(SequenceMetric):
    """Cross-entropy in bits per sequence, as the papers report it.

    Example:
        >>> metric = BitsPerSequence()
        >>> metric.update_state(np.ones((1, 2, 3)), np.zeros((1, 2, 3)))
        >>> round(float(metric.result()), 4)
        6.0
    """

    def __init__(self, name: str = "bits_per_sequence", **kwargs: Any) -> None:
        super().__init__(name=name, **kwargs)

    def per_output(self, targets: Tensor, logits: Tensor) -> Tensor:
        nats = ops.binary_crossentropy(targets, logits, from_logits=True)
        return nats / math.log(2)
