"""What a setting of a search may be: numbers of a range, or one of several values."""

import dataclasses
import math
from typing import Any

from ..checks import check_boolean, shorten


@dataclasses.dataclass(frozen=True)
class Range:
    """Numbers from the lowest to the highest, both included.

    Args:
        low: The lowest.
        high: The highest.
        log: Whether each factor is as likely as another, rather than each difference.
    Raises:
        TypeError: If `low` or `high` is no number, or `log` no flag.
        ValueError: If `low` is not below `high`, or not above 0 where `log`.
    """

    low: float
    high: float
    log: bool = False

    def __post_init__(self) -> None:
        for name in ("low", "high"):
            value = getattr(self, name)
            if isinstance(value, bool) or not isinstance(value, int | float):
                raise TypeError(
                    f"`{name}` must be a number. Received: {name}={shorten(value)}"
                )
        check_boolean("log", self.log)
        if not -math.inf < self.low < self.high < math.inf:
            raise ValueError(
                "`low` must be below `high`, and both finite. "
                f"Received: low={self.low}, high={self.high}"
            )
        if self.log and self.low <= 0:
            raise ValueError(
                f"`low` must be above 0 with `log`. Received: low={self.low}"
            )

    @property
    def is_whole(self) -> bool:
        """Whether the numbers are integers."""
        return isinstance(self.low, int) and isinstance(self.high, int)

    def __contains__(self, value: object) -> bool:
        return isinstance(value, int | float) and self.low <= value <= self.high


Axis = Range | tuple[Any, ...]
