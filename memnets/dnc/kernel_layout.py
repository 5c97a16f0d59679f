"""What the compiled kernel must know of a DNC."""

import dataclasses
from typing import ClassVar

from ..native.kernel_layout import MemoryLayout, float_bits


@dataclasses.dataclass(frozen=True)
class DNCLayout(MemoryLayout):
    """The sizes and options of a `DNCCell`."""

    kind: ClassVar[str] = "dnc"

    links: bool
    deallocate: bool
    masks: bool
    mask_min: float
    sharpen_links: bool
    usage_gradient: bool

    @property
    def order_size(self) -> int:
        rows = self.num_write_heads * (self.memory_size + 1) if self.links else 0
        return (1 + rows) * self.memory_size

    @property
    def options(self) -> tuple[int, ...]:
        return (
            self.links,
            self.deallocate,
            self.masks,
            float_bits(self.mask_min),
            self.sharpen_links,
            self.usage_gradient,
        )
