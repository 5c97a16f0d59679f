"""Digits to be repeated."""

import dataclasses
import random
import re

from ...checks import check_boolean
from ...contract.batch_checks import check_sequence
from .digits import DigitTask

# Between the two copies of a doubled source.
AGAIN = ";"


@dataclasses.dataclass(frozen=True)
class Memorization(DigitTask):
    """A number in; the same number out.

    A reversed source begins the answer with what was read last, a doubled one is read
    twice. A stage is a number of digits.

    Args:
        digits: Digits of the number.
        reverse_input: Whether the source is read from its end.
        double_input: Whether the source has the number twice, as "123;123".
    Raises:
        ValueError: If a parameter is out of its range.
        TypeError: If a flag is not True or False.
    Reference:
        Zaremba, Sutskever (2014), Learning to Execute, arXiv:1410.4615.
    """

    digits: int = 10
    double_input: bool = False

    name = "memorization"
    most_digits = 1_000  # Heuristic: the paper goes up to 65
    symbols = f"0123456789{AGAIN}"

    def __post_init__(self) -> None:
        super().__post_init__()
        check_boolean("double_input", self.double_input)

    @property
    def longest_source(self) -> int:
        return 2 * self.digits + 1 if self.double_input else self.digits

    @property
    def longest_answer(self) -> int:
        return self.digits

    def draw_example(self, rng: random.Random) -> tuple[str, str]:
        number = "".join(rng.choices("0123456789", k=self.digits))
        return self._source(number), number

    def answer(self, source: str) -> str:
        first = source.partition(AGAIN)[0]
        number = self.turned(first)
        is_source = re.fullmatch("[0-9]+", number) and source == self._source(number)
        check_sequence(self, is_source, f"is not a number: {source!r}")
        return number

    def _source(self, number: str) -> str:
        read = self.turned(number)
        return f"{read}{AGAIN}{read}" if self.double_input else read
