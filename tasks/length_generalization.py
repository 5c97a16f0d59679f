"""How a model does by length, and its score over lengths beyond those of training."""

import dataclasses
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from .contract.length_ranges import check_test_lengths, lengths_of, text_of_lengths
from .contract.task import Task
from .evaluation import EvaluationResult, evaluate

if TYPE_CHECKING:
    import keras

# Strings of each length, and the score from which on a task is solved: those of
# Delétang et al. (2023), arXiv:2207.02098, sections A.4 and B.1.
SEQUENCES = 512
SOLVED = 0.9


@dataclasses.dataclass(frozen=True)
class LengthTest:
    """The values of an evaluation by length.

    Attributes:
        measure: The value that the score is the mean of, a share.
        trained: The longest length of training.
        sequences: Sequences of each length.
        lengths: The lengths, the shortest first.
        values: For each value of the evaluation its numbers, one for each length.
    """

    measure: str
    trained: int
    sequences: int
    lengths: list[int]
    values: dict[str, list[float]]

    @property
    def scored(self) -> list[int]:
        """The lengths that the score is of: those beyond training, if there are any."""
        beyond = [length for length in self.lengths if length > self.trained]
        return beyond or self.lengths

    @property
    def score(self) -> float:
        """The mean of the measure over the `scored` lengths."""
        at = dict(zip(self.lengths, self.measured, strict=True))
        return float(np.mean([at[length] for length in self.scored]))

    @property
    def measured(self) -> list[float]:
        """The measure at each length."""
        return self.values[self.measure]

    @property
    def range(self) -> str:
        """The scored lengths as a text, such as 41-500:9."""
        return text_of_lengths(self.scored)

    def in_words(self, task: Task) -> str:
        """The score, what it is of, and what a guess has."""
        column = task.presentation.column(self.measure)
        of = f"mean over {len(self.scored)} lengths from {self.scored[0]} to"
        if len(self.scored) == 1:
            of = "at length"
        text = (
            f"score {self.score:.1%}: {column.label}, {of} {self.scored[-1]}, "
            f"{self.sequences} sequences each"
        )
        chance = chance_of(task)
        return text if chance is None else f"{text}; a guess has {chance:.0%}"

    @property
    def summary(self) -> dict[str, Any]:
        """It as JSON has it, with the score."""
        return {**dataclasses.asdict(self), "score": self.score}


def chance_of(task: Task) -> float | None:
    """The score of a guess, of a task that knows it."""
    return getattr(task, "chance", None)


def saved_test(summary: dict[str, Any]) -> LengthTest | None:
    """The test of lengths in the summary of a run, if it has one."""
    saved = dict(summary.get("by_length") or {})
    saved.pop("score", None)
    return LengthTest(**saved) if saved else None


def as_test(
    task: Task, results: Sequence[EvaluationResult], trained: Task | None = None
) -> LengthTest | None:
    """Results of several lengths as a test; None if they are of one length only, or
    their task has no measure for it.

    Args:
        task: What was evaluated on.
        results: The results, each of one length.
        trained: The task of the training, if it is another.
    """
    measure = task.evaluation.score_measure
    lengths = [result.length for result in results]
    if measure is None or len(set(lengths)) < max(2, len(lengths)):
        return None
    return _test_of(measure, (trained or task).size[0], results)


def length_test(
    model: "keras.Model", task: Task, lengths: str, sequences: int | None = None
) -> LengthTest:
    """Evaluates a model on single lengths.

    Args:
        model: Keras model with the inputs and outputs of the task.
        task: The task that it was trained on.
        lengths: The lengths, as `41-500:9`.
        sequences: Sequences of each; the paper's 512 if None.
    Raises:
        ValueError: If the task has no sequences of a length, or no measure.
    """
    named = check_test_lengths(task, lengths_of(lengths))
    count = SEQUENCES if sequences is None else sequences
    results = evaluate(model, task, named, num_sequences=count)
    return _test_of(task.evaluation.score_measure or "", task.size[0], results)


def _test_of(
    measure: str, trained: int, results: Sequence[EvaluationResult]
) -> LengthTest:
    """Results, each of one length, as a test."""
    ordered = sorted(results, key=lambda result: result.length)
    lengths = [result.length for result in ordered]
    values = {n: [r.values[n] for r in ordered] for n in ordered[0].values}
    return LengthTest(measure, trained, ordered[0].sequences, lengths, values)
