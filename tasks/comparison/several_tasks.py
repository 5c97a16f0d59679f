"""Comparing models on several tasks: a comparison each, and one page of all."""

import dataclasses
import os
import pathlib
from collections.abc import Iterable
from typing import Any

from ..contract.task import Task
from ..own_code import whole_name
from ..registry import as_task, compared_models
from ..training_options.training_config import TrainingConfig
from .comparison import Comparison, compare, listed
from .finished_run import FailedRun, FinishedRun
from .plan import make_plan
from .task_page import write_tasks
from .task_table import long_table


@dataclasses.dataclass(frozen=True)
class TasksComparison:
    """What came out of `compare_tasks`.

    Attributes:
        comparisons: The comparison of each task, by its name.
        page: The page of all tasks; None if no run has finished. Beside it lies
            `table.csv`: a row for each task and model, as plain numbers.
    """

    comparisons: dict[str, Comparison]
    page: pathlib.Path | None

    @property
    def runs(self) -> list[FinishedRun]:
        """The finished runs, task by task."""
        return [run for one in self.comparisons.values() for run in one.runs]

    @property
    def failures(self) -> list[FailedRun]:
        """The failed runs, with the reason of each."""
        return [failed for one in self.comparisons.values() for failed in one.failures]

    @property
    def table(self) -> list[list[str]]:
        """A row for each task and model as cells, the headings first."""
        return long_table(self.runs) if self.runs else []


def compare_tasks(
    tasks: Iterable[Task | str],
    models: Iterable[Any] | None = None,
    seeds: Iterable[int] = (1,),
    out: str | os.PathLike[str] | None = None,
    **options: Any,
) -> TasksComparison:
    """Trains several models on several tasks with the same seeds, and writes one page.

    Each task is compared in a folder of its own, which has a page of its own. What is
    there already is not repeated, and what was interrupted continues. The page of all
    is written whenever a task is through.

    Args:
        tasks: The tasks or their names, each once.
        models: As `compare`; if None those that suit each task.
        seeds: Seeds to train each model with.
        out: Directory of the comparison; `runs/compare-tasks` if None, with `quick`
            `runs/compare-tasks-quick`.
        **options: Further arguments of `compare`, for every task.
    Returns:
        A `TasksComparison`.
    Raises:
        ValueError: If a task is named twice, or as `compare`, before anything is
            trained.
        RunError: As `compare`.
    """
    chosen = [as_task(task) for task in listed("tasks", tasks)]
    seeds = listed("seeds", seeds)
    models = None if models is None else listed("models", models)
    quick = bool(options.get("quick"))
    folder = pathlib.Path(
        out or pathlib.Path("runs", f"compare-tasks{'-quick' * quick}")
    )
    names = [task.name for task in chosen]
    for name in names:
        if names.count(name) > 1:
            raise ValueError(
                f"`tasks` must differ in their names. Received: {name} twice"
            )
    _check_plans(chosen, models, seeds, folder, options)
    done: dict[str, Comparison] = {}
    page = None
    for task in chosen:
        done[task.name] = compare(task, models, seeds, folder / task.name, **options)
        result = TasksComparison(done, page)
        if result.runs:
            page = write_tasks(folder, result.runs, result.failures)
    return TasksComparison(done, page)


def _check_plans(
    tasks: list[Task],
    models: list[Any] | None,
    seeds: list[int],
    folder: pathlib.Path,
    options: dict[str, Any],
) -> None:
    """Finds what cannot be trained before the first task is."""
    for task in tasks:
        make_plan(
            task,
            compared_models(task) if models is None else models,
            seeds,
            folder / task.name,
            options.get("training") or TrainingConfig(),
            quick=bool(options.get("quick")),
            imports=[whole_name(name) for name in options.get("imports", ())],
        )
