"""The protocol of the tasks of Delétang et al. (2023): a string in, its answer out."""

import abc
import dataclasses
from typing import TYPE_CHECKING, ClassVar

import numpy as np

from ...checks import check_integer
from ...contract.batch_checks import (
    LONGEST,
    check_draw,
    check_inputs,
    check_integers,
    check_range,
    check_sequence,
)
from ...contract.neighbours import Beside
from ...contract.parts import Column
from ...contract.sized_task import RangedTask, Rng
from ...contract.success import Success
from ...contract.symbol_task import SymbolTask
from ...contract.task import Batch
from .protocol_parts import (
    RIGHT,
    ContextFreeRecipe,
    ContextSensitiveRecipe,
    LanguageEvaluation,
    LanguagePresentation,
    LanguageRecipe,
    LanguageStream,
    StateRecipe,
)

if TYPE_CHECKING:
    import keras

# Come in while the answer is due, and in the steps of computation before it.
EMPTY, COMPUTE = "_", "~"
# Ends answers whose size differs between strings of one length.
END = "$"


@dataclasses.dataclass(frozen=True)
class LanguageTask(RangedTask, SymbolTask):
    """A string in, one symbol a step; then an empty symbol for each symbol of the
    answer, which is due at these steps.

    A network sees nothing of the answer. The loss is the cross-entropy, summed over the
    symbols of an answer and averaged over strings; `accuracy` is the share of symbols
    that are right. After the end symbol of an answer nothing counts.

    The codes of symbols are their places in `alphabet` and in `answers`.

    Args:
        min_length: Shortest string.
        max_length: Longest string.
        computation_steps: Steps between a string and its answer for each symbol of the
            string, at which a symbol of their own comes in.
    Reference:
        Delétang, Ruoss et al. (2023), Neural Networks and the Chomsky Hierarchy,
        arXiv:2207.02098.

        Deviation: in its public code the symbols after the end symbol are part of the
        loss, though not of the accuracy.
    """

    min_length: int = 1
    max_length: int = 40
    computation_steps: int = 0

    # The symbols of strings, and those of answers.
    alphabet: ClassVar[str]
    answers: ClassVar[str]
    # The class of the language in the Chomsky hierarchy.
    language_class: ClassVar[str]
    # See tasks.contract.of_few_tasks.
    is_read_whole = True
    # Shorter strings are treated by hand: no score counts them.
    least_length: ClassVar[int] = 1
    stream = Beside(LanguageStream)
    evaluation = Beside(LanguageEvaluation)
    presentation = Beside(LanguagePresentation)

    def __post_init__(self) -> None:
        check_integers(self, "min_length", "max_length")
        check_range(self, "min_length", "max_length")
        steps = check_integer("computation_steps", self.computation_steps, 0, LONGEST)
        object.__setattr__(self, "computation_steps", steps)

    def draw_strings(
        self, count: int, length: int, rng: np.random.Generator
    ) -> np.ndarray:
        """Strings of a length as codes, `(count, string_steps(length))`. By default
        each symbol is equally likely."""
        return rng.integers(len(self.alphabet), size=(count, length))

    @abc.abstractmethod
    def answer(self, strings: np.ndarray) -> np.ndarray:
        """The answers to strings of one length, by the textbook algorithm.

        Args:
            strings: Codes `(B, steps)`.
        Returns:
            Codes `(B, answer_steps(steps))`, -1 after the end symbol.
        Raises:
            ValueError: If one is no string of this task.
        """

    def string_steps(self, length: int) -> int:
        """The steps of a string of a length."""
        return length

    def answer_steps(self, steps: int) -> int:
        """The steps of the answer to a string of so many steps."""
        return 1

    def steps(self, length: int) -> int:
        """The steps of a string of a length and of all that follows it."""
        string = self.string_steps(length)
        return string * (1 + self.computation_steps) + self.answer_steps(string)

    @property
    def chance(self) -> float:
        """The accuracy of a guess, of those who know where an answer ends."""
        return 1 / len(self.answers.removesuffix(END))

    @property
    def input_names(self) -> tuple[str, ...]:
        return (*self.alphabet, EMPTY, *(COMPUTE if self.computation_steps else ""))

    @property
    def symbols(self) -> tuple[tuple[str, ...], ...]:
        return (tuple(self.answers),)

    @property
    def eval_lengths(self) -> tuple[int, ...]:
        # Up to the paper's 500, in multiples of the default.
        most = self.max_length
        lengths = (most, 2 * most, 5 * most, 25 * most // 2)
        return tuple(length for length in lengths if length <= LONGEST)

    # --- the data ---

    def sample(self, batch_size: int, rng: Rng = None) -> Batch:
        """Draws strings of all lengths; a batch of training has one length, see
        `LanguageStream`."""
        batch_size, rng = check_draw(batch_size, rng)
        lengths = rng.integers(self.min_length, self.max_length + 1, batch_size)
        batch = self._zeros(batch_size, self.steps(self.max_length))
        for length in np.unique(lengths).tolist():
            rows = np.flatnonzero(lengths == length)
            self._fill(batch, rows, self.draw_strings(len(rows), length, rng))
        return batch

    def sample_length(
        self, count: int, length: int, rng: np.random.Generator, steps: int
    ) -> Batch:
        """Draws strings of one length, padded to a number of steps."""
        batch = self._zeros(count, steps)
        self._fill(batch, np.arange(count), self.draw_strings(count, length, rng))
        return batch

    def answer_to(self, string: str) -> str:
        """The answer to a string.

        Raises:
            ValueError: If it is no string of this task.
        Example:
            >>> tasks.ReverseString().answer_to("0011")
            '1100'
        """
        codes = [[self.alphabet.find(symbol) for symbol in string]]
        if not string or min(codes[0]) < 0:
            raise ValueError(
                f"`string` must have symbols of {self.alphabet!r}, at least one. "
                f"Received {string[:40]!r}."
            )
        (answer,) = self.answer(np.array(codes))
        return "".join(self.answers[code] for code in answer if code >= 0)

    def solve(self, inputs: np.ndarray) -> np.ndarray:
        inputs = check_inputs(self, inputs)
        size, steps = inputs.shape[:2]
        batch = self._zeros(size, steps)
        is_symbol = np.asarray(inputs[..., : len(self.alphabet)].any(axis=-1))
        lengths = np.where(is_symbol.all(axis=1), steps, is_symbol.argmin(axis=1))
        for length in np.unique(lengths).tolist():
            after = length * self.computation_steps + self.answer_steps(length)
            fits = 0 < length <= steps - after
            check_sequence(self, fits, "has no string, or no steps for its answer")
            rows = np.flatnonzero(lengths == length)
            codes = inputs[rows, :length, : len(self.alphabet)].argmax(axis=-1)
            self._fill(batch, rows, codes)
        is_same = np.array_equal(batch.inputs, inputs)
        check_sequence(self, is_same, "is not a string and the steps of its answer")
        return batch.targets

    def _zeros(self, count: int, steps: int) -> Batch:
        return Batch(
            np.zeros((count, steps, self.input_size), np.float32),
            np.zeros((count, steps, self.output_size), np.float32),
            np.zeros((count, steps), np.float32),
        )

    def _fill(self, batch: Batch, rows: np.ndarray, strings: np.ndarray) -> None:
        """Writes strings of one length, and their answers, into rows of a batch."""
        answers, length = self.answer(strings), strings.shape[1]
        due = length * (1 + self.computation_steps)
        index, step = np.nonzero(answers >= 0)
        codes = answers[index, step]
        batch.inputs[rows[:, None], np.arange(length), strings] = 1
        empty = len(self.alphabet)
        batch.inputs[rows, due : due + answers.shape[1], empty] = 1
        if self.computation_steps:
            batch.inputs[rows, length:due, empty + 1] = 1
        batch.targets[rows[index], due + step, codes] = 1
        batch.mask[rows[index], due + step] = 1

    # --- what it is measured by ---

    @property
    def success(self) -> Success | None:
        return Success("accuracy", above=RIGHT)

    def loss(self) -> "keras.Loss":
        from ...losses.symbol_measures import StringCrossEntropy

        return StringCrossEntropy(self.groups)

    def measures(self) -> "list[keras.Metric]":
        from ...losses.symbol_measures import SymbolAccuracy

        return [SymbolAccuracy(self.groups), *super().measures()]

    @property
    def columns(self) -> dict[str, Column]:
        accuracy = Column("right symbols", ".1%", higher_is_better=True)
        longer = accuracy._replace(label="right symbols of longer strings")
        return {"accuracy": accuracy, "val_accuracy": longer, **super().columns}

    def errors(self, batch: Batch, outputs: np.ndarray) -> dict[str, np.ndarray]:
        """For each sequence: `accuracy`, the share of its symbols that are right, and
        the errors of a `SymbolTask`. An evaluation has the share of all symbols."""
        errors = super().errors(batch, outputs)
        share = errors["symbol_errors"] / batch.mask.sum(axis=1)
        return {"accuracy": 1 - share, **errors}


@dataclasses.dataclass(frozen=True)
class RegularTask(LanguageTask):
    """A regular language: a finite number of states is enough."""

    language_class = "regular"
    recipe = Beside(StateRecipe, solved_by=("lstm",))


@dataclasses.dataclass(frozen=True)
class ContextFreeTask(LanguageTask):
    """A deterministic context-free language: a stack is enough."""

    language_class = "context-free"
    recipe = Beside(ContextFreeRecipe)


@dataclasses.dataclass(frozen=True)
class ContextSensitiveTask(LanguageTask):
    """A context-sensitive language: a tape as long as the string is enough."""

    language_class = "context-sensitive"
    # Of some of them a network with a state alone is enough.
    recipe = Beside[LanguageRecipe](ContextSensitiveRecipe)
