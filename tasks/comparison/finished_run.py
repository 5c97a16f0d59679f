"""A run that has ended, and what a comparison wants to know of it."""

import dataclasses
import os
import pathlib

from ..contract.parts import Published
from ..evaluation import EvaluationResult, headline_of
from ..length_generalization import LengthTest, saved_test
from ..registry import PUBLISHED
from ..runs.directory import open_run
from ..runs.history import History
from ..runs.run import Run
from ..training.summary import results_of
from .labels import label_of


@dataclasses.dataclass(frozen=True)
class FinishedRun:
    """A finished run of a comparison.

    Attributes:
        run: The run directory.
        history: Its epochs.
        summary: What its `summary.json` holds.
    """

    run: Run
    history: History
    summary: dict

    @property
    def label(self) -> str:
        """The name of its model, with the parameters that were set."""
        return label_of(self.run.model, self.run.task)

    @property
    def results(self) -> list[EvaluationResult]:
        """Its evaluation, a result for each size."""
        return results_of(self.summary)

    @property
    def test(self) -> LengthTest | None:
        """Its test of lengths, if it has one."""
        return saved_test(self.summary)

    @property
    def sizes(self) -> list[str]:
        """Names of the sizes that it was evaluated on."""
        return [result.size for result in self.results]

    @property
    def headline(self) -> str:
        """The value of the evaluation that is shown first."""
        return headline_of(self.run.task, self.results)

    @property
    def published(self) -> Published | None:
        """What a paper reports of the task at this size, if anything."""
        return PUBLISHED.get(self.run.task.signature)

    @property
    def solved_at(self) -> int | None:
        """Sequences seen when the task was first solved, None if it never was."""
        return self.history.solved_at(self.run.task)

    @property
    def settled_at(self) -> int | None:
        """Sequences after which every epoch to the end was a success, or None."""
        return self.history.settled_at(self.run.task)

    @property
    def seconds_to_solve(self) -> float | None:
        """Seconds until the task was first solved, without the start-up."""
        return self.history.seconds_at(self.solved_at)


@dataclasses.dataclass(frozen=True)
class FailedRun:
    """A run of a comparison that has no result.

    Attributes:
        path: Its directory.
        reason: Why it failed, in one line.
    """

    path: pathlib.Path
    reason: str

    def __str__(self) -> str:
        return f"`{self.path}` could not be trained: {self.reason}"


def read(path: str | os.PathLike[str]) -> FinishedRun:
    """Reads a finished run.

    Raises:
        RunError: If the directory holds no run, or one that has not ended.
    """
    run = open_run(path)
    return FinishedRun(run, run.read_history(), run.read_summary())


def by_label(runs: list[FinishedRun]) -> dict[str, list[FinishedRun]]:
    """The runs of each model, by its label."""
    labels = dict.fromkeys(run.label for run in runs)
    return {label: [r for r in runs if r.label == label] for label in labels}
