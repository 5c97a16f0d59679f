"""The recurrent networks that memory networks are compared with."""

import keras

from memnets.checks import integer


@keras.saving.register_keras_serializable("memnets")
class StackedLSTM(keras.layers.Layer):
    """Stacked LSTM layers and a dense output at every step.

    Args:
        units: Size of the output, which is linear.
        layer_sizes: Units of each LSTM layer, first to last. The paper has three equal
            ones for each task.
    Call arguments:
        sequences: Tensor `(B, T, features)`.
        mask: Boolean tensor `(B, T)`; `False` skips a step.
    Returns:
        Tensor `(B, T, units)`.
    Raises:
        ValueError: If a size is not a positive integer, or there is no layer.
    Reference:
        Graves, Wayne, Danihelka (2014), Neural Turing Machines, arXiv:1410.5401,
        section 4.6 and Table 3.
    Example:
        >>> tuple(StackedLSTM(8, layer_sizes=(32, 32))(np.zeros((2, 5, 3))).shape)
        (2, 5, 8)
    """

    def __init__(self, units, layer_sizes=(256, 256, 256), **kwargs):
        super().__init__(**kwargs)
        self.units = integer("units", units)
        if not isinstance(layer_sizes, (tuple, list)) or not layer_sizes:
            raise ValueError(
                "`layer_sizes` must be a tuple with one size a layer. "
                f"Received: layer_sizes={layer_sizes!r}"
            )
        self.layer_sizes = tuple(integer("layer_sizes", size) for size in layer_sizes)
        self.layers = [
            keras.layers.LSTM(
                size,
                return_sequences=True,
                dtype=self.dtype_policy,
                name=f"lstm_{index}",
            )
            for index, size in enumerate(self.layer_sizes)
        ]
        self.projection = keras.layers.Dense(
            self.units, dtype=self.dtype_policy, name="projection"
        )
        self.supports_masking = True

    def build(self, input_shape):
        features = input_shape[-1]
        for layer, size in zip(self.layers, self.layer_sizes, strict=True):
            if not layer.built:
                layer.build((None, None, features))
            features = size
        if not self.projection.built:
            self.projection.build((None, None, features))

    def call(self, sequences, mask=None, training=False):
        hidden = sequences
        for layer in self.layers:
            hidden = layer(hidden, mask=mask, training=training)
        return self.projection(hidden)

    def get_config(self):
        return {
            **super().get_config(),
            "units": self.units,
            "layer_sizes": self.layer_sizes,
        }
