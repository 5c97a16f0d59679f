"""What the variants of Keras' LSTM cell share."""

from typing import Any

import keras
from keras import ops

from ..numerics.precision import InnerPrecision
from ..numerics.tensor_checks import Tensor, check_size


class LSTMVariant(InnerPrecision, keras.layers.LSTMCell):
    """An LSTM cell without dropout, whose weights and their names are those of
    `keras.layers.LSTMCell`.

    Args:
        units: Size of the output and of the carry.
        **kwargs: Other arguments of `keras.layers.LSTMCell`.
    Raises:
        ValueError: If `units` is not a positive integer, or a dropout is not 0.
    """

    def __init__(self, units: int, **kwargs: Any) -> None:
        super().__init__(check_size("units", units), **kwargs)
        if self.dropout or self.recurrent_dropout:
            raise ValueError(
                "`dropout` and `recurrent_dropout` must be 0 in this cell. "
                f"Received: dropout={self.dropout}, "
                f"recurrent_dropout={self.recurrent_dropout}"
            )

    def gate_values(self, inputs: Tensor, output: Tensor) -> list[Tensor]:
        """What enters the input gate, the forget gate, the carry and the output gate,
        before their activations; each `(B, units)`."""
        values = ops.matmul(inputs, self.kernel)
        values += ops.matmul(output, self.recurrent_kernel)
        if self.use_bias:
            values += self.bias
        return ops.split(values, 4, axis=-1)
