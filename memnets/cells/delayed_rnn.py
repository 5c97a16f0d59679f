"""A recurrent network that sees its states of several earlier steps."""

from typing import Any

import keras
from keras import ops

from ..checks import check_integer, shorten
from ..numerics.tensor_checks import Tensor
from .recurrent import RecurrentCell


@keras.saving.register_keras_serializable("memnets")
class DelayedRNNCell(RecurrentCell):
    """h_t = activation(W x_t + sum_d U_d h_(t-d) + b).

    A gradient reaches d times as far back in as many steps. States before the first
    step are zero.

    Args:
        units: Size of the hidden state, n.
        delays: Numbers of steps d, from 1.
        activation: Any Keras activation, or None.
        **kwargs: See `RecurrentCell`.
    Call arguments:
        inputs: Tensor `(B, features)`.
        states: List of h `(B, n)`, and, if the longest delay D is above 1, the states
            before it, newest first, `(B, (D - 1) n)`.
    Returns:
        `(h, states)`.
    Raises:
        ValueError: If an argument is out of its range, or a shape is wrong.
    Reference:
        Lin, Horne, Tiño, Giles (1996), Learning Long-Term Dependencies in NARX
        Recurrent Neural Networks. Goodfellow, Bengio, Courville (2016), Deep Learning,
        section 10.9.1.
    """

    def __init__(
        self,
        units: int,
        delays: tuple[int, ...] = (1, 3),
        activation: Any = "tanh",
        **kwargs: Any,
    ) -> None:
        super().__init__(units, activation, **kwargs)
        if not isinstance(delays, (tuple, list)) or not delays:
            raise ValueError(
                f"`delays` must hold numbers of steps. Received: {shorten(delays)}"
            )
        self.delays = tuple(sorted({check_integer("delays", d) for d in delays}))
        self._kept = (self.delays[-1] - 1) * self.units
        self.state_size = [self.units, self._kept] if self._kept else [self.units]

    def build_weights(self, features: int) -> None:
        self.kernel = self.kernel_weight("kernel", (features, self.units))
        self.recurrent_kernels = [
            self.recurrent_weight(f"recurrent_kernel_{d}", (self.units, self.units))
            for d in self.delays
        ]
        self.bias = self.bias_weight("bias", self.units)

    def step(self, inputs: Tensor, states: list[Tensor]) -> list[Tensor]:
        # The state of d steps ago begins at (d - 1) n.
        earlier = ops.concatenate(states, axis=-1)
        values = ops.matmul(inputs, self.kernel) + self.bias
        for delay, kernel in zip(self.delays, self.recurrent_kernels, strict=True):
            end = delay * self.units
            values += ops.matmul(earlier[:, end - self.units : end], kernel)
        output = self.activation(values)
        return [output, earlier[:, : self._kept]] if self._kept else [output]

    def get_config(self) -> dict[str, Any]:
        return {
            **super().get_config(),
            "delays": self.delays,
        }
