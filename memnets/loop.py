"""A loop whose body is compiled once, with a gradient on every backend."""

from collections.abc import Callable
from typing import Any

import keras
from keras import ops


def repeat(count: Any, step: Callable[[Any, Any], Any], value: Any) -> Any:
    """What `value` becomes in a number of steps.

    Args:
        count: Number of steps; on TensorFlow also a scalar tensor.
        step: Takes the number of the step, from 0, and the value; returns the next
            value, of the same shapes and types.
        value: A tensor.
    Returns:
        The value after the last step.
    """
    if keras.backend.backend() == "jax":
        # A `while_loop` has no gradient on JAX.
        return ops.fori_loop(0, count, step, value)
    # A `fori_loop` has no bound on TensorFlow, without which XLA finds no gradient.
    _, value = ops.while_loop(
        lambda index, _: index < count,
        lambda index, value: (index + 1, step(index, value)),
        (0, value),
        maximum_iterations=count,
    )
    return value
