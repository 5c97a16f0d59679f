"""Elman's simple recurrent network."""

from typing import Any

import keras
from keras import ops

from ..checks import check_boolean
from ..numerics.tensor_checks import Tensor
from .recurrent import RecurrentCell


@keras.saving.register_keras_serializable("memnets")
class ElmanCell(RecurrentCell):
    """h_t = activation(W x_t + U h_(t-1) + b): the context is a copy of the hidden
    units.

    Without the options it is `keras.layers.SimpleRNNCell` with logistic units.

    Args:
        units: Size of the hidden state, n.
        diagonal: Whether each hidden unit sees its own copy only, so that U is
            diagonal.
        truncated: Whether no gradient flows into the context. Elman trained so.
        activation: Any Keras activation, or None.
        **kwargs: See `RecurrentCell`.
    Call arguments:
        inputs: Tensor `(B, features)`.
        states: List of one tensor `(B, n)`.
    Returns:
        `(h, [h])`, h `(B, n)`.
    Raises:
        ValueError: If an argument is out of its range, or a shape is wrong.
        TypeError: If `diagonal` or `truncated` is not a boolean.
    Reference:
        Elman (1990), Finding Structure in Time.
    """

    def __init__(
        self,
        units: int,
        diagonal: bool = False,
        truncated: bool = False,
        activation: Any = "sigmoid",
        **kwargs: Any,
    ) -> None:
        super().__init__(units, activation, **kwargs)
        self.diagonal = check_boolean("diagonal", diagonal)
        self.truncated = check_boolean("truncated", truncated)

    def build_weights(self, features: int) -> None:
        self.kernel = self.kernel_weight("kernel", (features, self.units))
        shape = (1 if self.diagonal else self.units, self.units)
        self.recurrent_kernel = self.recurrent_weight("recurrent_kernel", shape)
        self.bias = self.bias_weight("bias", self.units)

    def step(self, inputs: Tensor, states: list[Tensor]) -> list[Tensor]:
        [context] = states
        if self.truncated:
            context = ops.stop_gradient(context)
        if self.diagonal:
            recurrent = context * self.recurrent_kernel
        else:
            recurrent = ops.matmul(context, self.recurrent_kernel)
        return [
            self.activation(ops.matmul(inputs, self.kernel) + recurrent + self.bias)
        ]

    def get_config(self) -> dict[str, Any]:
        return {
            **super().get_config(),
            "diagonal": self.diagonal,
            "truncated": self.truncated,
        }
