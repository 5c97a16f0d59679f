"""The recurrent networks that memory networks are compared with."""

from typing import Any

import keras

from .checks import shorten
from .precision import InnerPrecision, inner_policy
from .rnn import pad_empty_batch
from .tensor_checks import Tensor, check_features, check_sequences, check_size


@keras.saving.register_keras_serializable("memnets")
class StackedLSTM(InnerPrecision, keras.layers.Layer):
    """Stacked LSTM layers and a dense output at every step.

    Args:
        units: Size of the output, which is linear.
        layer_sizes: Units of each LSTM layer, first to last. The paper uses three
            layers of equal size for each task.
    Call arguments:
        sequences: Tensor `(B, T, features)`.
        mask: Boolean tensor `(B, T)`; `False` skips a step.
    Returns:
        Tensor `(B, T, units)`.
    Raises:
        ValueError: If a size is not a positive integer, there is no layer, `sequences`
            has no step, or a shape is wrong.
    Reference:
        Graves, Wayne, Danihelka (2014), Neural Turing Machines, arXiv:1410.5401,
        section 4.6 and Table 3.
    Example:
        >>> tuple(StackedLSTM(8, layer_sizes=(32, 32))(np.zeros((2, 5, 3))).shape)
        (2, 5, 8)
    """

    def __init__(
        self,
        units: int,
        layer_sizes: tuple[int, ...] | list[int] = (256, 256, 256),
        **kwargs: Any,
    ) -> None:
        super().__init__(**kwargs)
        self.units = check_size("units", units)
        if not isinstance(layer_sizes, (tuple, list)) or not layer_sizes:
            raise ValueError(
                "`layer_sizes` must be a tuple with one size for each layer. "
                f"Received: layer_sizes={shorten(layer_sizes)}"
            )
        self.layer_sizes = tuple(
            check_size("layer_sizes", size) for size in layer_sizes
        )
        policy = inner_policy(self.dtype_policy)
        self.layers = [
            keras.layers.LSTM(
                size,
                return_sequences=True,
                dtype=policy,
                name=f"lstm_{index}",
            )
            for index, size in enumerate(self.layer_sizes)
        ]
        self.projection = keras.layers.Dense(
            self.units, dtype=policy, name="projection"
        )
        self.supports_masking = True
        self._features: int | None = None

    def build(self, sequences_shape: Any) -> None:
        features = check_features("sequences_shape", sequences_shape, rank=3)
        self._features = features
        for layer, size in zip(self.layers, self.layer_sizes, strict=True):
            if not layer.built:
                layer.build((None, None, features))
            features = size
        if not self.projection.built:
            self.projection.build((None, None, features))

    def __call__(
        self, sequences: Tensor, mask: Tensor | None = None, **kwargs: Any
    ) -> Tensor:
        check_sequences(sequences, mask, self._features)
        if mask is not None:
            kwargs["mask"] = mask
        return super().__call__(sequences, **kwargs)

    def call(
        self, sequences: Tensor, mask: Tensor | None = None, training: bool = False
    ) -> Tensor:
        def run(hidden, mask):
            for layer in self.layers:
                hidden = layer(hidden, mask=mask, training=training)
            return self.to_output(self.projection(hidden))

        return pad_empty_batch(run, sequences, mask)

    def get_config(self) -> dict[str, Any]:
        return {
            **super().get_config(),
            "units": self.units,
            "layer_sizes": self.layer_sizes,
        }
