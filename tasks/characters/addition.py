"""The sum of two numbers."""

import dataclasses
import random
import re
from typing import Any, Self

from ..batch_checks import check_length, check_sequence
from ..checks import check_boolean, check_integer
from .curriculum import CurriculumTask

# Heuristic: the paper goes up to 9 digits.
MOST_DIGITS = 18


@dataclasses.dataclass(frozen=True)
class Addition(CurriculumTask):
    """Two numbers in; their sum out.

    The source is "345+678", the answer "1023". Both numbers have the same number of
    digits, as in the paper. A stage is a number of digits.

    Deviation: the paper writes print(345+678). All but the numbers is the same in every
    sequence, and takes half of the steps.

    Args:
        digits: Digits of each number.
        reverse_input: Whether the source is read from its end, as "876+543".
    Raises:
        ValueError: If a parameter is out of its range.
        TypeError: If `reverse_input` is not True or False.
    Reference:
        Zaremba, Sutskever (2014), Learning to Execute, arXiv:1410.4615.
    """

    digits: int = 3
    reverse_input: bool = False

    name = "addition"
    symbols = "0123456789+"

    def __post_init__(self) -> None:
        super().__post_init__()
        digits = check_integer("digits", self.digits, maximum=MOST_DIGITS)
        object.__setattr__(self, "digits", digits)
        check_boolean("reverse_input", self.reverse_input)

    @property
    def stages(self) -> tuple[Self, ...]:
        return tuple(
            dataclasses.replace(self, digits=digits, strategy="baseline")
            for digits in range(1, self.digits + 1)
        )

    @property
    def longest_source(self) -> int:
        return 2 * self.digits + 1

    @property
    def longest_answer(self) -> int:
        return self.digits + 1

    def draw_example(self, rng: random.Random) -> tuple[str, str]:
        low, high = 10 ** (self.digits - 1), 10**self.digits - 1
        a, b = rng.randint(low, high), rng.randint(low, high)
        return self._turned(f"{a}+{b}"), str(a + b)

    def answer(self, source: str) -> str:
        found = re.fullmatch(r"([0-9]+)\+([0-9]+)", self._turned(source))
        check_sequence(self, found, f"is not a sum: {source!r}")
        return str(sum(map(int, found.groups()))) if found else ""

    def _turned(self, source):
        return source[::-1] if self.reverse_input else source

    @property
    def size(self) -> tuple[int, ...]:
        return (self.digits,)

    def at_length(self, length: int) -> Self:
        length = check_length(length)
        return dataclasses.replace(self, digits=length).on("validation")

    @property
    def training_parameters(self) -> dict[str, Any]:  # type: ignore[override]
        return {}
