"""The tables of a comparison of several tasks: scores, and how many are solved."""

import math
import statistics
from collections.abc import Sequence
from typing import NamedTuple

from ..contract.task import Task
from ..length_generalization import SOLVED, chance_of
from .finished_run import FinishedRun, by_label

NO_SCORE = ""


class Entry(NamedTuple):
    """What a model reached on a task.

    Attributes:
        scores: The score of each run; None where the task has no such share.
        seconds: The seconds of training of each run.
        weights: Its number of weights.
    """

    scores: list[float | None]
    seconds: list[float]
    weights: int

    @property
    def known(self) -> list[float]:
        """The scores; one that is not a number is the worst."""
        known = (score for score in self.scores if score is not None)
        return [0.0 if math.isnan(score) else score for score in known]

    @property
    def best(self) -> float:
        """The best score of the seeds, as the paper has it; 0 without one."""
        return max(self.known, default=0.0)

    @property
    def solved(self) -> int:
        """How many runs have at least the score of a solved task."""
        return sum(score >= SOLVED for score in self.known)

    @property
    def cells(self) -> list[str]:
        """Seeds, best, median and solved, in words."""
        if not self.known:
            return [str(len(self.scores)), *[NO_SCORE] * 3]
        median = statistics.median(self.known)
        solved = f"{self.solved} of {len(self.scores)}"
        return [str(len(self.scores)), f"{self.best:.1%}", f"{median:.1%}", solved]


def score_of(run: FinishedRun) -> float | None:
    """The score of a run: that of its test of lengths; without one the mean of its
    evaluation beyond the sizes of training; None for a task without such a share."""
    if run.test is not None:
        return run.test.score
    measure = run.run.task.evaluation.score_measure
    beyond = [result for result in run.results if result.beyond] or run.results
    if measure is None or any(measure not in result.values for result in beyond):
        return None
    return statistics.fmean(result.values[measure] for result in beyond)


def class_of(task: Task) -> str:
    """What tasks are grouped by: the class of a language, or else the family."""
    family = type(task).__module__.partition("tasks.")[2].partition(".")[0]
    return getattr(task, "language_class", family.replace("_", " ") or "other")


def by_task(runs: Sequence[FinishedRun]) -> dict[str, list[FinishedRun]]:
    """The runs of each task, by its name: tasks of one class stand together."""
    tasks = {run.run.task.name: run.run.task for run in runs}
    classes = list(dict.fromkeys(class_of(task) for task in tasks.values()))
    names = sorted(tasks, key=lambda name: classes.index(class_of(tasks[name])))
    return {name: [r for r in runs if r.run.task.name == name] for name in names}


def entries(runs: list[FinishedRun]) -> dict[str, Entry]:
    """What each model reached on the task of some runs, by its label."""
    return {
        label: Entry(
            [score_of(run) for run in own],
            [run.summary["seconds"] for run in own],
            own[0].summary["weights"],
        )
        for label, own in by_label(runs).items()
    }


def long_table(runs: Sequence[FinishedRun]) -> list[list[str]]:
    """A row for each task and model, the headings first."""
    headings = [
        *(["class", "task", "chance", "model", "seeds", "best", "median"]),
        *(["over 90%", "training seconds", "weights"]),
    ]
    table = [headings]
    for name, own in by_task(runs).items():
        task = own[0].run.task
        for label, entry in entries(own).items():
            seconds = f"{statistics.median(entry.seconds):,.0f}"
            table.append(
                [
                    *(class_of(task), name, chance_in_words(task), label),
                    *(*entry.cells, seconds, f"{entry.weights:,}"),
                ]
            )
    return table


def wide_table(runs: Sequence[FinishedRun]) -> list[list[str]]:
    """A row a task and a column a model: the best score, and in brackets the median and
    how many runs are solved."""
    labels = list(by_label(list(runs)))
    table = [["class", "task", "chance", *labels]]
    for name, own in by_task(runs).items():
        task, found = own[0].run.task, entries(own)
        cells = [_short(found[x]) if x in found else "" for x in labels]
        table.append([class_of(task), name, chance_in_words(task), *cells])
    return table


def _short(entry: Entry) -> str:
    _, best, median, solved = entry.cells
    return f"{best} ({median}; {solved})" if best else NO_SCORE


def chance_in_words(task: Task) -> str:
    """The score of a guess; empty if the task does not know it."""
    chance = chance_of(task)
    return "" if chance is None else f"{chance:.0%}"
