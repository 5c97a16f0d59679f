"""Jordan's network: what recurs is the output."""

from typing import Any

import keras
from keras import ops

from ..checks import check_boolean, check_number
from ..numerics.tensor_checks import Tensor, check_size
from .recurrent import RecurrentCell, as_activation


@keras.saving.register_keras_serializable("memnets")
class JordanCell(RecurrentCell):
    """A network whose context is a fading trace of its outputs.

        c_t = self_connection c_(t-1) + y_(t-1)
        h_t = activation(W_x x_t + W_c c_t + b_h)
        y_t = output_activation(W_y h_t + b_y)

    With `self_connection=0` it is the network with output recurrence. With
    `teacher_forcing` the last `outputs` features of the inputs are the targets of the
    step before, which replace y_(t-1).

    Args:
        units: Size of the hidden layer, n.
        outputs: Size of the output, m.
        self_connection: What is kept of the context in a step, from 0 to 1.
        activation: Of the hidden layer: any Keras activation, or None.
        output_activation: Of the output.
        teacher_forcing: Whether the inputs hold the targets.
        **kwargs: See `RecurrentCell`.
    Call arguments:
        inputs: Tensor `(B, features)`.
        states: List of two tensors `(B, m)`: the output, and the context.
    Returns:
        `(y, [y, c])`, each `(B, m)`.
    Raises:
        ValueError: If an argument is out of its range, a shape is wrong, or the inputs
            are no wider than the targets that they hold.
        TypeError: If `teacher_forcing` is not a boolean.
    Reference:
        Jordan (1986), Attractor Dynamics and Parallelism in a Connectionist Sequential
        Machine. Goodfellow, Bengio, Courville (2016), Deep Learning, section 10.2.1.
    """

    def __init__(
        self,
        units: int,
        outputs: int,
        self_connection: float = 0.5,
        activation: Any = "tanh",
        output_activation: Any = "linear",
        teacher_forcing: bool = False,
        **kwargs: Any,
    ) -> None:
        super().__init__(units, activation, **kwargs)
        self.outputs = check_size("outputs", outputs)
        self.self_connection = check_number(
            "self_connection", self_connection, minimum=0, maximum=1
        )
        self.output_activation = as_activation("output_activation", output_activation)
        self.teacher_forcing = check_boolean("teacher_forcing", teacher_forcing)
        self.state_size = [self.outputs, self.outputs]
        self.output_size = self.outputs

    def build_weights(self, features: int) -> None:
        if self.teacher_forcing:
            features -= self.outputs
            if features < 1:
                raise ValueError(
                    "`inputs` must hold features before the targets of "
                    f"`teacher_forcing`. Received: {features + self.outputs} features, "
                    f"outputs={self.outputs}"
                )
        self.kernel = self.kernel_weight("kernel", (features, self.units))
        self.context_kernel = self.recurrent_weight(
            "context_kernel", (self.outputs, self.units)
        )
        self.bias = self.bias_weight("bias", self.units)
        self.output_kernel = self.kernel_weight(
            "output_kernel", (self.units, self.outputs)
        )
        self.output_bias = self.bias_weight("output_bias", self.outputs)

    def step(self, inputs: Tensor, states: list[Tensor]) -> list[Tensor]:
        previous, context = states
        if self.teacher_forcing:
            previous = inputs[:, -self.outputs :]
            inputs = inputs[:, : -self.outputs]
        context = self.self_connection * context + previous
        hidden = ops.matmul(inputs, self.kernel)
        hidden += ops.matmul(context, self.context_kernel)
        hidden = self.activation(hidden + self.bias)
        output = ops.matmul(hidden, self.output_kernel) + self.output_bias
        return [self.output_activation(output), context]

    def get_config(self) -> dict[str, Any]:
        serialize = keras.activations.serialize
        return {
            **super().get_config(),
            "outputs": self.outputs,
            "self_connection": self.self_connection,
            "output_activation": serialize(self.output_activation),
            "teacher_forcing": self.teacher_forcing,
        }
