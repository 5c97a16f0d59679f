"""The clockwork RNN: modules of units that move at different speeds."""

import math
from typing import Any

import keras
import numpy as np
from keras import ops

from ..checks import check_integer, shorten
from ..numerics.tensor_checks import Tensor
from .recurrent import RecurrentCell


@keras.saving.register_keras_serializable("memnets")
class ClockworkRNNCell(RecurrentCell):
    """A simple RNN in modules; module i moves only at every T_i-th step.

    At the other steps its units keep their values. A module sees the modules that are
    as slow as itself or slower, so that U is block triangular. All move at the first
    step.

    Args:
        units: Size of the hidden state, n: the same number for each module.
        periods: T_i in steps, of each module; they are sorted.
        activation: Any Keras activation, or None.
        **kwargs: See `RecurrentCell`.
    Call arguments:
        inputs: Tensor `(B, features)`.
        states: List of two tensors: h `(B, n)`, and the time `(B, 1)`.
    Returns:
        `(h, [h, time])`.
    Raises:
        ValueError: If an argument is out of its range, the modules cannot have the same
            number of units, or a shape is wrong.
    Reference:
        Koutník, Greff, Gomez, Schmidhuber (2014), A Clockwork RNN.
    """

    needs_float32 = True  # bfloat16 counts to 256

    def __init__(
        self,
        units: int,
        periods: tuple[int, ...] = (1, 2, 4, 8),
        activation: Any = "tanh",
        **kwargs: Any,
    ) -> None:
        super().__init__(units, activation, **kwargs)
        if not isinstance(periods, (tuple, list)) or not periods:
            raise ValueError(
                "`periods` must hold the period of each module. "
                f"Received: periods={shorten(periods)}"
            )
        self.periods = tuple(sorted(check_integer("periods", p) for p in periods))
        if self.units % len(self.periods):
            raise ValueError(
                f"`units` must be a multiple of the {len(self.periods)} periods. "
                f"Received: units={self.units}"
            )
        # The time starts anew when all modules move, so that it stays exact. Of
        # coprime periods that may be far off: float32 counts to 2^24.
        self._cycle = math.lcm(*self.periods)
        if self._cycle > 2**24:
            raise ValueError(
                "`periods` must have a least common multiple of at most 2^24. "
                f"Received: periods={shorten(periods)}"
            )
        self.state_size = [self.units, 1]

    def _unit_periods(self) -> np.ndarray:
        return np.repeat(self.periods, self.units // len(self.periods))

    def step(self, inputs: Tensor, states: list[Tensor]) -> list[Tensor]:
        hidden, time = states
        periods = self._unit_periods()
        # From the unit of the row to the unit of the column.
        seen = (periods[:, None] >= periods[None, :]).astype("float32")
        kernel = self.recurrent_kernel * ops.cast(seen, self.compute_dtype)
        values = ops.matmul(inputs, self.kernel) + ops.matmul(hidden, kernel)
        values = self.activation(values + self.bias)
        steps = ops.cast(ops.round(time), "int32")
        moves = ops.equal(ops.mod(steps, periods[None].astype("int32")), 0)
        new_time = ops.mod(steps + 1, self._cycle)
        return [ops.where(moves, values, hidden), ops.cast(new_time, time.dtype)]

    def get_config(self) -> dict[str, Any]:
        return {
            **super().get_config(),
            "periods": self.periods,
        }
