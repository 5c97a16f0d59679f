"""A simple recurrent network whose first step has a term of its own."""

from typing import Any

import keras
from keras import ops

from ..numerics.tensor_checks import Tensor
from .recurrent import RecurrentCell


@keras.saving.register_keras_serializable("memnets")
class FirstStepRNNCell(RecurrentCell):
    """h_t = activation(W x_t + W_hh h_(t-1) + b), where W_hh h_0 is a learned vector.

    The first state is unknown, and so is what it contributes: the vector stands for
    their product. A layer that shall use it after `reset_state` is `memnets.MemoryRNN`.

    Args:
        units: Size of the hidden state, n.
        activation: Any Keras activation, or None.
        **kwargs: See `RecurrentCell`.
    Call arguments:
        inputs: Tensor `(B, features)`.
        states: List of two tensors `(B, n)`: the output h, and W_hh h.
    Returns:
        `(h, [h, W_hh h])`.
    Raises:
        ValueError: If an argument is out of its range, or a shape is wrong.
    Reference:
        Sutskever, Martens, Hinton (2011), Generating Text with Recurrent Neural
        Networks, eq. 1.
    """

    def __init__(self, units: int, activation: Any = "tanh", **kwargs: Any) -> None:
        super().__init__(units, activation, **kwargs)
        self.state_size = [self.units, self.units]

    def build_weights(self, features: int) -> None:
        super().build_weights(features)
        self.first_term = self.add_weight(
            name="first_term", shape=(self.units,), initializer="zeros"
        )

    def get_initial_state(self, batch_size: int | Tensor = None) -> list[Tensor]:
        """Zeros `(B, n)`, and the learned term of the first step."""
        output, term = super().get_initial_state(batch_size)
        if not self.built:  # asked for the shapes alone
            return [output, term]
        return [output, term + ops.cast(self.first_term, term.dtype)]

    def step(self, inputs: Tensor, states: list[Tensor]) -> list[Tensor]:
        _, term = states
        output = self.activation(ops.matmul(inputs, self.kernel) + term + self.bias)
        return [output, ops.matmul(output, self.recurrent_kernel)]
