"""Conjugate gradients, on JAX."""

from collections.abc import Callable

import jax
import jax.numpy as jnp

# Martens (2010): CG stops when so many iterations brought less than this share of the
# progress for each of them.
LEAST_PROGRESS = 5e-4


def conjugate_gradients(
    multiply: Callable[[jax.Array], jax.Array],
    target: jax.Array,
    start: jax.Array,
    most: int,
) -> tuple[jax.Array, jax.Array, jax.Array]:
    """Minimises d A d / 2 - target d.

    Args:
        multiply: The function that multiplies a vector by A, which is symmetric and
            positive definite.
        target: The vector.
        start: The first d.
        most: Most iterations.
    Returns:
        d, the minimum that it reaches, and the number of iterations.
    Reference:
        Martens (2010), section 4.4, on when to stop.
    """

    def go_on(state: tuple) -> jax.Array:
        index, *_, values = state
        # Progress over the last tenth of the iterations, at least ten.
        window = jnp.maximum(10, index // 10)
        now, then = values[index], values[jnp.maximum(index - window, 0)]
        stalled = (now < 0) & ((now - then) / now < window * LEAST_PROGRESS)
        return (index < most) & ~((index > window) & stalled) & (state[4] > 0)

    def improve(state: tuple) -> tuple:
        index, found, residual, direction, square, values = state
        product = multiply(direction)
        curvature = direction @ product
        # A direction can be so short that its curvature is 0 in floats: it ends here.
        rate = jnp.where(curvature == 0, 0.0, square / curvature)
        found = found + rate * direction
        residual = residual - rate * product
        next_square = residual @ residual
        direction = residual + next_square / square * direction
        value = -0.5 * (found @ (residual + target))
        return (
            *(index + 1, found, residual, direction, next_square),
            values.at[index + 1].set(value),
        )

    residual = target - multiply(start)
    values = jnp.zeros(most + 1, target.dtype)
    values = values.at[0].set(-0.5 * (start @ (residual + target)))
    state: tuple = (0, start, residual, residual, residual @ residual, values)
    index, found, *_, values = jax.lax.while_loop(go_on, improve, state)
    return found, values[index], index
