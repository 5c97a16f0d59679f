"""Initializers of recurrent networks."""

import math
from typing import Any

import keras
import numpy as np
from keras import ops

from .checks import check_integer, check_number


@keras.saving.register_keras_serializable("memnets")
class LongMemory(keras.initializers.Initializer):
    """Biases of `keras.layers.LSTM` that keep what is stored for a number of steps.

    The forget gates begin at ln(steps): after so many steps the carry still has 1/e of
    its value, or more. The input gates begin at -ln(steps), so that what comes in
    meanwhile does not bury it. The other biases begin at 0. An LSTM has a forget bias
    of 1 by default, which keeps 0.73 a step: nothing is left after 50.

    Pass it as `bias_initializer`, always with `unit_forget_bias=False`. With True, the
    default of Keras, the forget gates begin at 1 as without this initializer, which is
    called for the other parts alone. If `units` is a multiple of 4, it cannot tell, and
    there is no error.

    Args:
        steps: How long to remember, from 2.
        input_gate_bias: Where the input gates begin; None for -ln(steps).
    Raises:
        ValueError: If an argument is out of its range. When called: if the shape is not
            that of the biases of an LSTM.
    Reference:
        Tallec, Ollivier (2018), Can Recurrent Neural Networks Warp Time?, who draw
        ln of 1 to `steps`; here all units have the longest memory.
    Example:
        >>> layer = keras.layers.LSTM(
        ...     8, bias_initializer=LongMemory(100), unit_forget_bias=False)
        >>> layer.build((None, 3, 2))
        >>> biases = layer.get_weights()[-1]
        >>> [round(float(b), 1) for b in biases[::8]]  # input, forget, carry, output
        [-4.6, 4.6, 0.0, 0.0]
    """

    def __init__(self, steps: float, input_gate_bias: float | None = None) -> None:
        self.steps = check_number("steps", steps, minimum=2)
        if input_gate_bias is not None:
            check_number("input_gate_bias", input_gate_bias)
        self.input_gate_bias = input_gate_bias

    def __call__(self, shape: Any, dtype: Any = None) -> Any:
        if len(shape) != 1 or shape[0] % 4:
            raise ValueError(
                "`LongMemory` must initialise the biases of an LSTM, a vector of four "
                f"parts. Received: shape={tuple(shape)}"
            )
        bias = math.log(self.steps)
        first = -bias if self.input_gate_bias is None else self.input_gate_bias
        parts = np.repeat([first, bias, 0.0, 0.0], shape[0] // 4)
        return ops.convert_to_tensor(parts, dtype=dtype or keras.config.floatx())

    def get_config(self) -> dict[str, Any]:
        return {"steps": self.steps, "input_gate_bias": self.input_gate_bias}


@keras.saving.register_keras_serializable("memnets")
class SpectralRadius(keras.initializers.Initializer):
    """A random matrix whose largest absolute eigenvalue is given.

    Args:
        radius: The largest absolute eigenvalue, above 0. Below 1 a network of tanh
            units usually forgets how it began, as an echo state network must.
        connections: Weights of each unit that are not 0; None for all.
        seed: Of the draw; None takes it from Keras.
    Raises:
        ValueError: If an argument is out of its range. When called: if the shape is not
            square, or has fewer units than `connections`.
    Reference:
        Jaeger (2001), The "Echo State" Approach to Analysing and Training Recurrent
        Neural Networks. Sutskever, Martens, Dahl, Hinton (2013), On the Importance of
        Initialization and Momentum in Deep Learning: radius 1.2, 15 connections.
    """

    def __init__(
        self, radius: float, connections: int | None = None, seed: int | None = None
    ) -> None:
        self.radius = check_number("radius", radius, above=0)
        self.connections = connections
        if connections is not None:
            self.connections = check_integer("connections", connections)
        self.seed = seed
        if seed is not None:
            self.seed = check_integer("seed", seed, minimum=0)

    def __call__(self, shape: Any, dtype: Any = None) -> Any:
        size = shape[0]
        if len(shape) != 2 or shape[1] != size:
            raise ValueError(
                "`SpectralRadius` must initialise a square matrix. "
                f"Received: shape={tuple(shape)}"
            )
        if self.connections is not None and self.connections > size:
            raise ValueError(
                f"`connections` must be at most the {size} units. "
                f"Received: connections={self.connections}"
            )
        rng = np.random.default_rng(self._drawn_seed())
        matrix = rng.normal(size=(size, size))
        if self.connections is not None:
            # Each column holds the weights that one unit receives.
            order = rng.random((size, size)).argsort(axis=0)
            matrix[order >= self.connections] = 0
        largest = np.abs(np.linalg.eigvals(matrix)).max()
        if not largest:
            raise ValueError(
                "`connections` must leave a matrix with an eigenvalue other than 0. "
                f"Received: connections={self.connections} for {size} units"
            )
        matrix *= self.radius / largest
        return ops.convert_to_tensor(matrix, dtype=dtype or keras.config.floatx())

    def _drawn_seed(self) -> int:
        if self.seed is not None:
            return self.seed
        drawn = keras.random.randint((), 0, 2**31 - 1, dtype="int32")
        return int(ops.convert_to_numpy(drawn))

    def get_config(self) -> dict[str, Any]:
        return {
            "radius": self.radius,
            "connections": self.connections,
            "seed": self.seed,
        }
