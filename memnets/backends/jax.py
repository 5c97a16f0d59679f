"""What JAX does in its own way."""

from collections.abc import Callable
from typing import Any

import jax
from keras import ops

from ..numerics.tensor_checks import Structure, Tensor
from .base import Backend


class JAX(Backend):
    """JAX. Gradients are compiled as a whole: by default, JAX would compile each of
    their operations."""

    compiles_decoding = True  # By default Keras would run it operation by operation.
    lists_devices = True

    def compiled(self, function: Callable) -> Callable:
        # LLVM's optimizations take longer than they save in one call.
        options = {"xla_backend_optimization_level": 0}
        return jax.jit(function, compiler_options=options)

    def fori_loop(
        self,
        count: int | Tensor,
        step: Callable[[Tensor, Structure], Structure],
        value: Structure,
    ) -> Structure:
        if isinstance(count, int) and count == 0:
            return value  # A loop without steps would still be traced, on nothing.
        # A `while_loop` has no gradient on JAX.
        steps = ops.arange(count, dtype="int32")
        value, _ = ops.scan(lambda value, i: (step(i, value), None), value, steps)
        return value

    def gradient(self, function: Callable[[Tensor], Tensor], at: Tensor) -> Tensor:
        return jax.jit(jax.grad(function))(at)

    def gradient_at_zero(
        self,
        function: Callable[[Tensor | None], tuple[Tensor, Any]],
        example: Callable[[Any], Tensor],
    ) -> tuple[Tensor, Any]:
        like = jax.eval_shape(lambda: example(function(None)[1]))
        zeros = jax.numpy.zeros(like.shape, like.dtype)
        return jax.jit(jax.grad(function, has_aux=True))(zeros)
