"""What a setting of a search may be: numbers of a range, or one of several values."""

import dataclasses
import math
import re
from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, Any

from ..checks import check_boolean, shorten
from ..contract.parameters import (
    FLAGS,
    NONE,
    numbers,
    text_of,
)

if TYPE_CHECKING:
    import optuna

_KINDS: dict[Any, Any] = {bool: bool, int: int, float: (int, float), str: str}
_NUMBERS = (int, float, numbers)
# Digits of proposed numbers.
DIGITS = 3


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

    @classmethod
    def of_text(cls, text: str, field: "Field") -> "Range | None":
        """LOW:HIGH or LOW:HIGH:log, None for another form."""
        ends = text.split(":")
        if len(ends) == 1:
            return None
        if len(ends) > 3 or ends[2:] not in ([], ["log"]):
            raise ValueError("a range is LOW:HIGH or LOW:HIGH:log")
        if field.kind not in _NUMBERS:
            raise ValueError("only numbers have a range")
        low, high = (field.value(word) for word in ends[:2])
        return cls(low, high, log=len(ends) == 3)

    @classmethod
    def of_value(cls, value: Any, field: "Field") -> "Range | None":
        """A range in the numbers of a setting: of an integer in integers, of another
        number in real ones; None for what is no range."""
        if not isinstance(value, Range):
            return None
        if field.kind not in _NUMBERS:
            raise ValueError(
                f"`vary` must give {field.name} values: only numbers have a range."
            )
        for end in (value.low, value.high):
            field.check(int(end) if end == int(end) else end)
        number = int if field.kind is int else float
        return cls(number(value.low), number(value.high), value.log)

    @property
    def is_whole(self) -> bool:
        """Whether the numbers are integers."""
        return isinstance(self.low, int) and isinstance(self.high, int)

    def __contains__(self, value: object) -> bool:
        return isinstance(value, int | float) and self.low <= value <= self.high

    @property
    def extremes(self) -> tuple[Any, ...]:
        """The values to try the setting with."""
        return self.low, self.high

    def record(self) -> Any:
        """The axis in JSON."""
        return dataclasses.asdict(self)

    def place(self, value: Any) -> float:
        """Where a value stands in a picture."""
        return float(value)

    def draw_ticks(self, panel: Any) -> None:
        """Marks the horizontal axis of a panel of Matplotlib."""
        if self.log:
            panel.set_xscale("log")

    def distribution(self) -> "optuna.distributions.BaseDistribution":
        """The axis for Optuna, which takes only plain values."""
        from optuna.distributions import FloatDistribution, IntDistribution

        if isinstance(self.low, int) and isinstance(self.high, int):
            return IntDistribution(self.low, self.high, log=self.log)
        return FloatDistribution(self.low, self.high, log=self.log)

    def to_optuna(self, value: Any) -> Any:
        return value

    def from_optuna(self, value: Any) -> Any:
        if self.is_whole:
            return value
        # As many digits as people read and write.
        return min(max(float(f"{value:.{DIGITS}g}"), self.low), self.high)


class Choice(tuple[Any, ...]):
    """One of several values, with the same members as `Range`."""

    __slots__ = ()

    @classmethod
    def of_text(cls, text: str, field: "Field") -> "Choice | None":
        """VALUE,VALUE,..."""
        values = cls(field.value(word, field.or_none) for word in text.split(","))
        if len(set(values)) < 2:
            raise ValueError("it names only one value")
        return values

    @classmethod
    def of_value(cls, value: Any, field: "Field") -> "Choice | None":
        is_list = isinstance(value, Iterable) and not isinstance(value, str)
        values = cls(value if is_list else ())
        if len(values) < 2:
            return None
        for one in values:
            field.check(one)
        return values

    @property
    def extremes(self) -> tuple[Any, ...]:
        return self

    def record(self) -> Any:
        return list(self)

    def place(self, value: Any) -> float:
        return self.index(value)

    def draw_ticks(self, panel: Any) -> None:
        panel.set_xticks(range(len(self)), [text_of(value) for value in self])

    def distribution(self) -> "optuna.distributions.BaseDistribution":
        from optuna.distributions import CategoricalDistribution

        return CategoricalDistribution(tuple(range(len(self))))

    def to_optuna(self, value: Any) -> Any:
        return self.index(value)

    def from_optuna(self, value: Any) -> Any:
        return self[value]


Axis = Range | Choice
# Each is asked in turn what a text, or a value of `vary`, says.
AXES: tuple[type[Range] | type[Choice], ...] = (Range, Choice)


@dataclasses.dataclass(frozen=True)
class Field:
    """A field of a task, a model or a training that varies.

    Args:
        name: Its name.
        kind: The type of its values.
        or_none: Whether it may be None.
    """

    name: str
    kind: Callable[[str], Any]
    or_none: bool

    def value(self, word: str, or_none: bool = False) -> Any:
        word = word.strip()
        if or_none and word == NONE:
            return None
        if self.kind is bool:
            return FLAGS[word.lower()]
        if self.kind is int and re.fullmatch(r"\d+e\d+", word):  # 1e3 is whole too
            return int(float(word))
        return self.kind(word)

    def check(self, value: Any) -> None:
        is_flag = isinstance(value, bool)
        suits = self.kind not in _KINDS or isinstance(value, _KINDS[self.kind])
        if value is not None and (not suits or (is_flag and self.kind is not bool)):
            raise ValueError(
                f"`vary` must give {self.name} values of type {self.kind.__name__}. "
                f"Received: {shorten(value)}"
            )


def axis_of_text(given: str, field: Field) -> Axis:
    """The axis that a text such as `1e-4:1e-2:log` or `50,100` says.

    Raises:
        ValueError: If it has another form, or a value does not suit the field.
    """
    try:
        return next(axis for kind in AXES if (axis := kind.of_text(given, field)))
    except (ValueError, TypeError, KeyError) as error:
        reason = (
            str(error).replace("`low`", "the lowest").replace("`high`", "the highest")
        )
        raise ValueError(
            f"`vary` must give {field.name} values that it can have. Received: "
            f"{field.name}={given} ({reason.partition('. Received')[0]})"
        ) from None


def axis_of(value: Any, field: Field) -> Axis:
    """The axis that a value of `vary` says.

    Raises:
        ValueError: If it says none, or has values of another type.
    """
    for kind in AXES:
        if axis := kind.of_value(value, field):
            return axis
    raise ValueError(
        f"`vary` must give {field.name} a Range or at least two values. "
        f"Received: {shorten(value)}"
    )
