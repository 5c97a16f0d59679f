"""A recurrent network of leaky units, each with a time constant."""

import math
import numbers
from typing import Any

import keras
import numpy as np
from keras import ops

from ..checks import check_boolean, check_number, shorten
from ..numerics.tensor_checks import Tensor
from .recurrent import RecurrentCell

LOG_UNIFORM = "log-uniform"


@keras.saving.register_keras_serializable("memnets")
class LeakyRNNCell(RecurrentCell):
    """h_t = (1 - 1/tau) h_(t-1) + (1/tau) activation(W x_t + U h_(t-1) + b).

    A unit remembers some tau steps. With tau 1 it is `keras.layers.SimpleRNNCell`;
    with weights that are drawn and not trained it is the reservoir of an echo state
    network.

    Args:
        units: Size of the hidden state, n.
        time_constants: tau, from 1: a number, one number for each unit, or
            `("log-uniform", low, high)` to draw one for each unit.
        learned: Whether tau is trained, as 1 + softplus of a weight.
        activation: Any Keras activation, or None.
        **kwargs: See `RecurrentCell`.
    Call arguments:
        inputs: Tensor `(B, features)`.
        states: List of one tensor `(B, n)`.
    Returns:
        `(h, [h])`, h `(B, n)`.
    Raises:
        ValueError: If an argument is out of its range, a trained tau begins at 1, or a
            shape is wrong.
        TypeError: If `learned` is not a boolean.
    Reference:
        Mozer (1992), Induction of Multiscale Temporal Structure. Jaeger et al. (2007),
        Optimization and Applications of Echo State Networks with Leaky-Integrator
        Neurons. Goodfellow, Bengio, Courville (2016), Deep Learning, section 10.9.2.
    """

    def __init__(
        self,
        units: int,
        time_constants: Any = 1.0,
        learned: bool = False,
        activation: Any = "tanh",
        **kwargs: Any,
    ) -> None:
        super().__init__(units, activation, **kwargs)
        self.learned = check_boolean("learned", learned)
        self.time_constants: Any = _checked(time_constants, self.units, self.learned)

    def build_weights(self, features: int) -> None:
        super().build_weights(features)
        if self.learned or self._are_drawn:
            self.time_weight = self.add_weight(
                name="time_weight",
                shape=(self.units,),
                initializer=self._first_time_weight,
                trainable=self.learned,
            )

    @property
    def _are_drawn(self) -> bool:
        return isinstance(self.time_constants, tuple) and (
            self.time_constants[0] == LOG_UNIFORM
        )

    def _first_time_weight(
        self, shape: tuple[int, ...], dtype: str | None = None
    ) -> Tensor:
        if self._are_drawn:
            low, high = (math.log(bound) for bound in self.time_constants[1:])
            constants = ops.exp(keras.random.uniform(shape, low, high, dtype="float32"))
        else:
            constants = np.broadcast_to(np.array(self.time_constants, "float32"), shape)
        # The inverse of 1 + softplus, which no constant of exactly 1 has.
        excess = ops.maximum(ops.convert_to_tensor(constants) - 1, 1e-6)
        # The same as log(expm1(excess)), which overflows.
        return ops.cast(excess + ops.log(-ops.expm1(-excess)), dtype)

    def _time_constants(self) -> Tensor:
        if self.learned or self._are_drawn:
            return 1 + ops.softplus(self.time_weight)
        return ops.cast(np.array(self.time_constants, "float32"), self.compute_dtype)

    def step(self, inputs: Tensor, states: list[Tensor]) -> list[Tensor]:
        [hidden] = states
        values = ops.matmul(inputs, self.kernel)
        values += ops.matmul(hidden, self.recurrent_kernel)
        values = self.activation(values + self.bias)
        return [hidden + (values - hidden) / self._time_constants()]

    def get_config(self) -> dict[str, Any]:
        return {
            **super().get_config(),
            "time_constants": self.time_constants,
            "learned": self.learned,
        }


def _checked(value: Any, units: int, learned: bool) -> float | tuple[Any, ...]:
    """Time constants as a number or a tuple."""
    bounds = {"above": 1} if learned else {"minimum": 1}
    if isinstance(value, numbers.Number):
        return check_number("time_constants", value, **bounds)
    if isinstance(value, (tuple, list)):
        if len(value) == 3 and value[0] == LOG_UNIFORM:
            low, high = (
                check_number("time_constants", bound, **bounds) for bound in value[1:]
            )
            if low <= high:
                return (LOG_UNIFORM, low, high)
        elif len(value) == units:
            return tuple(check_number("time_constants", one, **bounds) for one in value)
    raise ValueError(
        f"`time_constants` must be a number, one for each of the {units} units, or "
        f"('{LOG_UNIFORM}', low, high). Received: time_constants={shorten(value)}"
    )
