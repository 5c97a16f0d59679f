"""Adam that leaves out what is not finite."""

import keras
from keras import ops


@keras.saving.register_keras_serializable("memnets")
class GuardedAdam(keras.optimizers.Adam):
    """Adam; a step whose gradients are not all finite changes nothing but the counts.

    Neither the weights nor the moments nor the schedule of the learning rate see it.

    Attributes:
        skipped: Number of steps left out.
        in_a_row: The same since the last step that was taken.
        broken: For each trainable variable, whether its gradient was not finite at the
            first of the steps of `in_a_row`.
    """

    def build(self, variables):
        super().build(variables)
        self.skipped = self.add_variable((), dtype="int32", name="skipped")
        self.in_a_row = self.add_variable((), dtype="int32", name="in_a_row")
        self.broken = self.add_variable((len(variables),), dtype="bool", name="broken")

    def apply(self, grads, trainable_variables=None):
        if not self.built:
            # Before Adam does it: what a first step changes must be known here.
            self.build(list(trainable_variables))
        broken = ops.stack([~ops.all(ops.isfinite(gradient)) for gradient in grads])
        finite = ~ops.any(broken)
        counts = (self.skipped, self.in_a_row, self.broken)
        guarded = [v for v in self.variables if all(v is not count for count in counts)]
        guarded += self._trainable_variables
        # Copies, as TensorFlow would give the new values where a variable is read late.
        before = [ops.copy(variable.value) for variable in guarded]
        super().apply(grads, trainable_variables)
        for variable, value in zip(guarded, before, strict=True):
            variable.assign(ops.where(finite, variable.value, value))
        first = ops.logical_and(~finite, ops.equal(self.in_a_row.value, 0))
        self.broken.assign(ops.where(first, broken, self.broken.value))
        self.skipped.assign_add(ops.cast(~finite, "int32"))
        self.in_a_row.assign(ops.where(finite, 0, self.in_a_row.value + 1))

    def broken_names(self) -> list[str]:
        """Paths of the variables whose gradient was not finite, see `broken`."""
        flags = ops.convert_to_numpy(self.broken)
        return [
            variable.path
            for variable, flag in zip(self._trainable_variables, flags, strict=True)
            if flag
        ]
