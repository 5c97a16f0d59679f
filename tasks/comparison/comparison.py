"""Comparing models on one task: the same seeds, one table, one page."""

import contextlib
import dataclasses
import os
import pathlib
from collections.abc import Iterable, Sequence
from concurrent.futures import Executor
from typing import Any

from ..checks import check_boolean, shorten
from ..contract.parameters import inputs_of
from ..contract.task import Task
from ..own_code import whole_name
from ..registry import as_task, compared_models
from ..runs.lock import claimed
from ..training_options.training_config import TrainingConfig
from .engine import check_jobs
from .finished_run import FailedRun, FinishedRun
from .page import comparison_folder, write_comparison
from .plan import make_plan
from .progress import OnProgress, show_runs
from .table import table_of
from .train_all import train_all


@dataclasses.dataclass(frozen=True)
class Comparison:
    """What came out of `compare`.

    Attributes:
        runs: The finished runs.
        failures: The failed runs, with the reason of each.
        page: The page of the comparison; None if no run has finished. Beside it lies
            `table.csv`, its table as plain numbers: a row for each model and size.
    """

    runs: list[FinishedRun]
    failures: list[FailedRun]
    page: pathlib.Path | None

    @property
    def table(self) -> list[list[str]]:
        """The table of the page as cells, the headings first."""
        return table_of(self.runs) if self.runs else []


def compare(
    task: Task | str,
    models: Iterable[Any] | None = None,
    seeds: Iterable[int] = (1,),
    out: str | os.PathLike[str] | None = None,
    *,
    jobs: int = 1,
    executor: Executor | None = None,
    training: TrainingConfig | None = None,
    quick: bool = False,
    imports: Sequence[str] = (),
    progress: bool = True,
    on_progress: OnProgress | None = None,
) -> Comparison:
    """Trains several models on a task with the same seeds, and writes one page, with
    its table as `table.csv` beside it.

    Each run has a process of its own. Runs that are there already are not repeated, and
    interrupted ones continue. Models see the same sequences in the same order;
    docs/comparison.md names the exceptions.

    Args:
        task: The task or its name.
        models: Names of models, with parameters as in `"ntm-lstm:memory-size=64"`, or
            `ModelConfig`s; if None those that suit the task, and your own.
        seeds: Seeds to train each model with.
        out: Directory of the comparison; `runs/compare-TASK` if None, with `quick`
            `runs/compare-TASK-quick`.
        jobs: Runs at a time on this machine; each has one core if there are several.
        executor: Where to train instead: anything with the `submit` of
            `concurrent.futures.Executor`. Its workers must see `out`. A run whose
            worker dies goes on elsewhere from its last checkpoint.
        training: How to train; the seed in it is not used.
        quick: Whether to train each model with an eighth of its sequences.
        imports: Files or modules that register tasks and models of your own.
        progress: Whether to show progress on standard error.
        on_progress: Called with the name of a run, the sequences it has seen and its
            measure in words, in place of showing progress.
    Returns:
        A `Comparison`.
    Raises:
        ValueError: If a task or model is unknown or not registered.
        RunError: If `out` holds other files, or a run of other parameters, or is in
            use. If workers of the executor have another version of this package, or do
            not see `out`.
    """
    task = as_task(task)
    models = compared_models(task) if models is None else listed("models", models)
    seeds = listed("seeds", seeds)
    if not isinstance(training, TrainingConfig | None):
        raise TypeError(
            "`training` must be a TrainingConfig. "
            f"Received: training={shorten(training)}"
        )
    check_jobs(jobs, executor)
    check_boolean("quick", quick)
    check_boolean("progress", progress)
    folder = pathlib.Path(
        out or pathlib.Path("runs", f"compare-{task.name}{'-quick' * quick}")
    )
    imports = [whole_name(name) for name in imports]
    plan = make_plan(
        task,
        models,
        seeds,
        folder,
        training or TrainingConfig(),
        quick=quick,
        imports=imports,
    )
    inputs = inputs_of(task, *(job.model for job in plan))
    with contextlib.ExitStack() as stack:
        stack.enter_context(claimed(comparison_folder(folder), inputs))
        if on_progress is None and progress:
            total = sum(job.training.sequences or 0 for job in plan)
            on_progress = stack.enter_context(show_runs(len(plan), total))
        runs, failures = train_all(
            plan,
            executor=executor,
            jobs=jobs,
            imports=imports,
            on_progress=on_progress or (lambda name, sequences, measure: None),
        )
        page = write_comparison(folder, runs, failures) if runs else None
    return Comparison(runs, failures, page)


def listed(name: str, values: Iterable[Any]) -> list[Any]:
    """The values as a list that is not empty."""
    if isinstance(values, str) or not isinstance(values, Iterable):
        raise TypeError(f"`{name}` must be a list. Received: {name}={shorten(values)}")
    values = list(values)
    if not values:
        raise ValueError(f"`{name}` must not be empty. Received: {name}=[]")
    return values
