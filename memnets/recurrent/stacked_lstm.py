"""The recurrent networks that memory networks are compared with."""

from typing import Any

import keras
from keras import tree

from ..checks import check_boolean, check_number, shorten
from ..numerics.precision import InnerPrecision, inner_policy
from ..numerics.tensor_checks import (
    Shape,
    Structure,
    Tensor,
    check_features,
    check_sequences,
    check_size,
    check_states,
)
from .acceleration import accelerate
from .rnn import pad_empty_batch


@keras.saving.register_keras_serializable("memnets")
class StackedLSTM(InnerPrecision, keras.layers.Layer):
    """Stacked LSTM layers and a dense output at every step.

    Args:
        units: Size of the output, which is linear.
        layer_sizes: Units of each LSTM layer, first to last. The paper uses three
            layers of equal size for each task.
        return_state: Whether to also return the last state.
        dropout: Share of the outputs of each LSTM layer that training sets to 0, on
            the way to the next layer; the states are left alone (Zaremba, Sutskever,
            Vinyals (2014), Recurrent Neural Network Regularization).
    Call arguments:
        sequences: Tensor `(B, T, features)`.
        initial_state: The output and the carry of each LSTM layer, first to last: a
            list of tensors `(B, size)`, which may be nested; zeros if None.
        mask: Boolean tensor `(B, T)`; `False` skips a step.
    Returns:
        Tensor `(B, T, units)`; with `return_state` followed by the tensors of the last
        state. Under half precision, states have the type in which they are computed.
    Raises:
        ValueError: If a size is not a positive integer, there is no layer, `dropout` is
            not at least 0 and less than 1, `sequences` has no step, or a shape is
            wrong.
        TypeError: If `return_state` is not a boolean.
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
        return_state: bool = False,
        dropout: float = 0.0,
        **kwargs: Any,
    ) -> None:
        super().__init__(**kwargs)
        self.dropout = float(check_number("dropout", dropout, minimum=0, below=1))
        self.return_state = check_boolean("return_state", return_state)
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
                return_state=True,
                dtype=policy,
                name=f"lstm_{index}",
            )
            for index, size in enumerate(self.layer_sizes)
        ]
        self.dropped = keras.layers.Dropout(self.dropout, dtype=policy, name="dropout")
        self.projection = keras.layers.Dense(
            self.units, dtype=policy, name="projection"
        )
        accelerate(self)
        self.supports_masking = True
        self.state_size = [size for size in self.layer_sizes for _ in range(2)]
        self._features: int | None = None

    def build(
        self, sequences_shape: Shape, initial_state_shape: Structure = None
    ) -> None:
        features = check_features("sequences_shape", sequences_shape, rank=3)
        self._features = features
        for layer, size in zip(self.layers, self.layer_sizes, strict=True):
            if not layer.built:
                layer.build((None, None, features))
            features = size
        if not self.projection.built:
            self.projection.build((None, None, features))

    def get_initial_state(self, batch_size: int | Tensor) -> list[Tensor]:
        """The state before the first step: zeros `(B, size)`, as in `state_size`."""
        return [
            state
            for layer in self.layers
            for state in layer.get_initial_state(batch_size)
        ]

    def __call__(
        self,
        sequences: Tensor,
        initial_state: Any = None,
        mask: Tensor | None = None,
        **kwargs: Any,
    ) -> Any:
        batch_size = check_sequences(sequences, mask, self._features)
        if initial_state is not None:
            check_states("initial_state", initial_state, batch_size, self.state_size)
            kwargs["initial_state"] = tree.flatten(initial_state)
        if mask is not None:
            kwargs["mask"] = mask
        return super().__call__(sequences, **kwargs)

    def call(
        self,
        sequences: Tensor,
        initial_state: Structure = None,
        mask: Tensor | None = None,
        training: bool = False,
    ) -> Structure:
        def run(
            hidden: Tensor, initial_state: list[Tensor] | None, mask: Tensor | None
        ) -> Structure:
            last_states = []
            for index, layer in enumerate(self.layers):
                start = initial_state and initial_state[2 * index : 2 * index + 2]
                hidden, *states = layer(
                    hidden, initial_state=start, mask=mask, training=training
                )
                hidden = self.dropped(hidden, training=training)
                last_states += states
            outputs = self.to_output(self.projection(hidden))
            return (outputs, *last_states) if self.return_state else outputs

        return pad_empty_batch(run, sequences, initial_state, mask)

    def get_config(self) -> dict[str, Any]:
        return {
            **super().get_config(),
            "units": self.units,
            "layer_sizes": self.layer_sizes,
            "return_state": self.return_state,
            "dropout": self.dropout,
        }
