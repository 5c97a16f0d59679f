"""Hessian-free optimization of recurrent networks, on JAX."""

import dataclasses
from collections.abc import Callable

import jax
import jax.numpy as jnp
import keras
import numpy as np
from jax.flatten_util import ravel_pytree
from numpy.typing import ArrayLike

from memnets import native

from ..checks import check_integer, check_number, shorten
from .conjugate_gradients_jax import conjugate_gradients

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


@native.portable_path()
def hessian_free(
    model: keras.Model,
    x: ArrayLike,
    y: ArrayLike,
    *,
    loss: keras.Loss | str = "mse",
    hidden: keras.layers.Layer | str | None = None,
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
    _check_arguments(structural_damping, damping, steps, cg_steps, seed)
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
    weights = problem.start
    direction, done = jnp.zeros_like(weights), []
    for _ in range(steps):
        is_part = sequences < len(x)
        chosen = rng.permutation(len(x))[:sequences] if is_part else slice(None)
        part = x[chosen], y[chosen]
        value, slope, direction, promised, iterations = step(
            weights, KEPT_STEP * direction, damping, x, y, *part, cg_steps=cg_steps
        )
        scale, after = _line_search(
            lambda at: float(objective(at, x, y)),
            weights,
            direction,
            float(value),
            float(slope),
        )
        done.append(HessianFreeStep(float(value), damping, int(iterations), scale))
        weights = weights + scale * direction
        damping = _next_damping(damping, after - float(value), float(promised))
        problem.assign(weights)
        if on_step is not None:
            on_step(done[-1])
    return done


def _check_arguments(
    structural_damping: float, damping: float, steps: int, cg_steps: int, seed: int
) -> None:
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


class Problem:
    """The loss of a model as a function of one vector of weights, and its curvature.

    Args:
        model: A Keras model.
        loss: A Keras loss.
        hidden: The layer, or its name, whose outputs are kept; none if None.
        structural_damping: Mu.
    Attributes:
        start: The weights of the model as one vector.
    """

    def __init__(
        self,
        model: keras.Model,
        loss: keras.Loss,
        hidden: keras.layers.Layer | str | None,
        structural_damping: float,
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
        self.model = model
        variables = [v.value for v in model.trainable_variables]
        self.start, self.unravel = ravel_pytree(variables)
        # The same variables, in the order of the extended model.
        order = {id(v): place for place, v in enumerate(model.trainable_variables)}
        self._order = [order[id(v)] for v in self.extended.trainable_variables]

    def assign(self, weights: jax.Array) -> None:
        """Gives the model these weights."""
        values = self.unravel(weights)
        for variable, value in zip(self.model.trainable_variables, values, strict=True):
            variable.assign(value)

    def forward(
        self, weights: jax.Array, x: jax.Array
    ) -> tuple[jax.Array, jax.Array | None]:
        """The outputs, and the hidden states or None."""
        values = self.unravel(weights)
        found, _ = self.extended.stateless_call(
            [values[place] for place in self._order],
            [v.value for v in self.extended.non_trainable_variables],
            x,
        )
        return tuple(found) if self.has_hidden else (found, None)

    def objective(self, weights: jax.Array, x: jax.Array, y: jax.Array) -> jax.Array:
        """The loss."""
        return self.loss(y, self.forward(weights, x)[0])

    def product(
        self, weights: jax.Array, damping: jax.Array, x: jax.Array, y: jax.Array
    ) -> Callable[[jax.Array], jax.Array]:
        """The function that multiplies a vector by G + lambda (I + mu D)."""

        def forward(at: jax.Array) -> tuple[jax.Array, jax.Array | None]:
            return self.forward(at, x)

        (outputs, hidden), back = jax.vjp(forward, weights)
        slope = jax.grad(lambda at: self.loss(y, at))

        def multiply(vector: jax.Array) -> jax.Array:
            (change, moved) = jax.jvp(forward, (weights,), (vector,))[1]
            bent = jax.jvp(slope, (outputs,), (change,))[1]
            if self.has_hidden:
                # Half the squared change of the states, averaged over sequences.
                moved = damping * self.structural_damping / len(x) * moved
            return back((bent, moved))[0] + damping * vector

        return multiply

    def step(
        self,
        weights: jax.Array,
        first: jax.Array,
        damping: jax.Array,
        x: jax.Array,
        y: jax.Array,
        part_x: jax.Array,
        part_y: jax.Array,
        *,
        cg_steps: int,
    ) -> tuple[jax.Array, ...]:
        """The loss, its slope along the step, the step, what the quadratic model
        promises of it, and the number of iterations."""
        value, gradient = jax.value_and_grad(self.objective)(weights, x, y)
        multiply = self.product(weights, damping, part_x, part_y)
        direction, promised, iterations = conjugate_gradients(
            multiply, -gradient, first, cg_steps
        )
        return value, gradient @ direction, direction, promised, iterations


def _line_search(
    objective: Callable[[jax.Array], float],
    weights: jax.Array,
    direction: jax.Array,
    value: float,
    slope: float,
) -> tuple[float, float]:
    """By what to multiply a step so that the loss falls enough, and the loss then."""
    scale = 1.0
    for _ in range(HALVINGS):
        after = objective(weights + scale * direction)
        if after <= value + ARMIJO * scale * slope:
            return scale, after
        scale /= 2
    return 0.0, value


def _next_damping(damping: float, change: float, promised: float) -> float:
    """Lambda after a step, by the change of the loss over the promised change."""
    if promised == 0:
        return damping  # nothing to gain: the gradient is zero
    ratio = change / promised
    if ratio < DISTRUST or not np.isfinite(ratio):
        return damping * 3 / 2
    return damping * 2 / 3 if ratio > TRUST else damping
