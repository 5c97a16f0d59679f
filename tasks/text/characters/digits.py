"""Character tasks whose difficulty is a number of digits."""

import abc
import dataclasses
from typing import ClassVar, Self

from ...checks import check_boolean, check_integer
from ...contract.batch_checks import check_length
from ...contract.neighbours import Beside
from .curriculum import CurriculumEvaluation, CurriculumTask


class DigitEvaluation(CurriculumEvaluation):
    """An evaluation by the number of digits."""

    def at_length(self, length: int) -> "DigitTask":
        length = check_length(length)
        return dataclasses.replace(self.task, digits=length).on("validation")


@dataclasses.dataclass(frozen=True)
class DigitTask(CurriculumTask, abc.ABC):
    """Numbers of so many digits in. A stage is a number of digits.

    Args:
        digits: Digits of each number.
        reverse_input: Whether the source is read from its end.
    Raises:
        ValueError: If a parameter is out of its range.
        TypeError: If `reverse_input` is not True or False.
    """

    digits: int
    reverse_input: bool = False

    most_digits: ClassVar[int]
    evaluation = Beside(DigitEvaluation)

    def __post_init__(self) -> None:
        super().__post_init__()
        digits = check_integer("digits", self.digits, maximum=self.most_digits)
        object.__setattr__(self, "digits", digits)
        check_boolean("reverse_input", self.reverse_input)

    @property
    def stages(self) -> tuple[Self, ...]:
        return tuple(
            dataclasses.replace(self, digits=digits, strategy="baseline")
            for digits in range(1, self.digits + 1)
        )

    @property
    def size(self) -> tuple[int, ...]:
        return (self.digits,)

    def turned(self, text: str) -> str:
        """A text in the order in which it is read."""
        return text[::-1] if self.reverse_input else text
