"""Networks whose layers are Neural Turing Machines."""

import dataclasses
from typing import TYPE_CHECKING

from ..checks import check_integer
from .base import ModelConfig

if TYPE_CHECKING:
    import keras


@dataclasses.dataclass(frozen=True)
class NTMLayers(ModelConfig):
    """The sizes of a memory. It stands before another configuration among the bases of
    a class.

    Args:
        memory_size: Rows of the memory, N.
        word_size: Width of a row, W.
        controller: lstm or feedforward.
    """

    memory_size: int = 64
    word_size: int = 32
    controller: str = "lstm"

    uses_kernel = True
    xla_on_cpu = True

    def __post_init__(self) -> None:
        super().__post_init__()  # type: ignore[misc]
        for name in ("memory_size", "word_size"):
            check_integer(name, getattr(self, name))

    def layer(self, units: int) -> "keras.layers.Layer":
        import memnets

        return memnets.NTM(
            units,
            memory_size=self.memory_size,
            word_size=self.word_size,
            controller=self.controller,
            controller_size=units,
        )

    @property
    def signature(self) -> str:
        memory = f"N:{self.memory_size}|W:{self.word_size}"
        return f"{super().signature}|{memory}|controller:{self.controller}"
