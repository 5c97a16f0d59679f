"""Optimizers that skip steps whose gradients are not finite."""

from typing import Any

import keras
from keras import ops


class Guarded(keras.optimizers.Optimizer):
    """An optimizer that skips a step whose gradients are not all finite.

    A skipped step changes only the counts: not the weights, the moments, or the
    position in the schedule of the learning rate.

    Attributes:
        skipped: Number of skipped steps.
        consecutive_skips: Number of steps skipped since the last one that was taken.
        nonfinite: For each trainable variable, whether its gradient was not finite at
            the first of the consecutive skips.
    """

    def build(self, variables: list) -> None:
        super().build(variables)
        self.skipped = self.add_variable((), dtype="int32", name="skipped")
        self.consecutive_skips = self.add_variable(
            (), dtype="int32", name="consecutive_skips"
        )
        self.nonfinite = self.add_variable(
            (len(variables),), dtype="bool", name="nonfinite"
        )

    def apply(self, grads: list, trainable_variables: Any = None) -> None:
        if not self.built:
            # Build before Keras does: the copies below need the variables.
            self.build(list(trainable_variables))
        nonfinite = ops.stack([~ops.all(ops.isfinite(gradient)) for gradient in grads])
        finite = ~ops.any(nonfinite)
        counts = (self.skipped, self.consecutive_skips, self.nonfinite)
        guarded = [v for v in self.variables if all(v is not count for count in counts)]
        guarded += self._trainable_variables
        # Copy: TensorFlow may read a variable only after its update.
        before = [ops.copy(variable.value) for variable in guarded]
        super().apply(grads, trainable_variables)
        for variable, value in zip(guarded, before, strict=True):
            variable.assign(ops.where(finite, variable.value, value))
        first = ops.logical_and(~finite, ops.equal(self.consecutive_skips.value, 0))
        self.nonfinite.assign(ops.where(first, nonfinite, self.nonfinite.value))
        self.skipped.assign_add(ops.cast(~finite, "int32"))
        self.consecutive_skips.assign(
            ops.where(finite, 0, self.consecutive_skips.value + 1)
        )

    def nonfinite_names(self) -> list[str]:
        """Paths of the variables whose gradient was not finite, see `nonfinite`."""
        flags = ops.convert_to_numpy(self.nonfinite)
        return [
            variable.path
            for variable, flag in zip(self._trainable_variables, flags, strict=True)
            if flag
        ]


@keras.saving.register_keras_serializable("memnets")
class GuardedAdam(Guarded, keras.optimizers.Adam):
    """Adam that skips a step whose gradients are not all finite, see `Guarded`."""


@keras.saving.register_keras_serializable("memnets")
class GuardedSGD(Guarded, keras.optimizers.SGD):
    """Gradient descent that skips such a step, see `Guarded`."""
