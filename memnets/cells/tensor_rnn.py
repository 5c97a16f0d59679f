"""A recurrent network whose transition matrix is chosen by the input."""

import keras
from keras import ops

from ..numerics.tensor_checks import Tensor
from .recurrent import RecurrentCell


@keras.saving.register_keras_serializable("memnets")
class TensorRNNCell(RecurrentCell):
    """h_t = activation(W x_t + sum_m x_t[m] W_m h_(t-1) + b).

    A symbol given as a one-hot vector has a matrix of its own: M n² weights for M
    features and n units. `MultiplicativeRNNCell` has fewer.

    Args:
        units: Size of the hidden state, n.
        activation: Any Keras activation, or None.
        **kwargs: See `RecurrentCell`.
    Call arguments:
        inputs: Tensor `(B, features)`.
        states: List of one tensor `(B, n)`.
    Returns:
        `(h, [h])`, h `(B, n)`.
    Raises:
        ValueError: If an argument is out of its range, or a shape is wrong.
    Reference:
        Sutskever, Martens, Hinton (2011), Generating Text with Recurrent Neural
        Networks, eqs. 3 and 5.
    """

    def build_weights(self, features: int) -> None:
        self.kernel = self.kernel_weight("kernel", (features, self.units))
        # Features and units of one matrix product: an initializer sees a matrix.
        self.recurrent_kernel = self.recurrent_weight(
            "recurrent_kernel", (self.units, features * self.units)
        )
        self.bias = self.bias_weight("bias", self.units)

    def step(self, inputs: Tensor, states: list[Tensor]) -> list[Tensor]:
        [hidden] = states
        every = ops.matmul(hidden, self.recurrent_kernel)
        every = ops.reshape(every, (-1, self._features, self.units))
        recurrent = ops.sum(ops.expand_dims(inputs, -1) * every, axis=1)
        return [
            self.activation(ops.matmul(inputs, self.kernel) + recurrent + self.bias)
        ]
