"""Learning to execute: a program in, what it prints out."""

import dataclasses
import random
from typing import Self

from ...checks import check_integer
from ...contract.batch_checks import check_length, check_sequence
from ...contract.neighbours import Beside
from .curriculum import CurriculumEvaluation, CurriculumTask
from .interpreter import ProgramError, run_program
from .programs import NAMES, SMALL, Writer

# Heuristic: the paper goes up to 9 digits.
MOST_DIGITS = 18


class ExecutionEvaluation(CurriculumEvaluation):
    """An evaluation by the number of digits in a program."""

    def at_length(self, length: int) -> "LearningToExecute":
        length = check_length(length)
        return dataclasses.replace(self.task, length=length).on("validation")


@dataclasses.dataclass(frozen=True)
class LearningToExecute(CurriculumTask):
    """A short program in Python in; the number that it prints out.

    Each of `nesting` rounds makes a new expression of the last one and of new numbers:
    a sum or a difference, a product with a small number, the expression itself, a
    variable and a sum, a loop that adds or subtracts, or a conditional. One pass from
    left to right with a small memory is enough to run such a program. A stage is a
    length and a nesting; the length grows first.

    Args:
        length: Digits of the numbers, which go from 1 to 10^length.
        nesting: Number of rounds.
    Raises:
        ValueError: If a parameter is out of its range.
    Reference:
        Zaremba, Sutskever (2014), Learning to Execute, arXiv:1410.4615.
    """

    length: int = 2
    nesting: int = 2

    name = "learning-to-execute"
    evaluation = Beside(ExecutionEvaluation)
    # Variables are a to j; the other letters are those of the words of the language.
    symbols = "0123456789+-*<>=();: \nabcdefghijlnoprstx"

    def __post_init__(self) -> None:
        super().__post_init__()
        length = check_integer("length", self.length, maximum=MOST_DIGITS)
        object.__setattr__(self, "length", length)
        # A round needs a variable of its own.
        nesting = check_integer("nesting", self.nesting, maximum=len(NAMES))
        object.__setattr__(self, "nesting", nesting)

    @property
    def stages(self) -> tuple[Self, ...]:
        return tuple(
            dataclasses.replace(
                self, length=length, nesting=nesting, strategy="baseline"
            )
            for nesting in range(1, self.nesting + 1)
            for length in range(1, self.length + 1)
        )

    @property
    def longest_source(self) -> int:
        number, factor = self.length + 1, len(str(SMALL * self.length))
        loop = len("v=\nfor x in range():v+=\n") + number + factor + len("v")
        choice = len("( if > else )") + 3 * number
        return len("print()") + number + self.nesting * max(loop, choice)

    @property
    def longest_answer(self) -> int:
        # A round at most takes a number from the largest value so often, or adds.
        largest = most = 10**self.length
        for _ in range(self.nesting):
            largest = most + SMALL * self.length * largest
        return len(f"-{largest}")

    def draw_example(self, rng: random.Random) -> tuple[str, str]:
        program = Writer(self.length, rng).program(self.nesting)
        return program.text, str(program.value)

    def answer(self, source: str) -> str:
        try:
            return str(run_program(source))
        except ProgramError as error:
            check_sequence(self, False, f"is no program: {error}")
            raise  # for type checkers: the check above has raised

    @property
    def size(self) -> tuple[int, ...]:
        return (self.length, self.nesting)
