"""A Keras metric that is a mean without the batches where it is not finite."""

import math

import keras
from keras import ops

from .tensors import Tensor


class FiniteMean(keras.metrics.Mean):
    """Mean over the batches where it is finite; NaN if there are none.

    A training step whose loss is not finite changes nothing, see `GuardedAdam`, and
    should not take the number of the whole epoch with it.
    """

    def values(self, targets: Tensor, outputs: Tensor) -> Tensor:
        """What the mean is of: `(B,)`, or `(B, T)` where the weights are of steps."""
        raise NotImplementedError

    def update_state(
        self, y_true: Tensor, y_pred: Tensor, sample_weight: Tensor = None
    ) -> None:
        before = self._copies()
        super().update_state(self.values(y_true, y_pred), sample_weight)
        # Only the sum is judged, so that a finite one is that of Keras to the bit.
        after = self._copies()
        finite = ops.isfinite(after[0])
        self.total.assign(ops.where(finite, after[0], before[0]))
        self.count.assign(ops.where(finite, after[1], before[1]))

    def _copies(self) -> tuple[Tensor, Tensor]:
        # On TensorFlow a variable that is read is no copy; a sum is.
        return self.total + 0.0, self.count + 0.0

    def result(self) -> Tensor:
        # Not 0, which would be the best value of all.
        return ops.where(self.count > 0, super().result(), math.nan)
