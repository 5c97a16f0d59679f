"""Differentiation on JAX.

Functions are compiled as a whole: JAX would compile each of their operations.
"""

from collections.abc import Callable
from typing import Any

import jax

from ..numerics.tensor_checks import Tensor


def gradient(function: Callable[[Tensor], Tensor], at: Tensor) -> Tensor:
    """The gradient of a scalar function of a tensor, which may be differentiated again.

    Args:
        function: Takes the tensor; uses `keras.ops`.
        at: The tensor.
    """
    return jax.jit(jax.grad(function))(at)


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
    like = jax.eval_shape(lambda: example(function(None)[1]))
    zeros = jax.numpy.zeros(like.shape, like.dtype)
    return jax.jit(jax.grad(function, has_aux=True))(zeros)
