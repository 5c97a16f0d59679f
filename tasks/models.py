"""The models that tasks are trained with, each a frozen dataclass of its parameters.

Keras is imported only when a model is built, so that listing them is quick.
"""

import abc
import dataclasses
from typing import Any, ClassVar

from .base import Task
from .checks import check_integer, check_number

# Parameters of models that are bounds.
_BOUNDS = ("input_clip", "cell_clip")


@dataclasses.dataclass(frozen=True)
class ModelConfig(abc.ABC):
    """Parameters of a model; the fields are the options of the command line."""

    name: ClassVar[str]
    # Training parameters unless told otherwise: Adam's initial learning rate, the bound
    # of the gradient's norm, and the budget of sequences. Tuned over several seeds.
    learning_rate: ClassVar[float] = 1e-3
    clip_norm: ClassVar[float] = 0.1
    sequences: ClassVar[int] = 40_000
    # Steps over which the learning rate rises.
    warmup: ClassVar[int] = 0
    # Whether the compiled kernel of `memnets.native` can compute the model.
    uses_kernel: ClassVar[bool] = False
    # Whether training is faster with XLA on TensorFlow and a CPU.
    xla_on_cpu: ClassVar[bool] = True

    def build(self, task: Task) -> Any:
        """Makes the Keras model, with the inputs and outputs of the task, and random
        weights."""
        import keras

        inputs = keras.Input(task.input_shape, dtype=task.input_dtype, name="inputs")
        outputs = self.layer(task.output_size)(task.features(inputs))
        if not task.every_step:
            outputs = outputs[:, -1]
        return keras.Model(inputs, outputs, name=self.name.replace("-", "_"))

    def begin(self, network: Any, task: Task) -> None:  # noqa: B027
        """Gives a new network of `build` the first weights that are not random, if the
        model has some. A network whose weights are restored does not need it."""

    @abc.abstractmethod
    def layer(self, units: int) -> Any:
        """The recurrent layer, with an output of `units` numbers at every step."""

    @property
    def is_own(self) -> bool:
        """Whether it is the user's own, not one of this package."""
        return not type(self).__module__.startswith(f"{__package__}.")

    @property
    def is_drawn(self) -> bool:
        """Whether `build` draws new weights each time."""
        return True

    @property
    def label(self) -> str:
        """The name under which results are shown."""
        return self.name

    @property
    def parameters(self) -> dict:
        """The parameters by name, ready for JSON."""
        return dataclasses.asdict(self)

    @property
    def layer_parameters(self) -> dict:
        """The parameters as arguments of a layer, which has None for no bound."""
        bounds = {name: getattr(self, name) or None for name in self._bounds}
        return {**self.parameters, **bounds}

    @property
    def _bounds(self):
        """The fields that are bounds, 0 for none."""
        return [name for name in _BOUNDS if hasattr(self, name)]

    def _check_bounds(self):
        for name in self._bounds:
            check_number(name, getattr(self, name), minimum=0)

    @classmethod
    def upgrade(cls, parameters: dict) -> dict:
        """Parameters saved by an earlier version, as this version names them."""
        return parameters

    @property
    def signature(self) -> str:
        """The model and its sizes in one short string."""
        named = (f"{key}:{value}" for key, value in self.parameters.items())
        return "|".join([self.name, *named])


@dataclasses.dataclass(frozen=True)
class NTMConfig(ModelConfig):
    """Parameters of both Neural Turing Machines; the sizes are the paper's for copy.

    Args:
        memory_size: Number of memory rows, N.
        word_size: Width of a memory row, W.
        num_read_heads: Number of read heads.
        num_write_heads: Number of write heads.
        shift_range: Largest shift of a head in one step.
        controller_size: Units of the controller.
        initial_memory: random, randomized, constant, constant-trainable or learned.
        initial_weightings: uniform, one-hot or learned.
        initial_reads: zeros or learned.
        gate_bias: Initial bias of the gates between location and content; one for each
            read head as in -4/2.
        write_gate_bias: The same for the write heads; `gate_bias` if None.
        shift_bias: Initial bias of the shifts: heads first advance (above 0) or stay
            (below 0); one for each read head as in 2/-2.
        write_shift_bias: The same for the write heads; `shift_bias` if None.
        input_clip: Bound of the inputs; 0 for none.
    """

    controller: ClassVar[str]
    uses_kernel = True
    learning_rate = 3e-3

    memory_size: int = 128
    word_size: int = 20
    num_read_heads: int = 1
    num_write_heads: int = 1
    shift_range: int = 1
    controller_size: int = 100
    initial_memory: str = "random"
    initial_weightings: str = "one-hot"
    initial_reads: str = "zeros"
    gate_bias: float | tuple[float, ...] = 2.0
    write_gate_bias: float | tuple[float, ...] | None = -4.0
    shift_bias: float | tuple[float, ...] = 2.0
    write_shift_bias: float | tuple[float, ...] | None = None
    input_clip: float = 0.0

    def __post_init__(self):
        for name in ("gate_bias", "write_gate_bias", "shift_bias", "write_shift_bias"):
            if isinstance(getattr(self, name), list):  # as JSON has it
                object.__setattr__(self, name, tuple(getattr(self, name)))
        for name in ("memory_size", "word_size", "num_read_heads", "num_write_heads"):
            check_integer(name, getattr(self, name))
        check_integer("controller_size", self.controller_size)
        check_integer("shift_range", self.shift_range, minimum=0)
        self._check_bounds()

    def layer(self, units: int) -> Any:
        import memnets

        return memnets.NTM(
            units,
            controller=self.controller,
            return_sequences=True,
            **self.layer_parameters,
        )

    @classmethod
    def upgrade(cls, parameters: dict) -> dict:
        parameters = dict(parameters)
        # Runs without a bound were made before the model had it.
        for name in _BOUNDS:
            if name in cls.__dataclass_fields__ and parameters.get(name) is None:
                parameters[name] = 0.0
        if parameters.get("initial_memory") == "redrawn":
            parameters["initial_memory"] = "randomized"
        return parameters

    @property
    def signature(self) -> str:
        heads = f"{self.num_read_heads}+{self.num_write_heads}"
        return f"{self.name}|heads:{heads}|N:{self.memory_size}|W:{self.word_size}"


@dataclasses.dataclass(frozen=True)
class NTMFeedforward(NTMConfig):
    """A Neural Turing Machine with a feedforward controller, see `memnets.NTM`."""

    name = "ntm-feedforward"
    controller = "feedforward"


@dataclasses.dataclass(frozen=True)
class NTMLSTM(NTMConfig):
    """A Neural Turing Machine with an LSTM controller, see `memnets.NTM`.

    Args:
        cell_clip: Bound of the carries of the controller; 0 for none.
    """

    cell_clip: float = 0.0

    name = "ntm-lstm"
    controller = "lstm"


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
    xla_on_cpu = False

    def __post_init__(self):
        check_integer("num_layers", self.num_layers)
        check_integer("layer_size", self.layer_size)
        check_number("dropout", self.dropout, minimum=0, below=1)

    def layer(self, units: int) -> Any:
        import memnets

        sizes = (self.layer_size,) * self.num_layers
        return memnets.StackedLSTM(units, sizes, dropout=self.dropout)

    @property
    def signature(self) -> str:
        text = f"{self.name}|layers:{self.num_layers}x{self.layer_size}"
        return f"{text}|dropout:{self.dropout:g}" if self.dropout else text
