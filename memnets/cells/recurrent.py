"""What the recurrent cells of this folder share: sizes, checks, weights, config."""

import abc
from collections.abc import Callable
from typing import Any

import keras
from keras import ops

from ..checks import shorten
from ..numerics.precision import InnerPrecision, within_range
from ..numerics.tensor_checks import (
    Shape,
    Tensor,
    check_features,
    check_size,
    check_step,
)


class RecurrentCell(InnerPrecision, keras.layers.Layer):
    """A cell with weights of its own, by the contract of `memnets.cells.base`.

    A subclass computes in `step`. Where they differ from those of a simple recurrent
    network it sets `state_size` and `output_size`, and makes its weights in
    `build_weights`. States start at zero unless it says
    otherwise in `get_initial_state`.

    Args:
        units: Size of the hidden state.
        activation: Any Keras activation, or None.
        kernel_initializer: Of the weights from the inputs.
        recurrent_initializer: Of the weights from the states.
        bias_initializer: Of the biases.
        **kwargs: Arguments of `keras.layers.Layer`.
    Raises:
        ValueError: If `units` is not a positive integer, or Keras has no such
            activation or initializer.
    """

    def __init__(
        self,
        units: int,
        activation: Any = "tanh",
        *,
        kernel_initializer: Any = "glorot_uniform",
        recurrent_initializer: Any = "orthogonal",
        bias_initializer: Any = "zeros",
        **kwargs: Any,
    ) -> None:
        super().__init__(**kwargs)
        self.units = check_size("units", units)
        self.state_size: Any = [self.units]
        self.output_size = self.units
        self.activation = as_activation("activation", activation)
        self.kernel_initializer = as_initializer(
            "kernel_initializer", kernel_initializer
        )
        self.recurrent_initializer = as_initializer(
            "recurrent_initializer", recurrent_initializer
        )
        self.bias_initializer = as_initializer("bias_initializer", bias_initializer)
        self._features: int | None = None

    def build(self, input_shape: Shape) -> None:
        self._features = check_features("input_shape", input_shape, rank=2)
        self.build_weights(self._features)

    def build_weights(self, features: int) -> None:
        """Makes the weights for inputs `(B, features)`: those of a simple recurrent
        network, `kernel` from the inputs, `recurrent_kernel` from the units to
        themselves, and `bias`."""
        self.kernel = self.kernel_weight("kernel", (features, self.units))
        shape = (self.units, self.units)
        self.recurrent_kernel = self.recurrent_weight("recurrent_kernel", shape)
        self.bias = self.bias_weight("bias", self.units)

    @abc.abstractmethod
    def step(self, inputs: Tensor, states: list[Tensor]) -> list[Tensor]:
        """The states after one step; the first one is the output."""

    def kernel_weight(self, name: str, shape: tuple[int, ...]) -> keras.Variable:
        """A weight from the inputs."""
        return self.add_weight(
            name=name, shape=shape, initializer=fresh(self.kernel_initializer)
        )

    def recurrent_weight(self, name: str, shape: tuple[int, ...]) -> keras.Variable:
        """A weight from the states."""
        return self.add_weight(
            name=name, shape=shape, initializer=fresh(self.recurrent_initializer)
        )

    def bias_weight(self, name: str, size: int) -> keras.Variable:
        """A bias."""
        return self.add_weight(
            name=name, shape=(size,), initializer=fresh(self.bias_initializer)
        )

    def get_initial_state(self, batch_size: int | Tensor = None) -> list[Tensor]:
        """The state before the first step.

        Args:
            batch_size: Number of sequences, B.
        Returns:
            List of tensors `(B, size)`.
        """
        return [
            ops.zeros((batch_size, size), dtype=self.compute_dtype)
            for size in self.state_size
        ]

    def __call__(self, inputs: Tensor, states: list[Tensor], **kwargs: Any) -> Any:
        check_step(inputs, states, self._features, self.state_size)
        return super().__call__(inputs, states, **kwargs)

    def call(self, inputs: Tensor, states: list[Tensor]) -> tuple[Tensor, list[Tensor]]:
        output, *others = self.step(inputs, list(states))
        output = within_range(output, self.output_dtype)
        return output, [output, *others]

    def get_config(self) -> dict[str, Any]:
        serialize = keras.initializers.serialize
        return {
            **super().get_config(),
            "units": self.units,
            "activation": keras.activations.serialize(self.activation),
            "kernel_initializer": serialize(self.kernel_initializer),
            "recurrent_initializer": serialize(self.recurrent_initializer),
            "bias_initializer": serialize(self.bias_initializer),
        }


def fresh(
    initializer: keras.initializers.Initializer,
) -> keras.initializers.Initializer:
    """A copy of an initializer, which would give all weights of one shape the same
    values."""
    return initializer.clone() if hasattr(initializer, "clone") else initializer


def as_initializer(name: str, identifier: Any) -> keras.initializers.Initializer:
    """The initializer of Keras that an argument names.

    Raises:
        ValueError: If Keras has none.
    """
    try:
        return keras.initializers.get(identifier)
    except (ValueError, TypeError) as error:
        raise ValueError(
            f"`{name}` must be an initializer of Keras, such as 'orthogonal'. "
            f"Received: {name}={shorten(identifier)}"
        ) from error


def as_activation(name: str, identifier: Any) -> Callable[[Tensor], Tensor]:
    """The activation of Keras that an argument names.

    Raises:
        ValueError: If Keras has none.
    """
    try:
        return keras.activations.get(identifier)
    except (ValueError, TypeError) as error:
        raise ValueError(
            f"`{name}` must be an activation of Keras, such as 'tanh'. "
            f"Received: {name}={shorten(identifier)}"
        ) from error
