"""The contract of tasks over strings, such as formal languages."""

import abc
import dataclasses
from typing import Any, ClassVar

import numpy as np

from ..contract.batch_checks import (
    check_draw,
    check_inputs,
    check_integers,
    check_range,
    check_sequence,
)
from ..contract.neighbours import Beside
from ..contract.sized_task import RangedTask, Rng
from ..contract.symbol_presentation import BLANK, input_text
from ..contract.symbol_task import SymbolTask
from ..contract.task import Batch
from .stack_training import StringRecipe

# Ends the source of a task whose answer comes after it.
ASK = "="


@dataclasses.dataclass(frozen=True)
class StringTask(RangedTask, SymbolTask):
    """A string in, one symbol a step; at each step at most one symbol out.

    Symbols are single characters, and a string has `BLANK` where there is none. A
    sequence has a length, in a unit of the task. All begin at step 0; what comes after
    their end is blank. An output counts where `answer` has a symbol.

    Args:
        min_length: Shortest sequence.
        max_length: Longest sequence; every batch is padded to its steps.
    """

    min_length: int = 1
    max_length: int = 20

    recipe = Beside(StringRecipe)
    eval_factors: ClassVar[tuple[int, ...]] = (1, 2, 4)

    def __post_init__(self) -> None:
        check_integers(self, "min_length", "max_length")
        check_range(self, "min_length", "max_length")

    @property
    @abc.abstractmethod
    def outputs(self) -> tuple[str, ...]:
        """The symbols of answers."""

    @abc.abstractmethod
    def steps(self, length: int) -> int:
        """Steps of the longest sequence of a length."""

    @abc.abstractmethod
    def draw_string(self, length: int, rng: np.random.Generator) -> str:
        """The inputs of a sequence of a length, up to the last that is not blank."""

    @abc.abstractmethod
    def answer(self, string: str) -> str:
        """The symbol that is due at each step of a string, `BLANK` where none is.

        Raises:
            ValueError: If it is no string of this task.
        """

    @property
    def symbols(self) -> tuple[tuple[str, ...], ...]:
        return (self.outputs,)

    # --- the data ---

    def sample(self, batch_size: int, rng: Rng = None) -> Batch:
        batch_size, rng = check_draw(batch_size, rng)
        lengths = self.draw_lengths(batch_size, rng)
        return self.batch_of([self.draw_string(int(n), rng) for n in lengths])

    def draw_lengths(self, count: int, rng: np.random.Generator) -> np.ndarray:
        """Lengths of so many sequences."""
        return rng.integers(self.min_length, self.max_length + 1, count)

    def batch_of(self, strings: list[str]) -> Batch:
        """Strings of inputs as a batch.

        Raises:
            ValueError: If one is no string of this task, or longer than its longest.
        """
        steps = self.steps(self.max_length)
        for string in strings:
            check_sequence(self, len(string) <= steps, f"has more than {steps} steps")
        padded = [string.ljust(steps, BLANK) for string in strings]
        inputs = np.stack([_one_hot(string, self.input_names) for string in padded])
        targets = self.solve(inputs)
        return Batch(inputs, targets, targets.max(axis=-1))

    def solve(self, inputs: np.ndarray) -> np.ndarray:
        inputs = check_inputs(self, inputs)
        answers = [self.answer(self._string(sequence)) for sequence in inputs]
        return np.stack([_one_hot(answer, self.outputs) for answer in answers])

    def _string(self, inputs: np.ndarray) -> str:
        """The string of inputs `(T, input_size)`."""
        is_one_hot = np.isin(inputs, (0, 1)).all() and (inputs.sum(axis=1) <= 1).all()
        check_sequence(self, is_one_hot, "has a step with more than one symbol")
        return "".join(input_text(self.input_names, inputs))


@dataclasses.dataclass(frozen=True)
class TransductionTask(StringTask):
    """A source and `ASK` in; then its answer out, while inputs are blank."""

    @abc.abstractmethod
    def transduce(self, source: str) -> str:
        """The answer to a source.

        Raises:
            ValueError: If it is no source of this task.
        """

    def answer(self, string: str) -> str:
        source, ask, rest = string.partition(ASK)
        check_sequence(self, ask, f"has no {ASK!r} after its source")
        answer = self.transduce(source)
        is_blank = len(rest) >= len(answer) and set(rest) <= {BLANK}
        check_sequence(self, is_blank, "has not the blank steps of its answer")
        due = BLANK * (len(source) + 1) + answer
        return due.ljust(len(string), BLANK)


def _one_hot(string: str, names: Any) -> np.ndarray:
    """Symbols as rows with a single 1, blank ones as zeros."""
    index = {name: row for row, name in enumerate(names)}
    rows = np.vstack([np.eye(len(index)), np.zeros(len(index))]).astype(np.float32)
    return rows[[index.get(symbol, -1) for symbol in string]]
