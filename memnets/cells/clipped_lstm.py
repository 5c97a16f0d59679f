"""An LSTM cell whose carry stays within bounds."""

from typing import Any

import keras
from keras import ops

from ..numerics.precision import within_range
from ..numerics.tensor_checks import Tensor, check_bound
from .lstm import LSTMVariant


@keras.saving.register_keras_serializable("memnets")
class ClippedLSTMCell(LSTMVariant):
    """An LSTM cell with its carry clipped to [-cell_clip, cell_clip] at every step,
    before the output is computed.

    A unit that counts steps by adding to its carry stops at the bound, at a value that
    it had in training, instead of growing beyond all of them. Weights and their names
    are those of `keras.layers.LSTMCell`. It follows the contract of
    `memnets.cells.base`.

    Args:
        units: Size of the output and of the carry.
        cell_clip: The bound, a positive number.
        **kwargs: Other arguments of `keras.layers.LSTMCell`, without dropout. With a
            data type of float16 it computes in float32, see
            `memnets.numerics.precision`.
    Call arguments:
        inputs: Tensor `(B, features)`.
        states: List of two tensors `(B, units)`, the output and the carry.
    Returns:
        `(output, [output, carry])`, each `(B, units)`.
    Raises:
        ValueError: If `units` is not a positive integer, `cell_clip` is not a positive
            number, or a dropout is not 0.
    Reference:
        Sak, Senior, Beaufays (2014), Long Short-Term Memory Recurrent Neural Network
        Architectures for Large Scale Acoustic Modeling: carries clipped to 50.
    Example:
        >>> cell = ClippedLSTMCell(8, cell_clip=3.0)
        >>> tuple(keras.layers.RNN(cell)(np.zeros((2, 5, 3))).shape)
        (2, 8)
    """

    def __init__(self, units: int, cell_clip: float, **kwargs: Any) -> None:
        super().__init__(units, **kwargs)
        self.cell_clip = check_bound("cell_clip", cell_clip)

    def call(
        self, inputs: Tensor, states: list[Tensor], training: bool = False
    ) -> tuple[Tensor, list[Tensor]]:
        output, carry = states
        gate, forget, candidate, out = self.gate_values(inputs, output)
        carry = self.recurrent_activation(forget) * carry
        carry += self.recurrent_activation(gate) * self.activation(candidate)
        carry = ops.clip(carry, -self.cell_clip, self.cell_clip)
        output = self.recurrent_activation(out) * self.activation(carry)
        output = within_range(output, self.output_dtype)
        return output, [output, carry]

    def get_config(self) -> dict[str, Any]:
        return {**super().get_config(), "cell_clip": self.cell_clip}
