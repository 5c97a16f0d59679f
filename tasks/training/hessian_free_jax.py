"""Hessian-free optimization of recurrent networks, on JAX."""

import dataclasses
from collections.abc import Callable
from typing import Any

import jax
import jax.numpy as jnp
import keras
import numpy as np
from jax.flatten_util import ravel_pytree

from ..checks import check_integer, check_number, shorten

# Martens (2010): CG stops when so many iterations brought less than this share of the
# progress for each of them.
LEAST_PROGRESS = 5e-4
# Martens (2010): CG begins with this share of the last step.
KEPT_STEP = 0.95
# Levenberg and Marquardt's rule: the damping grows where the quadratic model promises
# too much, and shrinks where it can be trusted.
DISTRUST, TRUST = 1 / 4, 3 / 4
# Sufficient decrease of the line search, and how often it may halve a step.
ARMIJO, HALVINGS = 1e-2, 20


@dataclasses.dataclass(frozen=True)
class HessianFreeStep:
    """What a step came to.

    Attributes:
        loss: The loss before the step, without damping.
        damping: Lambda, during the step.
        iterations: Iterations of conjugate gradients.
        scale: By what the line search multiplied the step; 0 if it was given up.
    """

    loss: float
    damping: float
    iterations: int
    scale: float


def hessian_free(
    model: Any,
    x: Any,
    y: Any,
    *,
    loss: Any = "mse",
    hidden: Any = None,
    structural_damping: float = 0.1,
    damping: float = 10.0,
    steps: int = 160,
    cg_steps: int = 150,
    curvature_sequences: int | None = None,
    seed: int = 1,
    on_step: Callable[[HessianFreeStep], None] | None = None,
) -> list[HessianFreeStep]:
    """Trains a model by Hessian-free optimization, in place.

    Each step minimises g d + d (G + lambda (I + mu D)) d / 2 with conjugate gradients.
    g is the gradient, G the Gauss-Newton matrix. D is that of the change of the hidden
    states, which structural damping keeps small: a small change of the weights of a
    recurrent network may change them a lot. No matrix is formed.

    Deviation: without the preconditioner of Martens (2010), and without going back to
    earlier iterates of the conjugate gradients.

    Args:
        model: A Keras model, trained where it stands.
        x: Its inputs, `(B, ...)`.
        y: Its targets.
        loss: A Keras loss, or its name; convex in the outputs.
        hidden: The recurrent layer whose outputs structural damping keeps, or its name;
            none if None.
        structural_damping: Mu.
        damping: Lambda of the first step.
        steps: Number of steps.
        cg_steps: Most iterations of conjugate gradients in a step.
        curvature_sequences: So many sequences, drawn anew in each step, stand for all
            in the products with G and D; all if None.
        seed: Seed of that draw.
        on_step: Called after each step.
    Returns:
        The steps.
    Raises:
        RuntimeError: If the backend is not JAX.
        ValueError: If a number is out of its range, or there is no such layer.
    Reference:
        Martens (2010), Deep learning via Hessian-free optimization. Martens, Sutskever
        (2011), Learning recurrent neural networks with Hessian-free optimization.
        Sutskever, Martens, Hinton (2011), Generating text with recurrent neural
        networks, section 5.2.
    """
    if keras.backend.backend() != "jax":
        raise RuntimeError(
            "Hessian-free optimization needs the JAX backend: set KERAS_BACKEND=jax. "
            f"Received: {keras.backend.backend()}"
        )
    check_number("structural_damping", structural_damping, minimum=0)
    check_number("damping", damping, above=0)
    check_integer("steps", steps)
    check_integer("cg_steps", cg_steps)
    check_integer("seed", seed, minimum=0)
    x, y = np.asarray(x), np.asarray(y)
    if len(x) != len(y):
        raise ValueError(
            f"`y` must hold a target for each of {len(x)} sequences. Received: {len(y)}"
        )
    sequences = len(x) if curvature_sequences is None else curvature_sequences
    check_integer("curvature_sequences", sequences, maximum=len(x))
    problem = Problem(model, keras.losses.get(loss), hidden, structural_damping)
    step = jax.jit(problem.step, static_argnames="cg_steps")
    objective = jax.jit(problem.objective)
    rng = np.random.default_rng(seed)
    weights, unravel = ravel_pytree([v.value for v in model.trainable_variables])
    direction, done = jnp.zeros_like(weights), []
    for _ in range(steps):
        chosen = rng.permutation(len(x))[:sequences] if sequences < len(x) else slice(0)
        part = (x[chosen], y[chosen]) if sequences < len(x) else (x, y)
        value, slope, direction, promised, iterations = step(
            weights, KEPT_STEP * direction, damping, x, y, *part, cg_steps=cg_steps
        )
        scale, after = _line_search(
            lambda s, w=weights, d=direction: float(objective(w + s * d, x, y)),
            float(value),
            float(slope),
        )
        done.append(HessianFreeStep(float(value), damping, int(iterations), scale))
        weights = weights + scale * direction
        damping = _next_damping(damping, after - float(value), float(promised))
        values = unravel(weights)
        for variable, value in zip(model.trainable_variables, values, strict=True):
            variable.assign(value)
        if on_step is not None:
            on_step(done[-1])
    return done


class Problem:
    """The loss of a model as a function of one vector of weights, and its curvature.

    Args:
        model: A Keras model.
        loss: A Keras loss.
        hidden: The layer, or its name, whose outputs are kept; none if None.
        structural_damping: Mu.
    """

    def __init__(
        self, model: Any, loss: Any, hidden: Any, structural_damping: float
    ) -> None:
        layer = model.get_layer(hidden) if isinstance(hidden, str) else hidden
        if layer is not None and layer not in model.layers:
            raise ValueError(
                f"`hidden` must be a layer of the model. Received: {shorten(hidden)}"
            )
        outputs = model.output if layer is None else [model.output, layer.output]
        self.extended = keras.Model(model.input, outputs)
        self.has_hidden = layer is not None
        # Losses by name have a value for each sequence.
        self.loss = lambda y, outputs: jnp.mean(loss(y, outputs))
        self.structural_damping = structural_damping
        variables = [v.value for v in model.trainable_variables]
        self.unravel = ravel_pytree(variables)[1]
        # The same variables, in the order of the extended model.
        order = {id(v): place for place, v in enumerate(model.trainable_variables)}
        self._order = [order[id(v)] for v in self.extended.trainable_variables]

    def forward(self, weights: Any, x: Any) -> tuple[Any, Any]:
        """The outputs, and the hidden states or None."""
        values = self.unravel(weights)
        found, _ = self.extended.stateless_call(
            [values[place] for place in self._order],
            [v.value for v in self.extended.non_trainable_variables],
            x,
        )
        return tuple(found) if self.has_hidden else (found, None)

    def objective(self, weights: Any, x: Any, y: Any) -> Any:
        """The loss."""
        return self.loss(y, self.forward(weights, x)[0])

    def product(self, weights: Any, damping: Any, x: Any, y: Any) -> Callable:
        """The function that multiplies a vector by G + lambda (I + mu D)."""

        def forward(at):
            return self.forward(at, x)

        (outputs, hidden), back = jax.vjp(forward, weights)
        slope = jax.grad(lambda at: self.loss(y, at))

        def multiply(vector):
            (change, moved) = jax.jvp(forward, (weights,), (vector,))[1]
            bent = jax.jvp(slope, (outputs,), (change,))[1]
            if self.has_hidden:
                # Half the squared change of the states, averaged over sequences.
                moved = damping * self.structural_damping / len(x) * moved
            return back((bent, moved))[0] + damping * vector

        return multiply

    def step(
        self,
        weights: Any,
        first: Any,
        damping: Any,
        x: Any,
        y: Any,
        part_x: Any,
        part_y: Any,
        *,
        cg_steps: int,
    ) -> tuple[Any, ...]:
        """The loss, its slope along the step, the step, what the quadratic model
        promises of it, and the number of iterations."""
        value, gradient = jax.value_and_grad(self.objective)(weights, x, y)
        multiply = self.product(weights, damping, part_x, part_y)
        direction, promised, iterations = conjugate_gradients(
            multiply, -gradient, first, cg_steps
        )
        return value, gradient @ direction, direction, promised, iterations


def conjugate_gradients(
    multiply: Callable, target: Any, start: Any, most: int
) -> tuple[Any, Any, Any]:
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

    def go_on(state):
        index, *_, values = state
        # Progress over the last tenth of the iterations, at least ten.
        window = jnp.maximum(10, index // 10)
        now, then = values[index], values[jnp.maximum(index - window, 0)]
        stalled = (now < 0) & ((now - then) / now < window * LEAST_PROGRESS)
        return (index < most) & ~((index > window) & stalled) & (state[4] > 0)

    def improve(state):
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
    state = (0, start, residual, residual, residual @ residual, values)
    index, found, *_, values = jax.lax.while_loop(go_on, improve, state)
    return found, values[index], index


def _line_search(objective, value, slope):
    """By what to multiply a step so that the loss falls enough, and the loss then."""
    scale = 1.0
    for _ in range(HALVINGS):
        after = objective(scale)
        if after <= value + ARMIJO * scale * slope:
            return scale, after
        scale /= 2
    return 0.0, value


def _next_damping(damping, change, promised):
    """Lambda after a step, by the change of the loss over the promised change."""
    if promised == 0:
        return damping  # nothing to gain: the gradient is zero
    ratio = change / promised
    if ratio < DISTRUST or not np.isfinite(ratio):
        return damping * 3 / 2
    return damping * 2 / 3 if ratio > TRUST else damping
