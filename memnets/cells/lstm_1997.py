"""The first LSTM: memory cells in blocks, two gates, no forgetting."""

from collections.abc import Callable
from typing import Any

import keras
import numpy as np
from keras import ops

from ..checks import check_boolean, check_choice, check_number, shorten
from ..numerics.tensor_checks import Tensor, check_size
from .recurrent import RecurrentCell, as_activation

BIASED = ("all", "gates", "none")


@keras.saving.register_keras_serializable("memnets")
class LSTM1997Cell(RecurrentCell):
    """Memory cells in blocks of `block_size`, which share an input and an output gate.

        y_in = sigmoid(net_in),  y_out = sigmoid(net_out)
        s_t = s_(t-1) + y_in * g(net_c)
        y_t = y_out * h(s_t)

    Every gate and cell sees the inputs, and the outputs of all cells and all gates at
    the step before. The state s has a weight of exactly 1 to itself: an error in it
    neither grows nor fades.

    Gradients are truncated as in the paper: what enters a cell or gate from other cells
    and gates passes no gradient back, so that the error flows through s alone.

    Args:
        blocks: Number of blocks, b.
        block_size: Memory cells in each, S.
        g: Squashing of what enters a cell: "symmetric-2" is 4 sigmoid(x) - 2, from -2
            to 2; or any Keras activation.
        h: Squashing of the state: "symmetric-1" is 2 sigmoid(x) - 1, from -1 to 1.
        output_gate: Whether there are output gates.
        biased: What has a bias: "all", "gates" or "none".
        input_gate_bias: First bias of the input gates: a number, one for each block, or
            None for a random one as the weights. Negative ones keep blocks closed at
            first.
        output_gate_bias: The same of the output gates.
        recurrent: Whether gates and cells see the outputs of the step before.
        truncated: Whether the gradient is truncated.
        weight_range: Weights are drawn between minus and plus this number.
        **kwargs: Arguments of `keras.layers.Layer`.
    Call arguments:
        inputs: Tensor `(B, features)`.
        states: List of three tensors: y `(B, bS)`, s `(B, bS)`, and the gates
            `(B, 2b)`, input gates first; `(B, b)` without output gates.
    Returns:
        `(y, [y, s, gates])`.
    Raises:
        ValueError: If an argument is out of its range, or a shape is wrong.
        TypeError: If a flag is not a boolean.
    Reference:
        Hochreiter, Schmidhuber (1997), Long Short-Term Memory, appendix A.1.
    """

    def __init__(
        self,
        blocks: int,
        block_size: int = 1,
        g: Any = "symmetric-2",
        h: Any = "symmetric-1",
        output_gate: bool = True,
        biased: str = "all",
        input_gate_bias: Any = None,
        output_gate_bias: Any = None,
        recurrent: bool = True,
        truncated: bool = True,
        weight_range: float = 0.1,
        **kwargs: Any,
    ) -> None:
        self.blocks = check_size("blocks", blocks)
        self.block_size = check_size("block_size", block_size)
        self.weight_range = check_number("weight_range", weight_range, minimum=0)
        drawn = keras.initializers.RandomUniform(-self.weight_range, self.weight_range)
        super().__init__(
            self.blocks * self.block_size,
            activation=None,  # g and h are in its place
            kernel_initializer=drawn,
            recurrent_initializer=drawn,
            bias_initializer=drawn,
            **kwargs,
        )
        self.g = _squashing("g", g)
        self.h = _squashing("h", h)
        self.output_gate = check_boolean("output_gate", output_gate)
        self.biased = check_choice("biased", biased, BIASED)
        self.recurrent = check_boolean("recurrent", recurrent)
        self.truncated = check_boolean("truncated", truncated)
        self.input_gate_bias = self._gate_bias("input_gate_bias", input_gate_bias)
        self.output_gate_bias = self._gate_bias("output_gate_bias", output_gate_bias)
        self._gates = self.blocks * (1 + self.output_gate)
        self.state_size = [self.units, self.units, self._gates]

    def _gate_bias(self, name: str, value: Any) -> float | tuple[float, ...] | None:
        if value is None:
            return None
        if self.biased == "none" or (
            name == "output_gate_bias" and not self.output_gate
        ):
            raise ValueError(
                f"`{name}` must be None for gates without a bias. "
                f"Received: {name}={shorten(value)}"
            )
        if not isinstance(value, (tuple, list)):
            return check_number(name, value)
        if len(value) != self.blocks:
            raise ValueError(
                f"`{name}` must be a number, or one for each of the {self.blocks} "
                f"blocks. Received: {name}={shorten(value)}"
            )
        return tuple(check_number(name, one) for one in value)

    def build_weights(self, features: int) -> None:
        width = self.units + self._gates
        self.kernel = self.kernel_weight("kernel", (features, width))
        if self.recurrent:
            self.recurrent_kernel = self.recurrent_weight(
                "recurrent_kernel", (width, width)
            )
        if self.biased == "all":
            self.cell_bias = self.bias_weight("cell_bias", self.units)
        if self.biased != "none":
            self.gate_bias = self.add_weight(
                name="gate_bias",
                shape=(self._gates,),
                initializer=self._first_gate_bias,
            )

    def _first_gate_bias(
        self, shape: tuple[int, ...], dtype: str | None = None
    ) -> Tensor:
        """Biases of the input gates, then of the output gates."""
        biases = [self.input_gate_bias, self.output_gate_bias][: 1 + self.output_gate]
        parts = [
            self.bias_initializer.clone()((self.blocks,), dtype="float32")
            if bias is None
            else ops.convert_to_tensor(
                np.broadcast_to(np.array(bias, "float32"), (self.blocks,)).copy()
            )
            for bias in biases
        ]
        return ops.cast(ops.concatenate(parts), dtype)

    def step(self, inputs: Tensor, states: list[Tensor]) -> list[Tensor]:
        output, state, gates = states
        values = ops.matmul(inputs, self.kernel)
        if self.recurrent:
            previous = ops.concatenate([output, gates], axis=-1)
            if self.truncated:
                previous = ops.stop_gradient(previous)
            values += ops.matmul(previous, self.recurrent_kernel)
        cells, gates = values[:, : self.units], values[:, self.units :]
        if self.biased == "all":
            cells += self.cell_bias
        if self.biased != "none":
            gates += self.gate_bias
        gates = ops.sigmoid(gates)
        state = state + self._of_cells(gates[:, : self.blocks]) * self.g(cells)
        output = self.h(state)
        if self.output_gate:
            output = self._of_cells(gates[:, self.blocks :]) * output
        return [output, state, gates]

    def _of_cells(self, gates: Tensor) -> Tensor:
        """The gate of each cell: those of a block share one."""
        if self.block_size == 1:
            return gates
        # Not `ops.repeat`, whose gradient XLA cannot compile in a loop on TensorFlow.
        gates = ops.expand_dims(gates, -1)
        gates = ops.concatenate([gates] * self.block_size, axis=-1)
        return ops.reshape(gates, (-1, self.units))

    def get_config(self) -> dict[str, Any]:
        config = super().get_config()
        for name in [n for n in config if n.endswith("_initializer")]:
            del config[name]
        del config["units"], config["activation"]
        return {
            **config,
            "blocks": self.blocks,
            "block_size": self.block_size,
            "g": _squashing_name(self.g),
            "h": _squashing_name(self.h),
            "output_gate": self.output_gate,
            "biased": self.biased,
            "input_gate_bias": self.input_gate_bias,
            "output_gate_bias": self.output_gate_bias,
            "recurrent": self.recurrent,
            "truncated": self.truncated,
            "weight_range": self.weight_range,
        }


def _symmetric_2(x: Tensor) -> Tensor:
    return 4 * ops.sigmoid(x) - 2


def _symmetric_1(x: Tensor) -> Tensor:
    return 2 * ops.sigmoid(x) - 1


# Equations 4 and 5 of the appendix.
SQUASHINGS = {"symmetric-2": _symmetric_2, "symmetric-1": _symmetric_1}


def _squashing(name: str, identifier: Any) -> Callable[[Tensor], Tensor]:
    if isinstance(identifier, str) and identifier in SQUASHINGS:
        return SQUASHINGS[identifier]
    return as_activation(name, identifier)


def _squashing_name(function: Callable[[Tensor], Tensor]) -> Any:
    for name, own in SQUASHINGS.items():
        if function is own:
            return name
    return keras.activations.serialize(function)
