"""What the compiled kernel must know of an NTM."""

import dataclasses
from typing import ClassVar

from ..native.kernel_layout import MemoryLayout


@dataclasses.dataclass(frozen=True)
class NTMLayout(MemoryLayout):
    """The sizes of an `NTMCell`."""

    kind: ClassVar[str] = "ntm"

    shift_range: int

    @property
    def options(self) -> tuple[int, ...]:
        return (self.shift_range,)
