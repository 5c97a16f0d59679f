"""Optimizers that survive steps whose gradients are not finite."""

from typing import Any

import keras
from keras import ops

from memnets import backends

from ..checks import check_choice, check_integer

Tensor = Any

ON_NONFINITE = ("skip", "random")


class Guarded(keras.optimizers.Optimizer):
    """An optimizer that skips a step whose gradients are not all finite, or takes a
    random one.

    A skipped step changes only the counts: not the weights, the moments, or the
    position in the schedule of the learning rate.

    With `on_nonfinite="random"`, the gradient of such a step is replaced by v u / |u|,
    where u is Gaussian and v is `global_clipnorm`: a step in a random direction, which
    typically leaves the place where numbers overflow. The optimizer goes on with it as
    with any other gradient. The state of the random numbers is one of its variables, so
    that a resumed run draws what an uninterrupted one draws.

    Args:
        *args: Arguments of the optimizer of Keras.
        on_nonfinite: "skip" or "random".
        seed: Seed of the random steps; drawn by Keras if None.
        **kwargs: Arguments of the optimizer of Keras.
    Attributes:
        skipped: Number of steps whose gradients were not finite.
        consecutive_skips: Number of them since the last finite step.
        nonfinite: For each trainable variable, whether its gradient was not finite at
            the first of the consecutive ones.
    Raises:
        ValueError: If `on_nonfinite` has another value, or is "random" without a
            `global_clipnorm`.
    Reference:
        Goodfellow, Bengio, Courville, Deep Learning, section 10.7.7 of the draft: the
        random step.
    """

    def __init__(
        self,
        *args: Any,
        on_nonfinite: str = "skip",
        seed: int | None = None,
        **kwargs: Any,
    ) -> None:
        super().__init__(*args, **kwargs)
        self.on_nonfinite = check_choice("on_nonfinite", on_nonfinite, ON_NONFINITE)
        self.seed = seed if seed is None else check_integer("seed", seed, minimum=0)
        if self.on_nonfinite == "random" and self.global_clipnorm is None:
            raise ValueError(
                "`on_nonfinite='random'` needs a `global_clipnorm`, the size of the "
                "random step. Received: global_clipnorm=None"
            )

    def build(self, variables: list[keras.Variable]) -> None:
        super().build(variables)
        self.skipped = self.add_variable((), dtype="int32", name="skipped")
        self.consecutive_skips = self.add_variable(
            (), dtype="int32", name="consecutive_skips"
        )
        self.nonfinite = self.add_variable(
            (len(variables),), dtype="bool", name="nonfinite"
        )
        if self.on_nonfinite == "random":
            self._generator = keras.random.SeedGenerator(self.seed)
            # An attribute that is a variable is saved with the optimizer.
            self.random_state = self._generator.state

    def apply(
        self,
        grads: list[Tensor | None],
        trainable_variables: list[keras.Variable] | None = None,
    ) -> None:
        if not self.built:
            # Build before Keras does: a skip needs the variables.
            self.build(list(trainable_variables or ()))
        # Keras leaves out a weight that the loss does not depend on.
        known = [ops.zeros(()) if gradient is None else gradient for gradient in grads]
        nonfinite = ~backends.current().all_finite(known)
        finite = ~ops.any(nonfinite)
        if self._has_nothing_to_do(finite):
            super().apply(grads, trainable_variables)
            return
        if self.on_nonfinite == "random":
            super().apply(self._or_random(grads, finite), trainable_variables)
        else:
            self._apply_or_skip(grads, trainable_variables, finite)
        first = ops.logical_and(~finite, ops.equal(self.consecutive_skips.value, 0))
        self.nonfinite.assign(ops.where(first, nonfinite, self.nonfinite.value))
        self.skipped.assign_add(ops.cast(~finite, "int32"))
        self.consecutive_skips.assign(
            ops.where(finite, 0, self.consecutive_skips.value + 1)
        )

    def _has_nothing_to_do(self, finite: Tensor) -> bool:
        """Whether a step is known to be like one of Keras, after another such one."""
        return (
            backends.current().runs_eagerly
            and self.on_nonfinite == "skip"
            and bool(finite)
            and not int(self.consecutive_skips.value)
        )

    def _or_random(
        self, grads: list[Tensor | None], finite: Tensor
    ) -> list[Tensor | None]:
        """The gradients, or random ones of the norm `global_clipnorm`."""
        # Drawn at every step: what is drawn depends on the number of steps alone.
        random = [
            gradient
            if gradient is None
            else keras.random.normal(
                gradient.shape, dtype=gradient.dtype, seed=self._generator
            )
            for gradient in grads
        ]
        norm = ops.sqrt(sum(ops.sum(own**2) for own in random if own is not None))
        size = self.global_clipnorm / norm
        return [
            gradient if gradient is None else ops.where(finite, gradient, size * drawn)
            for gradient, drawn in zip(grads, random, strict=True)
        ]

    def _apply_or_skip(
        self,
        grads: list[Tensor | None],
        trainable_variables: list[keras.Variable] | None,
        finite: Tensor,
    ) -> None:
        if backends.current().runs_eagerly:
            if bool(finite):
                super().apply(grads, trainable_variables)
            return
        counts = (self.skipped, self.consecutive_skips, self.nonfinite)
        guarded = [v for v in self.variables if all(v is not count for count in counts)]
        guarded += self._trainable_variables
        # Copy: TensorFlow may read a variable only after its update.
        before = [ops.copy(variable.value) for variable in guarded]
        super().apply(grads, trainable_variables)
        for variable, value in zip(guarded, before, strict=True):
            variable.assign(ops.where(finite, variable.value, value))

    def nonfinite_names(self) -> list[str]:
        """Paths of the variables whose gradient was not finite, see `nonfinite`."""
        flags = ops.convert_to_numpy(self.nonfinite)
        return [
            variable.path
            for variable, flag in zip(self._trainable_variables, flags, strict=True)
            if flag
        ]

    def get_config(self) -> dict[str, Any]:
        return {
            **super().get_config(),
            "on_nonfinite": self.on_nonfinite,
            "seed": self.seed,
        }


def _fastest(optimizer: Any) -> Any:
    """The class of what an optimizer of Keras makes: on PyTorch one that updates all
    variables together."""
    # Without its variables: they would start the threads of the backend at import, and
    # a process that is forked afterwards waits for them without end.
    return type(optimizer.__new__(optimizer))


@keras.saving.register_keras_serializable("memnets")
class GuardedAdam(Guarded, _fastest(keras.optimizers.Adam)):  # type: ignore[misc]
    """Adam that survives such steps, see `Guarded`."""


@keras.saving.register_keras_serializable("memnets")
class GuardedSGD(Guarded, _fastest(keras.optimizers.SGD)):  # type: ignore[misc]
    """Gradient descent that survives such steps, see `Guarded`."""


@keras.saving.register_keras_serializable("memnets")
class GuardedRMSprop(Guarded, _fastest(keras.optimizers.RMSprop)):  # type: ignore[misc]
    """RMSprop that survives such steps, see `Guarded`."""


@keras.saving.register_keras_serializable("memnets")
class GuardedAdagrad(Guarded, _fastest(keras.optimizers.Adagrad)):  # type: ignore[misc]
    """AdaGrad that survives such steps, see `Guarded`."""


@keras.saving.register_keras_serializable("memnets")
class GuardedAdadelta(Guarded, _fastest(keras.optimizers.Adadelta)):  # type: ignore[misc]
    """Adadelta that survives such steps, see `Guarded`."""
