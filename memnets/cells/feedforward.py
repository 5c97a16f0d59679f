"""A dense layer that poses as a recurrent cell."""

import keras

from memnets.checks import integer


@keras.saving.register_keras_serializable("memnets")
class FeedforwardCell(keras.layers.Layer):
    """y = activation(W x + b), the same at every step: a controller without memory of
    its own.

    It keeps its last output as its state, because a Keras cell must have one, and never
    reads it.

    Args:
        units: Size of the output.
        activation: Any Keras activation.
    Call arguments:
        inputs: Tensor `(B, features)`.
        states: List of one tensor `(B, units)`.
    Returns:
        `(output, [output])`, output `(B, units)`.
    Example:
        >>> tuple(keras.layers.RNN(FeedforwardCell(8))(np.zeros((2, 5, 3))).shape)
        (2, 8)
    """

    def __init__(self, units, activation="tanh", **kwargs):
        super().__init__(**kwargs)
        self.units = integer("units", units)
        self.state_size = self.output_size = self.units
        self.dense = keras.layers.Dense(
            self.units, activation=activation, dtype=self.dtype_policy, name="dense"
        )

    def build(self, input_shape):
        if not self.dense.built:
            self.dense.build(input_shape)

    def call(self, inputs, states):
        output = self.dense(inputs)
        return output, [output]

    def get_config(self):
        config = super().get_config()
        activation = keras.activations.serialize(self.dense.activation)
        return {**config, "units": self.units, "activation": activation}
