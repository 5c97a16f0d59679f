"""A dense layer that poses as a recurrent cell."""

import keras

from .. import checks, tensor_checks
from ..precision import InnerPrecision, inner_policy, within_range


@keras.saving.register_keras_serializable("memnets")
class FeedforwardCell(InnerPrecision, keras.layers.Layer):
    """y = activation(W x + b), the same at every step: a controller without memory of
    its own.

    It keeps its last output as its state, because a Keras cell must have one, and never
    reads it.

    Args:
        units: Size of the output.
        activation: Any Keras activation, or None.
    Call arguments:
        inputs: Tensor `(B, features)`.
        states: List of one tensor `(B, units)`.
    Returns:
        `(output, [output])`, output `(B, units)`.
    Raises:
        ValueError: If `units` is not a positive integer, Keras has no such activation,
            or a shape is another.
    Example:
        >>> tuple(keras.layers.RNN(FeedforwardCell(8))(np.zeros((2, 5, 3))).shape)
        (2, 8)
    """

    def __init__(self, units, activation="tanh", **kwargs):
        super().__init__(**kwargs)
        self.units = tensor_checks.check_size("units", units)
        self.state_size = self.output_size = self.units
        self._features = None
        self.dense = keras.layers.Dense(
            self.units,
            activation=_activation(activation),
            dtype=inner_policy(self.dtype_policy),
            name="dense",
        )

    def build(self, input_shape):
        self._features = tensor_checks.features("input_shape", input_shape, rank=2)
        if not self.dense.built:
            self.dense.build(input_shape)

    def __call__(self, inputs, states, **kwargs):
        tensor_checks.step(inputs, states, self._features, [self.state_size])
        return super().__call__(inputs, states, **kwargs)

    def call(self, inputs, states):
        output = within_range(self.dense(inputs), self.output_dtype)
        return output, [output]

    def get_config(self):
        config = super().get_config()
        activation = keras.activations.serialize(self.dense.activation)
        return {**config, "units": self.units, "activation": activation}


def _activation(identifier):
    try:
        return keras.activations.get(identifier)
    except (ValueError, TypeError) as error:
        raise ValueError(
            "`activation` must be an activation of Keras, such as 'tanh'. "
            f"Received: activation={checks.shorten(identifier)}"
        ) from error
