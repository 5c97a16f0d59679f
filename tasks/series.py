"""Series on which recurrent networks, echo state networks above all, are compared."""

import numpy as np

from .checks import check_integer, check_number

# Mackey and Glass (1977), with the values of Jaeger (2001), section 6.
GAIN, DECAY, POWER = 0.2, 0.1, 10
# Jaeger (2001), eq. 23: ten steps of the integration make one of the series.
STEPS_PER_UNIT = 10
# Heuristic: constant histories, within the range of the series.
HISTORIES = (0.5, 1.3)
# Heuristic: far above a series that does not diverge, which stays below 1.3.
DIVERGED = 10.0
# Heuristic: of a million steps one series in a thousand does not diverge.
TRIES = 100


def narma10(steps: int, rng: np.random.Generator) -> tuple[np.ndarray, np.ndarray]:
    """A nonlinear system of order 10 with random inputs, to be identified.

    y(t+1) = 0.3 y(t) + 0.05 y(t) (y(t) + ... + y(t-9)) + 1.5 u(t-9) u(t) + 0.1, with u
    uniform from 0 to 0.5, and zeros before the first step. On some inputs, 9 of 300
    times 5,000, the system diverges. Such inputs are drawn again.

    Args:
        steps: Length of the series, T.
        rng: Draws the inputs.
    Returns:
        `(u, y)`, arrays `(T,)`. At step t a network sees u(t) and should put out
        y(t+1), which is the entry t of the second array.
    Raises:
        ValueError: If `steps` is not a positive integer, or so large that every series
            diverges: about half of those of 100,000 steps do, and are drawn again.
        TypeError: If `rng` is not a NumPy generator.
    Reference:
        Atiya, Parlos (2000), New Results on Recurrent Network Training: Unifying the
        Algorithms and Accelerating Convergence, eq. 86. Jaeger (2003), Adaptive
        Nonlinear System Identification with Echo State Networks.
    Example:
        >>> u, y = narma10(500, np.random.default_rng(0))
        >>> u.shape, y.shape
        ((500,), (500,))
    """
    steps = check_integer("steps", steps)
    _check_rng(rng)
    for _ in range(TRIES):
        inputs = rng.uniform(0, 0.5, steps)
        outputs = _narma10_outputs(inputs)
        if abs(outputs).max() < DIVERGED:
            return inputs, outputs
    raise ValueError(
        f"`steps` must be fewer: {TRIES} series diverged. Received: steps={steps}"
    )


def _narma10_outputs(inputs: np.ndarray) -> np.ndarray:
    earlier = np.concatenate([np.zeros(9), inputs])
    # The values y(t-9) ... y(t) of step t begin at t.
    values = np.zeros(len(inputs) + 10)
    for t in range(len(inputs)):
        last = values[t + 9]
        values[t + 10] = (
            0.3 * last
            + 0.05 * last * values[t : t + 10].sum()
            + 1.5 * earlier[t] * inputs[t]
            + 0.1
        )
        if not abs(values[t + 10]) < DIVERGED:
            break
    return values[10:]


def mackey_glass(
    steps: int, rng: np.random.Generator, *, tau: float = 17, transient: int = 1000
) -> np.ndarray:
    """A series that is chaotic for tau above 16.8, and must be predicted.

    x'(t) = 0.2 x(t-tau) / (1 + x(t-tau)^10) - 0.1 x(t), sampled once a unit of time.

    Deviation: the integration is by the method of Heun with ten steps a unit, where
    Jaeger (2001) takes as many steps of the method of Euler. It needs the delayed value
    at the same places and has an error of second order.

    Args:
        steps: Length of the series, T.
        rng: Draws the history: a constant before the first step, from 0.5 to 1.3.
        tau: The delay, a multiple of 0.1 from 0.1.
        transient: Steps that are left out at the beginning, in which the history fades.
    Returns:
        Array `(T,)`.
    Raises:
        ValueError: If an argument is out of its range.
        TypeError: If `rng` is not a NumPy generator.
    Reference:
        Mackey, Glass (1977), Oscillation and Chaos in Physiological Control Systems.
        Jaeger (2001), The "Echo State" Approach to Analysing and Training Recurrent
        Neural Networks, GMD Report 148, section 6, eqs. 22, 23.
    Example:
        >>> mackey_glass(500, np.random.default_rng(0)).shape
        (500,)
    """
    steps = check_integer("steps", steps)
    transient = check_integer("transient", transient, minimum=0)
    _check_rng(rng)
    delay = round(check_number("tau", tau, minimum=0.1) * STEPS_PER_UNIT)
    if abs(delay - tau * STEPS_PER_UNIT) > 1e-9:
        raise ValueError(f"`tau` must be a multiple of 0.1. Received: tau={tau}")
    step = 1 / STEPS_PER_UNIT
    # A list: its numbers are read several times faster than those of an array.
    values = [float(rng.uniform(*HISTORIES))] * (delay + 1)
    for index in range((steps + transient) * STEPS_PER_UNIT):
        now = values[-1]
        slope = _slope(now, values[index])
        next_slope = _slope(now + step * slope, values[index + 1])
        values.append(now + step / 2 * (slope + next_slope))
    return np.array(values[delay + STEPS_PER_UNIT :: STEPS_PER_UNIT])[transient:]


def _slope(value: float, delayed: float) -> float:
    return GAIN * delayed / (1 + delayed**POWER) - DECAY * value


def _check_rng(rng: np.random.Generator) -> None:
    if not isinstance(rng, np.random.Generator):
        raise TypeError(
            "`rng` must be a NumPy generator, such as np.random.default_rng(1). "
            f"Received: rng={rng!r}"
        )
