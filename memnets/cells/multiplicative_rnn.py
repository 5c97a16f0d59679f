"""The multiplicative recurrent network: a tensor RNN in factors."""

from typing import Any

import keras
from keras import ops

from ..checks import check_boolean
from ..numerics.tensor_checks import Tensor, check_size
from .recurrent import RecurrentCell


@keras.saving.register_keras_serializable("memnets")
class MultiplicativeRNNCell(RecurrentCell):
    """An RNN whose inputs choose how its factors pass on the hidden state.

        f_t = (W_fx x_t) * (W_fh h_(t-1))
        h_t = activation(W_hf f_t + W_hx x_t)

    The transition matrix is W_hf diag(W_fx x_t) W_fh: one of `TensorRNNCell` with the
    same product has as many factors as features times units.

    Args:
        units: Size of the hidden state, n.
        factors: Number of factors, F.
        use_bias: Whether to add a bias to the hidden units; the paper has none.
        activation: Any Keras activation, or None.
        **kwargs: See `RecurrentCell`.
    Call arguments:
        inputs: Tensor `(B, features)`.
        states: List of one tensor `(B, n)`.
    Returns:
        `(h, [h])`, h `(B, n)`.
    Raises:
        ValueError: If an argument is out of its range, or a shape is wrong.
        TypeError: If `use_bias` is not a boolean.
    Reference:
        Sutskever, Martens, Hinton (2011), Generating Text with Recurrent Neural
        Networks, eqs. 7 and 8.
    """

    def __init__(
        self,
        units: int,
        factors: int,
        use_bias: bool = False,
        activation: Any = "tanh",
        **kwargs: Any,
    ) -> None:
        super().__init__(units, activation, **kwargs)
        self.factors = check_size("factors", factors)
        self.use_bias = check_boolean("use_bias", use_bias)

    def build_weights(self, features: int) -> None:
        # One product gives what the inputs send to the factors and to the units.
        self.kernel = self.kernel_weight(
            "kernel", (features, self.factors + self.units)
        )
        self.factor_kernel = self.recurrent_weight(
            "factor_kernel", (self.units, self.factors)
        )
        self.recurrent_kernel = self.recurrent_weight(
            "recurrent_kernel", (self.factors, self.units)
        )
        if self.use_bias:
            self.bias = self.bias_weight("bias", self.units)

    def step(self, inputs: Tensor, states: list[Tensor]) -> list[Tensor]:
        [hidden] = states
        from_inputs = ops.matmul(inputs, self.kernel)
        factors = from_inputs[:, : self.factors]
        factors *= ops.matmul(hidden, self.factor_kernel)
        values = ops.matmul(factors, self.recurrent_kernel)
        values += from_inputs[:, self.factors :]
        if self.use_bias:
            values += self.bias
        return [self.activation(values)]

    def get_config(self) -> dict[str, Any]:
        return {
            **super().get_config(),
            "factors": self.factors,
            "use_bias": self.use_bias,
        }
