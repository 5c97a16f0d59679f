"""When a task counts as solved."""

import math
from typing import NamedTuple


class Success(NamedTuple):
    """When a task counts as solved: a measure, over an epoch, is beyond a bound.

    Attributes:
        measure: A column of the history, such as `bit_errors`.
        below: The measure must be below this.
        above: The measure must be above this.
        also: What must hold besides.
        epoch_sequences: Sequences that an epoch must have for it, at least.
    """

    measure: str
    below: float = math.inf
    above: float = -math.inf
    also: "Success | None" = None
    epoch_sequences: int = 1

    @property
    def measures(self) -> list[str]:
        """The columns that must be beyond their bounds."""
        return [self.measure, *(self.also.measures if self.also else [])]

    def reached(self, row: dict[str, float]) -> bool:
        """Whether a row of the history is a success."""
        reached = self.above < row[self.measure] < self.below
        return reached and (self.also is None or self.also.reached(row))

    def __str__(self) -> str:
        bounds = [
            f"{word} {bound:g}"
            for word, bound in (("above", self.above), ("below", self.below))
            if math.isfinite(bound)
        ]
        text = f"{self.measure.replace('_', ' ')} {' and '.join(bounds)}"
        return f"{text}, {self.also}" if self.also else text
