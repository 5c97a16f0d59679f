"""The memory-augmented network with least recently used access that tasks are trained
with."""

import dataclasses
from typing import TYPE_CHECKING

from ..checks import check_integer, check_number
from .base import ModelConfig

if TYPE_CHECKING:
    import keras


@dataclasses.dataclass(frozen=True)
class MANN(ModelConfig):
    """A network with least recently used access and an LSTM controller, see
    `memnets.LRUA`.

    Args:
        memory_size: Number of memory rows, N.
        word_size: Width of a memory row, W.
        num_read_heads: Number of heads, each of which reads and writes.
        controller_size: Units of the controller.
        decay: Share of the usage of a row that is left after a step.
        strengths: Whether heads set how sharply they read.
        separate_add: Whether heads write vectors of their own instead of their keys.
        initial_memory: zeros, random, randomized or learned.
        input_clip: Bound of the inputs; 0 for none.
    """

    name = "mann"
    learning_rate = 3e-3
    uses_kernel = True

    memory_size: int = 128
    word_size: int = 40
    num_read_heads: int = 4
    controller_size: int = 200
    decay: float = 0.95
    strengths: bool = False
    separate_add: bool = False
    initial_memory: str = "zeros"
    input_clip: float = 0.0

    def __post_init__(self) -> None:
        for name in ("memory_size", "word_size", "num_read_heads", "controller_size"):
            check_integer(name, getattr(self, name))
        check_number("decay", self.decay, minimum=0, below=1)
        self._check_bounds()

    def layer(self, units: int) -> "keras.layers.Layer":
        import memnets

        return memnets.LRUA(units, return_sequences=True, **self.layer_parameters)

    @property
    def signature(self) -> str:
        sizes = f"heads:{self.num_read_heads}|N:{self.memory_size}|W:{self.word_size}"
        return self.with_controller(f"{self.name}|{sizes}")
