"""A loop whose body is compiled once, with a gradient on every backend."""

from collections.abc import Callable

import keras
from keras import ops

from .tensor_checks import Structure, Tensor


def repeat(
    count: int | Tensor,
    step: Callable[[Tensor, Structure], Structure],
    value: Structure,
) -> Structure:
    """What `value` becomes in a number of steps.

    Args:
        count: Number of steps; on TensorFlow also a scalar tensor.
        step: Takes the number of the step, from 0, and the value; returns the next
            value, of the same shapes and types.
        value: A tensor, or a tuple of tensors.
    Returns:
        The value after the last step.
    """
    if isinstance(count, int) and count == 0:
        return value  # A loop without steps would still be traced, on nothing.
    if keras.backend.backend() == "jax":
        # A `while_loop` has no gradient on JAX.
        steps = ops.arange(count, dtype="int32")
        value, _ = ops.scan(lambda value, i: (step(i, value), None), value, steps)
        return value
    # A `scan` has no bound on TensorFlow, without which XLA finds no gradient; nor does
    # it with a bound of 0.
    _, value = ops.while_loop(
        lambda index, _: index < count,
        lambda index, value: (index + 1, step(index, value)),
        (0, value),
        maximum_iterations=ops.maximum(count, 1),
    )
    return value
