"""Recurrent cells of `memnets.cells` as models, and networks of Keras that read from
both ends."""

import dataclasses
from typing import TYPE_CHECKING, Any

from ..checks import check_boolean, check_integer, check_number
from ..contract.of_few_tasks import is_read_whole
from ..contract.task import Task
from .recurrent import RecurrentConfig

if TYPE_CHECKING:
    import keras

# Of leaky units, the time constant of the fastest, in steps. A trained one is above 1.
FASTEST = 1.1


@dataclasses.dataclass(frozen=True)
class CellModel(RecurrentConfig):
    """A layer that runs one cell.

    Args:
        units: Size of the layer.
    """

    learning_rate = 1e-3

    def cell(self) -> "keras.layers.Layer":
        """The cell."""
        raise NotImplementedError

    def recurrent_layer(self) -> "keras.layers.Layer":
        import keras

        return keras.layers.RNN(self.cell(), return_sequences=True)


@dataclasses.dataclass(frozen=True)
class Elman(CellModel):
    """Elman's network, see `memnets.cells.ElmanCell`.

    Args:
        units: Size of the layer.
        truncated: Whether no gradient flows from step to step, as Elman trained.
    """

    truncated: bool = False

    name = "elman"

    def __post_init__(self) -> None:
        super().__post_init__()
        check_boolean("truncated", self.truncated)

    def cell(self) -> "keras.layers.Layer":
        from memnets.cells import ElmanCell

        return ElmanCell(self.units, truncated=self.truncated)


@dataclasses.dataclass(frozen=True)
class Jordan(CellModel):
    """Jordan's network, whose outputs recur, see `memnets.cells.JordanCell`; logits,
    where the loss has a sigmoid or a softmax.

    Args:
        units: Size of the hidden layer.
        self_connection: What is kept of the context in a step, from 0 to 1.
    """

    self_connection: float = 0.5

    name = "jordan"

    def __post_init__(self) -> None:
        super().__post_init__()
        check_number("self_connection", self.self_connection, minimum=0, maximum=1)

    def layer(self, units: int) -> "keras.layers.Layer":
        import keras

        from memnets.cells import JordanCell

        cell = JordanCell(self.units, units, self_connection=self.self_connection)
        return keras.layers.RNN(cell, return_sequences=True, name="outputs")


@dataclasses.dataclass(frozen=True)
class LeakyRNN(CellModel):
    """Leaky units of many speeds, see `memnets.cells.LeakyRNNCell`. The logarithms of
    their time constants are drawn from those of 1.1 to `slowest`.

    Args:
        units: Size of the layer.
        slowest: Largest time constant, in steps.
        learned: Whether time constants are trained.
    """

    slowest: float = 100.0
    learned: bool = False

    name = "leaky-rnn"

    def __post_init__(self) -> None:
        super().__post_init__()
        check_number("slowest", self.slowest, minimum=FASTEST)
        check_boolean("learned", self.learned)

    def cell(self) -> "keras.layers.Layer":
        from memnets.cells import LeakyRNNCell

        constants = ("log-uniform", FASTEST, self.slowest)
        return LeakyRNNCell(self.units, constants, learned=self.learned)


@dataclasses.dataclass(frozen=True)
class ClockworkRNN(CellModel):
    """Modules that move at different speeds, see `memnets.cells.ClockworkRNNCell`.

    Args:
        units: Size of the layer, a multiple of the modules.
        modules: Number of modules; module i moves at every 2^(i-1)-th step.
    """

    modules: int = 8

    name = "clockwork-rnn"

    def __post_init__(self) -> None:
        super().__post_init__()
        check_integer("modules", self.modules)
        if self.units % self.modules:
            raise ValueError(
                f"`units` must be a multiple of the {self.modules} modules. "
                f"Received: units={self.units}"
            )

    def cell(self) -> "keras.layers.Layer":
        from memnets.cells import ClockworkRNNCell

        return ClockworkRNNCell(self.units, tuple(2**i for i in range(self.modules)))


@dataclasses.dataclass(frozen=True)
class DelayedRNN(CellModel):
    """A network that sees two of its earlier states, see
    `memnets.cells.DelayedRNNCell`.

    Args:
        units: Size of the layer.
        delay: How far back the second one is, in steps.
    """

    delay: int = 10

    name = "delayed-rnn"

    def __post_init__(self) -> None:
        super().__post_init__()
        check_integer("delay", self.delay)

    def cell(self) -> "keras.layers.Layer":
        from memnets.cells import DelayedRNNCell

        return DelayedRNNCell(self.units, (1, self.delay))


@dataclasses.dataclass(frozen=True)
class DeepTransitionRNN(CellModel):
    """Several layers between two states, see `memnets.cells.DeepTransitionRNNCell`.

    Args:
        units: Size of the layers.
        depth: Number of layers, from 2.
        skip: Whether there is a connection past the layers.
    """

    depth: int = 2
    skip: bool = True

    name = "deep-transition-rnn"

    def __post_init__(self) -> None:
        super().__post_init__()
        check_integer("depth", self.depth, minimum=2)
        check_boolean("skip", self.skip)

    def cell(self) -> "keras.layers.Layer":
        from memnets.cells import DeepTransitionRNNCell

        return DeepTransitionRNNCell(self.units, self.depth, skip=self.skip)


@dataclasses.dataclass(frozen=True)
class PeepholeLSTM(CellModel):
    """An LSTM whose gates see the carry, see `memnets.cells.PeepholeLSTMCell`.

    Args:
        units: Size of the layer.
    """

    name = "peephole-lstm"
    learning_rate = 1e-2

    def cell(self) -> "keras.layers.Layer":
        from memnets.cells import PeepholeLSTMCell

        return PeepholeLSTMCell(self.units)


@dataclasses.dataclass(frozen=True)
class BothWays(RecurrentConfig):
    """A network that reads the input from both ends. It is for tasks whose answer comes
    after the whole input: elsewhere it would see what it is asked for.

    Args:
        units: Size of the layer of each direction.
    """

    def one_way(self, **arguments: Any) -> "keras.layers.Layer":
        """The layer of one direction."""
        raise NotImplementedError

    def build(self, task: Task) -> "keras.Model":
        """The network of a task.

        Raises:
            ValueError: If an answer is due before all of the input is there.
        """
        import keras

        if task.every_step and not is_read_whole(task):
            raise ValueError(
                f"The model {self.name} must have a task whose answer comes after the "
                "whole input: it reads from both ends, and would see what it is asked "
                f"for. Received: {task.name}"
            )
        inputs = task.inputs()
        features = task.features(inputs)
        if task.every_step:  # The padding after a sequence would be read first.
            features = keras.layers.Masking()(features)
        layer = keras.layers.Bidirectional(
            self.one_way(return_sequences=task.every_step)
        )
        outputs = self.output_layer(task.output_size)(layer(features))
        return keras.Model(inputs, outputs, name=self.name)


@dataclasses.dataclass(frozen=True)
class BidirectionalLSTM(BothWays):
    """`keras.layers.LSTM` in both directions.

    Args:
        units: Size of the layer of each direction.
    """

    name = "blstm"

    def one_way(self, **arguments: Any) -> "keras.layers.Layer":
        import keras

        return keras.layers.LSTM(self.units, **arguments)


@dataclasses.dataclass(frozen=True)
class BidirectionalGRU(BothWays):
    """`keras.layers.GRU` in both directions.

    Args:
        units: Size of the layer of each direction.
    """

    name = "bgru"

    def one_way(self, **arguments: Any) -> "keras.layers.Layer":
        import keras

        return keras.layers.GRU(self.units, **arguments)
