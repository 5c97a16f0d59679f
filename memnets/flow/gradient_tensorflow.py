"""Differentiation on TensorFlow."""

from collections.abc import Callable
from typing import Any

import tensorflow as tf

from ..numerics.tensor_checks import Tensor


def gradient(function: Callable[[Tensor], Tensor], at: Tensor) -> Tensor:
    """The gradient of a scalar function of a tensor, which may be differentiated again.

    Args:
        function: Takes the tensor; uses `keras.ops`.
        at: The tensor.
    """
    with tf.GradientTape() as tape:
        tape.watch(at)
        value = function(at)
    return tape.gradient(value, at, unconnected_gradients="zero")


def gradient_at_zero(
    function: Callable[[Tensor | None], tuple[Tensor, Any]],
    example: Callable[[Any], Tensor],
) -> tuple[Tensor, Any]:
    """The gradient of a function at zero, whose shape follows from what else the
    function returns.

    Args:
        function: Takes a tensor, or None for zero; returns a scalar and other tensors.
        example: Which of the other tensors has the shape of the argument.
    Returns:
        The gradient and the other tensors.
    """
    _, results = function(None)
    zeros = tf.zeros_like(example(results))
    with tf.GradientTape() as tape:
        tape.watch(zeros)
        value, results = function(zeros)
    return tape.gradient(value, zeros, unconnected_gradients="zero"), results
