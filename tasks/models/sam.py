"""The sparse access memories that tasks are trained with."""

import dataclasses
from typing import TYPE_CHECKING, ClassVar

from ..checks import check_choice, check_integer
from .base import ModelConfig

if TYPE_CHECKING:
    import keras


@dataclasses.dataclass(frozen=True)
class SAMConfig(ModelConfig):
    """Parameters of both networks with a sparse access memory.

    Args:
        memory_size: Number of memory rows, N.
        word_size: Width of a memory row, W.
        num_read_heads: Number of heads, each of which reads and writes.
        num_rows_read: Number of rows that a head reads in a step.
        search: How near rows are found: exact, or hashing, by an index.
        controller_size: Units of the controller.
        initial_memory: zeros, random, randomized or learned.
        input_clip: Bound of the inputs; 0 for none.
    """

    controller: ClassVar[str]
    # Tuned: see docs/recipes.md.
    learning_rate = 5e-3

    memory_size: int = 128
    word_size: int = 20
    num_read_heads: int = 1
    num_rows_read: int = 4
    search: str = "exact"
    controller_size: int = 100
    initial_memory: str = "zeros"
    input_clip: float = 0.0

    def __post_init__(self) -> None:
        for name in ("memory_size", "word_size", "num_read_heads", "num_rows_read"):
            check_integer(name, getattr(self, name))
        check_choice("search", self.search, ("exact", "hashing"))
        check_integer("controller_size", self.controller_size)
        self._check_bounds()

    def layer(self, units: int) -> "keras.layers.Layer":
        import memnets

        return memnets.SAM(
            units,
            controller=self.controller,
            return_sequences=True,
            **self.layer_parameters,
        )

    @property
    def signature(self) -> str:
        rows = f"K:{self.num_rows_read}|N:{self.memory_size}|W:{self.word_size}"
        text = self.with_controller(f"{self.name}|heads:{self.num_read_heads}|{rows}")
        return text if self.search == "exact" else f"{text}|search:{self.search}"


@dataclasses.dataclass(frozen=True)
class SAMFeedforward(SAMConfig):
    """A sparse access memory with a feedforward controller, see `memnets.SAM`."""

    name = "sam-feedforward"
    controller = "feedforward"


@dataclasses.dataclass(frozen=True)
class SAMLSTM(SAMConfig):
    """A sparse access memory with an LSTM controller, see `memnets.SAM`."""

    name = "sam-lstm"
    controller = "lstm"
