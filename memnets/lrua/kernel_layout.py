"""What the compiled kernel must know of an LRUA memory."""

import dataclasses
from typing import ClassVar

from ..native.kernel_layout import MemoryLayout, float_bits


@dataclasses.dataclass(frozen=True)
class LRUALayout(MemoryLayout):
    """The sizes and options of an `LRUACell`."""

    kind: ClassVar[str] = "lrua"

    strengths: bool
    separate_add: bool
    decay: float

    @property
    def order_size(self) -> int:
        return self.memory_size  # the usage

    @property
    def options(self) -> tuple[int, ...]:
        return self.strengths, self.separate_add, float_bits(self.decay)
