"""A recurrent network with several layers between two states."""

from typing import Any

import keras
from keras import ops

from ..checks import check_boolean
from ..numerics.tensor_checks import Tensor, check_size
from .recurrent import RecurrentCell


@keras.saving.register_keras_serializable("memnets")
class DeepTransitionRNNCell(RecurrentCell):
    """An RNN whose step is a network of `depth` layers.

        a_1 = activation(W x_t + U h_(t-1) + b_1)
        a_k = activation(W_k a_(k-1) + b_k)
        h_t = a_depth

    With `skip`, U_s h_(t-1) is added before the last activation, so that the path from
    state to state is short again. Deep inputs and outputs are `Dense` layers before and
    after.

    Args:
        units: Size of the hidden state and of the layers, n.
        depth: Number of layers; 1 is `keras.layers.SimpleRNNCell`.
        skip: Whether there is a connection past the layers; needs a depth above 1.
        activation: Any Keras activation, or None.
        **kwargs: See `RecurrentCell`.
    Call arguments:
        inputs: Tensor `(B, features)`.
        states: List of one tensor `(B, n)`.
    Returns:
        `(h, [h])`, h `(B, n)`.
    Raises:
        ValueError: If an argument is out of its range, or a shape is wrong.
        TypeError: If `skip` is not a boolean.
    Reference:
        Pascanu, Gulcehre, Cho, Bengio (2014), How to Construct Deep Recurrent Neural
        Networks.
    """

    def __init__(
        self,
        units: int,
        depth: int = 2,
        skip: bool = False,
        activation: Any = "tanh",
        **kwargs: Any,
    ) -> None:
        super().__init__(units, activation, **kwargs)
        self.depth = check_size("depth", depth)
        self.skip = check_boolean("skip", skip)
        if self.skip and self.depth == 1:
            raise ValueError("`skip` needs a `depth` above 1. Received: depth=1")

    def build_weights(self, features: int) -> None:
        square = (self.units, self.units)
        super().build_weights(features)
        self.layer_kernels = [
            self.kernel_weight(f"layer_kernel_{k}", square)
            for k in range(2, self.depth + 1)
        ]
        self.layer_biases = [
            self.bias_weight(f"layer_bias_{k}", self.units)
            for k in range(2, self.depth + 1)
        ]
        if self.skip:
            self.skip_kernel = self.recurrent_weight("skip_kernel", square)

    def step(self, inputs: Tensor, states: list[Tensor]) -> list[Tensor]:
        [hidden] = states
        values = ops.matmul(inputs, self.kernel)
        values += ops.matmul(hidden, self.recurrent_kernel) + self.bias
        for kernel, bias in zip(self.layer_kernels, self.layer_biases, strict=True):
            values = ops.matmul(self.activation(values), kernel) + bias
        if self.skip:
            values += ops.matmul(hidden, self.skip_kernel)
        return [self.activation(values)]

    def get_config(self) -> dict[str, Any]:
        return {
            **super().get_config(),
            "depth": self.depth,
            "skip": self.skip,
        }
