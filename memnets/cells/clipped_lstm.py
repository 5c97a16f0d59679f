"""An LSTM cell whose carry stays within bounds."""

import keras
from keras import ops

from .. import tensor_checks


@keras.saving.register_keras_serializable("memnets")
class ClippedLSTMCell(keras.layers.LSTMCell):
    """An LSTM cell with its carry clipped to [-cell_clip, cell_clip] at every step,
    before the output is computed.

    What counts steps or rounds by adding to its carry comes to rest at the bound, in a
    state that training has seen, where it would otherwise go on into one that it never
    saw. Weights and their names are those of `keras.layers.LSTMCell`.

    Args:
        units: Size of the output and of the carry.
        cell_clip: The bound, a positive number.
        **kwargs: Of `keras.layers.LSTMCell`, except for its dropout.
    Call arguments:
        inputs: Tensor `(B, features)`.
        states: List of two tensors `(B, units)`, the output and the carry.
    Returns:
        `(output, [output, carry])`, each `(B, units)`.
    Raises:
        ValueError: If `cell_clip` is not a positive number, or dropout is asked for.
    Reference:
        Sak, Senior, Beaufays (2014), Long Short-Term Memory Recurrent Neural Network
        Architectures for Large Scale Acoustic Modeling: carries clipped to 50.
    Example:
        >>> cell = ClippedLSTMCell(8, cell_clip=3.0)
        >>> tuple(keras.layers.RNN(cell)(np.zeros((2, 5, 3))).shape)
        (2, 8)
    """

    def __init__(self, units, cell_clip, **kwargs):
        super().__init__(units, **kwargs)
        if self.dropout or self.recurrent_dropout:
            raise ValueError(
                "`dropout` and `recurrent_dropout` must be 0: this cell has none. "
                f"Received: dropout={self.dropout}, "
                f"recurrent_dropout={self.recurrent_dropout}"
            )
        self.cell_clip = tensor_checks.bound("cell_clip", cell_clip)

    def call(self, inputs, states, training=False):
        output, carry = states
        values = ops.matmul(inputs, self.kernel)
        values += ops.matmul(output, self.recurrent_kernel)
        if self.use_bias:
            values += self.bias
        gate, forget, candidate, out = ops.split(values, 4, axis=-1)
        carry = self.recurrent_activation(forget) * carry
        carry += self.recurrent_activation(gate) * self.activation(candidate)
        carry = ops.clip(carry, -self.cell_clip, self.cell_clip)
        output = self.recurrent_activation(out) * self.activation(carry)
        return output, [output, carry]

    def get_config(self):
        return {**super().get_config(), "cell_clip": self.cell_clip}
