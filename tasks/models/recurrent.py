"""Recurrent networks without a memory, with a dense layer for the outputs."""

import dataclasses
from typing import TYPE_CHECKING, Any

from ..checks import check_choice, check_integer, check_number
from .base import ModelConfig

if TYPE_CHECKING:
    import keras


@dataclasses.dataclass(frozen=True)
class StackedLSTM(ModelConfig):
    """The stacked LSTM that papers compare with, see `memnets.StackedLSTM`.

    Args:
        num_layers: Number of LSTM layers.
        layer_size: Units of each; the paper has 256 for copy and 128 for sorting.
        dropout: Share of their outputs that training sets to 0.
    """

    num_layers: int = 3
    layer_size: int = 256
    dropout: float = 0.0

    name = "lstm"
    learning_rate = 1e-3
    sequences = 40_000  # as many as the NTM that it stands beside on copy
    uses_kernel = True
    xla_on_cpu = False

    def __post_init__(self) -> None:
        check_integer("num_layers", self.num_layers)
        check_integer("layer_size", self.layer_size)
        check_number("dropout", self.dropout, minimum=0, below=1)

    def layer(self, units: int) -> "keras.layers.Layer":
        import memnets

        sizes = (self.layer_size,) * self.num_layers
        return memnets.StackedLSTM(units, sizes, dropout=self.dropout)

    @property
    def signature(self) -> str:
        text = f"{self.name}|layers:{self.num_layers}x{self.layer_size}"
        return f"{text}|dropout:{self.dropout:g}" if self.dropout else text


@dataclasses.dataclass(frozen=True)
class RecurrentConfig(ModelConfig):
    """One recurrent layer and a dense one.

    Args:
        units: Size of the recurrent layer.
    """

    # Tuned: with 16 units some seeds needed twice the sequences.
    units: int = 64

    learning_rate = 1e-2
    clip_norm = 1.0
    sequences = 40_000
    # Tuned: with 256 to 500 units XLA took 1.7 to 3.4 times as long, see
    # benchmarks/trials.md; with 64 units as long.
    xla_on_cpu = False

    def __post_init__(self) -> None:
        check_integer("units", self.units)

    def layer(self, units: int) -> "keras.layers.Layer":
        # Not a Sequential, which would drop the mask of the padding.
        layer = self.recurrent_layer()
        outputs = self.output_layer(units)
        return lambda inputs: outputs(layer(inputs))

    def output_layer(self, units: int) -> "keras.layers.Layer":
        """The layer that makes outputs of what the recurrent layer puts out."""
        import keras

        return keras.layers.Dense(units, name="outputs")

    def recurrent_layer(self) -> "keras.layers.Layer":
        """The layer, which returns its outputs at every step."""
        raise NotImplementedError

    @property
    def signature(self) -> str:
        return f"{self.name}|units:{self.units}"


@dataclasses.dataclass(frozen=True)
class LongMemoryLSTM(RecurrentConfig):
    """An LSTM whose biases keep what it stored, see `memnets.initializers.LongMemory`.

    Args:
        units: Size of the layer.
        memory_steps: How long it remembers at first, in steps; 1 for the biases of
            Keras.
        input_gate_bias: Where its input gates begin; 0 for minus the bias of the forget
            gates, which is ln(memory_steps).
        input_range: The first weights of the inputs are drawn from minus this number to
            this number; 0 for those of Keras, which are small if a step is one number.
    """

    memory_steps: float = 100.0
    input_gate_bias: float = 0.0
    input_range: float = 0.0

    name = "long-memory-lstm"
    uses_kernel = True

    def __post_init__(self) -> None:
        super().__post_init__()
        check_number("memory_steps", self.memory_steps, minimum=1)
        check_number("input_gate_bias", self.input_gate_bias)
        check_number("input_range", self.input_range, minimum=0)

    def recurrent_layer(self) -> "keras.layers.Layer":
        import keras

        return keras.layers.LSTM(self.units, return_sequences=True, **self._first())

    def _first(self) -> dict[str, Any]:
        """The initializers that are not those of Keras."""
        import keras

        from memnets.initializers import LongMemory

        first: dict[str, Any] = {}
        if self.memory_steps > 1:
            steps, bias = max(2, self.memory_steps), self.input_gate_bias or None
            first["bias_initializer"] = LongMemory(steps, bias)
            first["unit_forget_bias"] = False
        if size := self.input_range:
            uniform = keras.initializers.RandomUniform(-size, size)
            first["kernel_initializer"] = uniform
        return first

    @property
    def signature(self) -> str:
        inputs = f"|inputs:{self.input_range:g}" if self.input_range else ""
        return super().signature + inputs


@dataclasses.dataclass(frozen=True)
class GRU(RecurrentConfig):
    """`keras.layers.GRU`.

    Args:
        units: Size of the layer.
    """

    name = "gru"
    uses_kernel = True

    def recurrent_layer(self) -> "keras.layers.Layer":
        import keras

        return keras.layers.GRU(self.units, return_sequences=True)


@dataclasses.dataclass(frozen=True)
class SimpleRNN(RecurrentConfig):
    """`keras.layers.SimpleRNN`.

    Args:
        units: Size of the layer.
    """

    name = "simple-rnn"
    learning_rate = 1e-3

    def recurrent_layer(self) -> "keras.layers.Layer":
        import keras

        return keras.layers.SimpleRNN(self.units, return_sequences=True)


@dataclasses.dataclass(frozen=True)
class MultiplicativeRNN(RecurrentConfig):
    """A network whose inputs choose how it goes on, see
    `memnets.cells.MultiplicativeRNNCell`.

    Args:
        units: Size of the layer, and number of factors.
    """

    name = "mrnn"
    learning_rate = 1e-3

    def recurrent_layer(self) -> "keras.layers.Layer":
        import keras

        from memnets.cells import MultiplicativeRNNCell

        cell = MultiplicativeRNNCell(self.units, self.units)
        return keras.layers.RNN(cell, return_sequences=True)


@dataclasses.dataclass(frozen=True)
class LSTM1997(RecurrentConfig):
    """The LSTM of 1997, see `memnets.cells.LSTM1997Cell`.

    Tasks have the sizes and biases of the paper, and train it as there: online, by
    gradient descent. With `outputs` set to sigmoid it is the experiment of the paper.

    Args:
        units: Number of memory cells, a multiple of the blocks.
        blocks: Number of blocks.
        biased: What has a bias: all, hidden (cells and gates), gates or none.
        input_gate_bias: First bias of the input gates; one for each block as in -3/-6;
            a random one if None.
        output_gate_bias: The same of the output gates.
        weight_range: Weights are drawn between minus and plus this number.
    """

    units: int = 4
    blocks: int = 2
    biased: str = "all"
    input_gate_bias: float | tuple[float, ...] | None = -2.0
    output_gate_bias: float | tuple[float, ...] | None = None
    weight_range: float = 0.1

    name = "lstm-1997"

    def __post_init__(self) -> None:
        super().__post_init__()
        check_integer("blocks", self.blocks)
        check_choice("biased", self.biased, ("all", "hidden", "gates", "none"))
        for name in ("input_gate_bias", "output_gate_bias"):
            if isinstance(getattr(self, name), list):  # as JSON has it
                object.__setattr__(self, name, tuple(getattr(self, name)))
        if self.units % self.blocks:
            raise ValueError(
                f"`units` must be a multiple of the {self.blocks} blocks. "
                f"Received: units={self.units}"
            )

    def recurrent_layer(self) -> "keras.layers.Layer":
        import keras

        from memnets.cells import LSTM1997Cell

        cell = LSTM1997Cell(
            self.blocks,
            self.units // self.blocks,
            biased="all" if self.biased == "hidden" else self.biased,
            input_gate_bias=self.input_gate_bias,
            output_gate_bias=self.output_gate_bias,
            weight_range=self.weight_range,
        )
        return keras.layers.RNN(cell, return_sequences=True)

    def output_layer(self, units: int) -> "keras.layers.Layer":
        import keras

        drawn = keras.initializers.RandomUniform(-self.weight_range, self.weight_range)
        return keras.layers.Dense(
            units,
            use_bias=self.biased == "all",
            kernel_initializer=drawn,
            bias_initializer=drawn.clone(),
            name="outputs",
        )

    @property
    def signature(self) -> str:
        return f"{self.name}|blocks:{self.blocks}x{self.units // self.blocks}"
