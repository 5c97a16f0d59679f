"""The contract of the tasks with one answer at the end of a long sequence."""

import abc
import dataclasses
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from ..checks import check_choice, check_integer
from ..contract.batch_checks import check_draw, check_inputs, check_length
from ..contract.evaluation import Evaluation
from ..contract.neighbours import Beside
from ..contract.success import Success
from ..contract.task import Batch, Column, Task
from .presentation import AnswerPresentation, ClassPresentation
from .training import AnswerRecipe

if TYPE_CHECKING:
    import keras
    from numpy.typing import ArrayLike

# What fills the steps before a sequence that is shorter than others of its batch. No
# input of a task has this value in all of its features.
PADDING = -9.0
# Hochreiter and Schmidhuber's rule: so many sequences of training in a row are right.
IN_A_ROW = 2_000


class AnswerEvaluation(Evaluation):
    """An evaluation as long as Hochreiter and Schmidhuber's test sets."""

    eval_sequences = 2_560

    @property
    def sizes(self) -> str:
        least, most = self.task.steps
        return str(most) if least == most else f"{least}-{most}"

    def is_right(self, values: dict[str, float]) -> bool | None:
        # Heuristic: as many of Hochreiter and Schmidhuber's 2,560 were wrong at most.
        return values["wrong"] <= 3 / 2_560


@dataclasses.dataclass(frozen=True)
class AnswerTask(Task):
    """A sequence in, one answer after its last step out.

    Sequences of a batch end together. Shorter ones begin later: the steps before are
    padding, which a model does not see (`keras.layers.Masking`).

    An answer is right if every number of it is within `tolerance` of its target. The
    task is solved when the last 2,000 sequences of an epoch were all right.

    Args:
        outputs: What makes an answer of the outputs of a model.
    """

    outputs: str = dataclasses.field(default="linear", kw_only=True)

    # What `outputs` may be.
    readings: ClassVar[tuple[str, ...]] = ("linear", "sigmoid")
    # What Hochreiter and Schmidhuber count as right.
    tolerance: ClassVar[float]
    every_step = False
    recipe = Beside(AnswerRecipe)
    presentation = Beside(AnswerPresentation)
    evaluation = Beside(AnswerEvaluation)

    def __post_init__(self) -> None:
        check_choice("outputs", self.outputs, self.readings)

    @property
    @abc.abstractmethod
    def steps(self) -> tuple[int, int]:
        """The smallest and the largest number of steps of a sequence."""

    @abc.abstractmethod
    def draw_sequence(
        self, steps: int, rng: np.random.Generator
    ) -> tuple[np.ndarray, Any]:
        """One sequence of so many steps, `(steps, input_size)`, and its target."""

    @abc.abstractmethod
    def solve(self, inputs: np.ndarray) -> np.ndarray:
        """The answers, found by reading the inputs as a person would.

        Args:
            inputs: `(B, T, input_size)`.
        Returns:
            The targets, `(B, ...)`.
        Raises:
            TypeError: If the inputs are not numbers.
            ValueError: If they are not sequences of this task.
        """

    def draw_steps(self, rng: np.random.Generator) -> int:
        """The length of a sequence."""
        least, most = self.steps
        return int(rng.integers(least, most + 1))

    def sample(
        self, batch_size: int, rng: int | np.random.Generator | None = None
    ) -> Batch:
        batch_size, generator = check_draw(batch_size, rng)
        longest = self.steps[1]
        inputs = np.full((batch_size, longest, self.input_size), PADDING, np.float32)
        targets = []
        for row in inputs:
            steps = self.draw_steps(generator)
            row[longest - steps :], target = self.draw_sequence(steps, generator)
            targets.append(target)
        mask = np.ones(batch_size, np.float32)
        return Batch(inputs, self.target_array(targets), mask)

    @abc.abstractmethod
    def target_array(self, targets: list[Any]) -> np.ndarray:
        """The targets of a batch as the loss takes them."""

    def features(self, inputs: "keras.KerasTensor") -> "keras.KerasTensor":
        import keras

        return keras.layers.Masking(PADDING)(inputs)

    def checked_sequences(self, inputs: "ArrayLike") -> list[np.ndarray]:
        """Inputs as one array `(steps, input_size)` a sequence, without padding.

        Raises:
            TypeError, ValueError: As `solve`.
        """
        inputs = check_inputs(self, inputs)
        return [sequence[(sequence != PADDING).any(axis=1)] for sequence in inputs]

    # --- what it is measured by ---

    @property
    def success(self) -> Success | None:
        above = IN_A_ROW - 1
        return Success("right_in_a_row", above=above, epoch_sequences=IN_A_ROW)

    def loss(self) -> "keras.Loss":
        """Half the sum of the squared differences, as in the paper."""
        from .measures import MinkowskiError

        return MinkowskiError(self.outputs)

    def measures(self) -> "list[keras.Metric]":
        from .measures import AbsoluteError, RightInARow, WrongAnswers

        return [
            WrongAnswers(self.outputs, self.tolerance),
            RightInARow(self.outputs, self.tolerance),
            AbsoluteError(self.outputs),
        ]

    def predict(self, outputs: np.ndarray) -> np.ndarray:
        """The answers that outputs stand for."""
        outputs = np.asarray(outputs, float)
        if self.outputs == "sigmoid":
            return (1 + np.tanh(outputs / 2)) / 2
        if self.outputs == "softmax":
            powers = np.exp(outputs - outputs.max(axis=-1, keepdims=True))
            return powers / powers.sum(axis=-1, keepdims=True)
        return outputs

    @property
    def columns(self) -> dict[str, Column]:
        return {
            "wrong": Column("wrong", ".2%"),
            "right_in_a_row": Column("right in a row", ".0f", higher_is_better=True),
            "abs_error": Column("mean absolute error", ".4f"),
        }

    def errors(self, batch: Batch, outputs: np.ndarray) -> dict[str, np.ndarray]:
        """For each sequence: `wrong`, whether an output is too far from its target, or
        not a number, and `abs_error`, the mean absolute difference."""
        difference = np.abs(self.predict(outputs) - self.expected(batch.targets))
        return {
            "wrong": (~(difference < self.tolerance)).any(axis=1).astype(float),
            "abs_error": difference.mean(axis=1),
        }

    def expected(self, targets: np.ndarray) -> np.ndarray:
        """The targets in the form of the outputs."""
        return np.asarray(targets, float)

    @property
    def size(self) -> tuple[int, ...]:
        return (self.steps[1],)


@dataclasses.dataclass(frozen=True)
class NumberTask(AnswerTask):
    """An answer that is a number.

    Args:
        outputs: What makes an answer of the output of a model: linear, the output
            itself, or sigmoid.
    """

    @property
    def output_size(self) -> int:
        return 1

    def target_array(self, targets: list[Any]) -> np.ndarray:
        return np.array(targets, np.float32)[:, None]

    def expected(self, targets: np.ndarray) -> np.ndarray:
        # The last column: where a target is noisy, its mean.
        return np.asarray(targets, float)[:, -1:]


@dataclasses.dataclass(frozen=True)
class ClassTask(AnswerTask):
    """An answer that is one of several classes: a number for each, all of which must
    be within `tolerance` of 0 or 1.

    Args:
        outputs: What makes an answer of the outputs of a model: softmax, with the
            cross-entropy as the loss, or sigmoid with the squared error. Deviation: the
            paper has sigmoid only.
    """

    outputs: str = dataclasses.field(default="softmax", kw_only=True)

    readings = ("softmax", "sigmoid")
    # Names of the classes, in the order of the outputs.
    classes: ClassVar[tuple[str, ...]]
    tolerance = 0.3
    presentation = Beside(ClassPresentation)

    @property
    def output_size(self) -> int:
        return len(self.classes)

    def target_array(self, targets: list[Any]) -> np.ndarray:
        return np.array(targets, np.int32)

    def loss(self) -> "keras.Loss":
        import keras

        if self.outputs == "softmax":
            return keras.losses.SparseCategoricalCrossentropy(from_logits=True)
        return super().loss()

    def expected(self, targets: np.ndarray) -> np.ndarray:
        return np.eye(self.output_size)[np.asarray(targets)]

    @abc.abstractmethod
    def text_of(self, sequence: np.ndarray) -> str:
        """A sequence `(steps, input_size)` in one line."""


def one_hot(symbols: Sequence[int] | np.ndarray, size: int) -> np.ndarray:
    """Numbers of symbols as rows `(steps, size)` with a single 1."""
    rows = np.zeros((len(symbols), size), np.float32)
    rows[np.arange(len(symbols)), symbols] = 1
    return rows


class LagEvaluation(AnswerEvaluation):
    """An evaluation by T."""

    def at_length(self, length: int) -> "LagTask":
        return dataclasses.replace(self.task, min_steps=check_length(length))


@dataclasses.dataclass(frozen=True)
class LagTask(AnswerTask):
    """A task whose sequences have T to T + T/10 steps.

    Args:
        min_steps: T.
    """

    min_steps: int = 100

    # Shorter sequences have no room for what the task puts into them.
    shortest: ClassVar[int] = 10
    evaluation = Beside(LagEvaluation)

    def __post_init__(self) -> None:
        super().__post_init__()
        steps = check_integer("min_steps", self.min_steps, self.shortest, 10_000)
        object.__setattr__(self, "min_steps", steps)

    @property
    def steps(self) -> tuple[int, int]:
        return (self.min_steps, self.min_steps + self.min_steps // 10)
