"""A dense layer in the form of a recurrent cell."""

from typing import Any

import keras

from ..numerics.precision import InnerPrecision, inner_policy, within_range
from ..numerics.tensor_checks import (
    Shape,
    Tensor,
    check_features,
    check_size,
    check_step,
)
from .recurrent import as_activation


@keras.saving.register_keras_serializable("memnets")
class FeedforwardCell(InnerPrecision, keras.layers.Layer):
    """A controller without a memory: y = activation(W x + b) at every step.

    It follows the contract of `memnets.cells.base`. Its state is its last output,
    because a Keras cell must have a state; it never reads it.

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
            or a shape is wrong.
    Example:
        >>> tuple(keras.layers.RNN(FeedforwardCell(8))(np.zeros((2, 5, 3))).shape)
        (2, 8)
    """

    def __init__(self, units: int, activation: Any = "tanh", **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.units = check_size("units", units)
        self.state_size = self.output_size = self.units
        self._features: int | None = None
        self.dense = keras.layers.Dense(
            self.units,
            activation=as_activation("activation", activation),
            dtype=inner_policy(self.dtype_policy),
            name="dense",
        )

    def build(self, input_shape: Shape) -> None:
        self._features = check_features("input_shape", input_shape, rank=2)
        if not self.dense.built:
            self.dense.build(input_shape)

    def __call__(self, inputs: Tensor, states: list[Tensor], **kwargs: Any) -> Any:
        check_step(inputs, states, self._features, [self.state_size])
        return super().__call__(inputs, states, **kwargs)

    def call(self, inputs: Tensor, states: list[Tensor]) -> tuple[Tensor, list[Tensor]]:
        output = within_range(self.dense(inputs), self.output_dtype)
        return output, [output]

    def get_config(self) -> dict[str, Any]:
        config = super().get_config()
        activation = keras.activations.serialize(self.dense.activation)
        return {**config, "units": self.units, "activation": activation}
