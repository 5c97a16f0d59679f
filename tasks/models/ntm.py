"""Neural Turing Machines."""

import dataclasses
from typing import TYPE_CHECKING, ClassVar

from ..checks import check_integer
from .base import BOUNDS, ModelConfig

if TYPE_CHECKING:
    import keras


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

    def __post_init__(self) -> None:
        for name in ("gate_bias", "write_gate_bias", "shift_bias", "write_shift_bias"):
            if isinstance(getattr(self, name), list):  # as JSON has it
                object.__setattr__(self, name, tuple(getattr(self, name)))
        for name in ("memory_size", "word_size", "num_read_heads", "num_write_heads"):
            check_integer(name, getattr(self, name))
        check_integer("controller_size", self.controller_size)
        check_integer("shift_range", self.shift_range, minimum=0)
        self._check_bounds()

    def layer(self, units: int) -> "keras.layers.Layer":
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
        for name in BOUNDS:
            if name in cls.__dataclass_fields__ and parameters.get(name) is None:
                parameters[name] = 0.0
        if parameters.get("initial_memory") == "redrawn":
            parameters["initial_memory"] = "randomized"
        return parameters

    @property
    def signature(self) -> str:
        heads = f"{self.num_read_heads}+{self.num_write_heads}"
        sizes = f"heads:{heads}|N:{self.memory_size}|W:{self.word_size}"
        return self.with_controller(f"{self.name}|{sizes}")


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
