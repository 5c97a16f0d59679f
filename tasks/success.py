"""When a task counts as solved."""

import math
from typing import NamedTuple


class Success(NamedTuple):
    """When a task counts as solved: a measure, over an epoch, is beyond a bound.

    Attributes:
        measure: A column of the history, such as `bit_errors`.
        below: The measure must be below this.
        above: The measure must be above this.
    """

    measure: str
    below: float = math.inf
    above: float = -math.inf

    def reached(self, row: dict[str, float]) -> bool:
        """Whether a row of the history is a success."""
        return self.above < row[self.measure] < self.below

    def __str__(self) -> str:
        bounds = [
            f"{word} {bound:g}"
            for word, bound in (("above", self.above), ("below", self.below))
            if math.isfinite(bound)
        ]
        return f"{self.measure.replace('_', ' ')} {' and '.join(bounds)}"
