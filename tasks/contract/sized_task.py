"""The contract of tasks whose sequences have sizes, and an algorithm for the answer."""

import abc
import dataclasses
from typing import Any, ClassVar

import numpy as np

from .batch_checks import LONGEST, check_length, check_share
from .evaluation import Evaluation
from .neighbours import Beside
from .stream import Stream
from .task import Batch, Task

# What a batch is drawn with: a seed or a generator.
Rng = int | np.random.Generator | None
# The smallest and the largest value of each size of a sequence.
Ranges = tuple[tuple[int, int], ...]

# Heuristic: an evaluation over a range of sizes has this many times more sequences,
# because errors of a trained network are rare there.
SEVERAL_SIZES = 10
# Heuristic: a network that goes on to longer sequences has this share without an error.
MOSTLY = 0.95


class SizedEvaluation(Evaluation):
    """An evaluation within and beyond the sizes of training."""

    @property
    def sizes(self) -> str:
        return " x ".join(
            str(most) if least == most else f"{least}-{most}"
            for least, most in self.task.size_ranges
        )

    @property
    def eval_tasks(self) -> tuple[Any, ...]:
        """The task itself, then each of its `eval_lengths`."""
        single = tuple(map(self.at_length, self.task.eval_lengths))
        return single if self.task in single else (self.task, *single)

    @property
    def score_measure(self) -> str | None:
        """The share of sequences without an error."""
        return "perfect" if self.task.exact else None

    @property
    def num_eval_sequences(self) -> int:
        several = any(least < most for least, most in self.task.size_ranges)
        return self.eval_sequences * (SEVERAL_SIZES if several else 1)

    def is_right(self, values: dict[str, float]) -> bool | None:
        """A success in bits must be one here as well. For other tasks 95% of the
        sequences must be without an error."""
        success = self.task.success
        if success is not None and success.measure == "bits_per_sequence":
            return success.reached({success.measure: values["bits"]})
        return values["perfect"] >= MOSTLY


class RangedEvaluation(SizedEvaluation):
    """An evaluation of a task whose sizes are fields, see `RangedTask`."""

    def at_length(self, length: int) -> Task:
        length = check_length(length)
        name = self.task.size_names[0]
        return dataclasses.replace(
            self.task, **{f"min_{name}": length, f"max_{name}": length}
        )


@dataclasses.dataclass(frozen=True)
class SizedTask(Task):
    """A task with an output at every step, and an algorithm for the right ones.

    A sequence has a *length*, in a unit of the task; the range of lengths to train on
    is part of the task. Its `errors` have an entry `perfect`: whether a sequence is
    without an error.
    """

    # Whether `solve` gives the targets. If not, the targets are random, and `solve`
    # gives their probabilities.
    exact: ClassVar[bool] = True
    evaluation = Beside(SizedEvaluation)

    @abc.abstractmethod
    def solve(self, inputs: np.ndarray) -> np.ndarray:
        """The targets of inputs, by the textbook algorithm.

        Args:
            inputs: `(B, T, input_size)`.
        Returns:
            The exact targets `(B, T, output_size)`; or, if not `exact`, the best
            possible probabilities.
        Raises:
            TypeError: If the inputs are not numbers.
            ValueError: If they are not sequences of this task.
        """

    # --- sizes ---

    @property
    @abc.abstractmethod
    def size_ranges(self) -> Ranges:
        """The smallest and the largest sequence that `sample` draws, for each of its
        sizes; the length comes first."""

    @property
    @abc.abstractmethod
    def eval_lengths(self) -> tuple[int, ...]:
        """Default lengths of an evaluation, within and beyond training."""

    @property
    def size(self) -> tuple[int, ...]:
        return tuple(largest for _, largest in self.size_ranges)


class RangedStream(Stream):
    """The stream of a task whose sizes are fields."""

    def easier(self, share: float) -> Any:
        share = check_share(share)
        largest = {
            f"max_{name}": between(least, most, share)
            for name, (least, most) in zip(
                self.task.size_names, self.task.size_ranges, strict=True
            )
        }
        return dataclasses.replace(self.task, **largest)


@dataclasses.dataclass(frozen=True)
class RangedTask(SizedTask):
    """A task whose sizes are fields: a size NAME has `min_NAME` and `max_NAME`.

    It stands before other bases of a class, as in `class Copy(RangedTask, BitTask)`.
    """

    # The sizes of a sequence, its length first.
    size_names: ClassVar[tuple[str, ...]] = ("length",)
    # Default lengths of an evaluation, as multiples of the longest of training.
    eval_factors: ClassVar[tuple[int, ...]] = (1, 2)
    stream = Beside(RangedStream)
    evaluation = Beside(RangedEvaluation)

    @property
    def size_ranges(self) -> Ranges:
        return tuple(
            (getattr(self, f"min_{name}"), getattr(self, f"max_{name}"))
            for name in self.size_names
        )

    @property
    def eval_lengths(self) -> tuple[int, ...]:
        lengths = (factor * self.size[0] for factor in self.eval_factors)
        return tuple(length for length in lengths if length <= LONGEST)


def per_sequence(values: np.ndarray, batch: Batch) -> np.ndarray:
    """Sums of values `(B, T, n)` over the steps that count, `(B,)`."""
    # An infinite value of a step that does not count, times 0, is not a number.
    return values.sum(axis=-1).sum(axis=-1, where=batch.mask > 0)


def between(low: int, high: int, share: float) -> int:
    """The integer nearest to `share` of the way from `low` to `high`."""
    return low + round(share * (high - low))
