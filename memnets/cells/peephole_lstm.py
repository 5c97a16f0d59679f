"""An LSTM cell whose gates see the carry."""

from typing import Any

import keras

from ..checks import shorten
from ..numerics.precision import within_range
from ..numerics.tensor_checks import Shape, Tensor
from .lstm import LSTMVariant
from .recurrent import as_activation, as_initializer, fresh

PEEPHOLES = ("input", "forget", "output")


@keras.saving.register_keras_serializable("memnets")
class PeepholeLSTMCell(LSTMVariant):
    """An LSTM cell with diagonal weights p from the carry s to its gates.

        i = sigmoid(.. + p_i * s_(t-1)),  f = sigmoid(.. + p_f * s_(t-1))
        s_t = f * s_(t-1) + i * input_activation(..)
        o = sigmoid(.. + p_o * s_t),  h_t = o * activation(s_t)

    Weights of the same names are those of `keras.layers.LSTMCell`, which it equals
    while p is zero.

    Args:
        units: Size of the output and of the carry, n.
        peepholes: The gates that see the carry, of "input", "forget" and "output".
        input_activation: Of what is written into the carry; "sigmoid" in Goodfellow et
            al., eq. 10.41.
        peephole_initializer: Of p.
        **kwargs: Other arguments of `keras.layers.LSTMCell`, without dropout.
    Call arguments:
        inputs: Tensor `(B, features)`.
        states: List of two tensors `(B, n)`, the output and the carry.
    Returns:
        `(output, [output, carry])`, each `(B, n)`.
    Raises:
        ValueError: If an argument is out of its range, or a dropout is not 0.
    Reference:
        Gers, Schraudolph, Schmidhuber (2002), Learning Precise Timing with LSTM
        Recurrent Networks.
    """

    def __init__(
        self,
        units: int,
        peepholes: tuple[str, ...] = PEEPHOLES,
        input_activation: Any = "tanh",
        peephole_initializer: Any = "zeros",
        **kwargs: Any,
    ) -> None:
        super().__init__(units, **kwargs)
        if not isinstance(peepholes, (tuple, list)) or not set(peepholes) <= set(
            PEEPHOLES
        ):
            raise ValueError(
                "`peepholes` must hold names of gates: 'input', 'forget', 'output'. "
                f"Received: peepholes={shorten(peepholes)}"
            )
        self.peepholes = tuple(gate for gate in PEEPHOLES if gate in peepholes)
        self.input_activation = as_activation("input_activation", input_activation)
        self.peephole_initializer = as_initializer(
            "peephole_initializer", peephole_initializer
        )

    def build(self, input_shape: Shape) -> None:
        super().build(input_shape)
        self.peephole_weights = {
            gate: self.add_weight(
                name=f"peephole_{gate}",
                shape=(self.units,),
                initializer=fresh(self.peephole_initializer),
            )
            for gate in self.peepholes
        }

    def call(
        self, inputs: Tensor, states: list[Tensor], training: bool = False
    ) -> tuple[Tensor, list[Tensor]]:
        output, carry = states
        gate, forget, candidate, out = self.gate_values(inputs, output)
        kept = self.recurrent_activation(self._seen("forget", forget, carry)) * carry
        written = self.recurrent_activation(self._seen("input", gate, carry))
        carry = kept + written * self.input_activation(candidate)
        output = self.recurrent_activation(self._seen("output", out, carry))
        output = output * self.activation(carry)
        output = within_range(output, self.output_dtype)
        carry = within_range(carry, self.output_dtype)
        return output, [output, carry]

    def _seen(self, gate: str, values: Tensor, carry: Tensor) -> Tensor:
        if gate not in self.peephole_weights:
            return values
        return values + self.peephole_weights[gate] * carry

    def get_config(self) -> dict[str, Any]:
        return {
            **super().get_config(),
            "peepholes": self.peepholes,
            "input_activation": keras.activations.serialize(self.input_activation),
            "peephole_initializer": keras.initializers.serialize(
                self.peephole_initializer
            ),
        }
