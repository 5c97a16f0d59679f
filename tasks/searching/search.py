"""Searching for the settings with which a model learns a task."""

import contextlib
import dataclasses
import json
import os
import pathlib
from collections.abc import Iterable, Mapping, Sequence
from concurrent.futures import Executor
from contextlib import AbstractContextManager
from typing import Any

from ..checks import check_boolean, check_integer
from ..comparison.engine import Engine, check_jobs
from ..comparison.finished_run import FailedRun, FinishedRun
from ..comparison.plan import Job, make_plan, with_quick_budget
from ..comparison.progress import OnProgress, show_runs
from ..comparison.train_all import train_all
from ..contract.parameters import inputs_of
from ..contract.task import Task
from ..models.base import ModelConfig
from ..own_code import whole_name
from ..registry import as_model, as_task
from ..runs.files import RunError, plain
from ..runs.lock import claimed
from ..training_options.training_config import MAX_SEED, TrainingConfig
from .axes import Range
from .command_text import command_of
from .finals import NUMBERS, finalists_of, train_finals
from .page import search_folder, write_search
from .proposals import check_is_installed, importances, propose
from .result import Search
from .rounds import train_round
from .space import Space, space_of
from .trial import RUNNING, Trial, read_trials

FRESH_SEEDS = range(2_001, 2_006)
# What a folder is the search of: with other values it is another search.
FILE = "search.json"


def search(
    task: Task | str,
    model: str | ModelConfig | None = None,
    *,
    vary: Mapping[str, Range | Iterable[Any]],
    trials: int = 50,
    out: str | os.PathLike[str] | None = None,
    seed: int = 1,
    finalists: int = 4,
    fresh_seeds: Iterable[int] = FRESH_SEEDS,
    final_sequences: int | None = None,
    jobs: int = 1,
    together: int | None = None,
    executor: Executor | None = None,
    training: TrainingConfig | None = None,
    imports: Sequence[str] = (),
    progress: bool = True,
) -> Search:
    """Tries settings of a model on a task, and trains the best on fresh seeds.

    The first trial has the settings as they are. Optuna proposes the others from what
    came out before. A trial whose loss is above the median of earlier ones is stopped
    early. A search that was stopped, or is given more trials, goes on: from the same
    arguments come the same trials, however often it was stopped.

    Args:
        task: The task or its name.
        model: The name of a registered model or a `ModelConfig`; if None, the first of
            the task's `compared_models`.
        vary: By the name of a setting of the training, the model or the task, a `Range`
            or a list of values.
        trials: Number of trials, at most 900.
        out: Directory of the search; `runs/search-TASK-MODEL` if None.
        seed: Seed of what is proposed. Trial n itself has the seed n + 1.
        finalists: The best so many trials are trained again with four further seeds,
            901 to 904, and the one with the best mean is chosen; 1 for none.
        fresh_seeds: Seeds that no trial has, to train the best settings with.
        final_sequences: Budget of these runs; the model's own if None.
        jobs: Runs at a time on this machine.
        together: Trials that are proposed together, and can be trained at the same
            time; `jobs` if None, also with an `executor`. More of them are faster on
            many machines, and learn less from each other.
        executor: Where to train, see `tasks.compare`.
        training: How to train; its seed is not used. Its `sequences` or `passes` are
            the budget of a trial, an eighth of the usual one if both are None.
        imports: Files or modules that register tasks and models of your own.
        progress: Whether to show progress on standard error.
    Returns:
        A `Search`.
    Raises:
        ImportError: If Optuna is not installed.
        ValueError: If a number is out of its range, a setting is unknown, or `vary`
            gives it no choice; if a task or model is not registered, or a seed is that
            of a trial.
        RunError: If `out` holds other files or another search, or is in use; if workers
            of the executor have another version of this package, or do not see `out`.
    """
    # The finalists have the seeds behind those of the trials.
    check_integer("trials", trials, maximum=NUMBERS[0])
    check_integer("seed", seed, minimum=0)
    check_integer("finalists", finalists)
    check_jobs(jobs, executor)
    together = jobs if together is None else check_integer("together", together)
    check_boolean("progress", progress)
    task = as_task(task)
    model = as_model(model, task)
    check_is_installed()
    imports = [whole_name(name) for name in imports]
    space = space_of(task, model, _with_budget(training, task, model), vary)
    fresh = _checked_seeds(fresh_seeds, trials)
    folder = pathlib.Path(
        out or pathlib.Path("runs", f"search-{task.name}-{model.label}")
    )
    # Also refuses what cannot be trained in a process of its own.
    make_plan(task, [model], fresh[:1], folder, space.training, imports=imports)
    where: dict[str, Any] = {"executor": executor, "jobs": jobs, "imports": imports}
    with claimed(search_folder(folder), inputs_of(task, model)):
        _check_is_same(folder, space, seed, together)
        numbers = {"trials": trials, "finalists": finalists}
        numbers |= {"seed": seed, "together": together}
        found, means = _tried(folder, space, progress, where, **numbers)
        best = min(
            finalists_of(found, finalists),
            key=lambda trial: means.get(trial.number, 0.0),
            default=None,
        )
        command, plan = "", list[Job]()
        if best:
            final = training or TrainingConfig()
            final = dataclasses.replace(final, sequences=final_sequences, passes=None)
            last = dataclasses.replace(space, training=final)
            command, plan = _final(folder, last, best, fresh, imports)
        runs, failures = _trained(plan, progress, where)
        shares = importances(space.axes, found)
        page = folder / "index.html"
        result = Search(found, means, best, command, runs, failures, shares, page)
        write_search(result, space)
    return result


def _tried(
    folder: pathlib.Path,
    space: Space,
    progress: bool,
    where: dict[str, Any],
    *,
    trials: int,
    finalists: int,
    seed: int,
    together: int,
) -> tuple[list[Trial], dict[int, float]]:
    """All trials, and the mean score of each finalist by the number of its trial."""
    budget = space.training.sequences or 0
    count = trials + (finalists * len(NUMBERS) if finalists > 1 else 0)
    with (
        _shown(progress, count, count * budget) as on_progress,
        Engine(**where, evaluate=False) as engine,
    ):
        shown = engine, on_progress
        found = _all_trials(folder / "trials", space, trials, seed, together, *shown)
        last = finalists_of(found, finalists)
        if len(last) < 2:
            return found, {}
        return found, train_finals(folder / "finals", space, last, *shown)


def _trained(
    plan: Sequence[Job], progress: bool, where: dict[str, Any]
) -> tuple[list[FinishedRun], list[FailedRun]]:
    """The finished runs of a plan, and the failed ones."""
    if not plan:
        return [], []
    total = sum(job.training.sequences or 0 for job in plan)
    with _shown(progress, len(plan), total) as on_progress:
        return train_all(plan, **where, on_progress=on_progress)


def _all_trials(
    folder: pathlib.Path,
    space: Space,
    count: int,
    seed: int,
    together: int,
    engine: Engine,
    on_progress: OnProgress,
) -> list[Trial]:
    """Trains what is missing of so many trials, a round after the other."""
    trials = read_trials(folder)
    for trial in trials:
        if trial.state != RUNNING:
            on_progress(f"trial {trial.number}", space.training.sequences or 0, "")
    while True:
        unfinished = [trial.number for trial in trials if trial.state == RUNNING]
        first = min(unfinished, default=len(trials))
        first -= first % together  # a round may have been stopped in its middle
        earlier = trials[:first]
        # All of a round are proposed before one is trained: what is proposed must not
        # depend on which of them ends first.
        proposed = [Trial(trial.number, trial.settings) for trial in trials[first:]]
        for number in range(len(trials), min(count, first + together)):
            known = [*earlier, *proposed]
            proposed.append(
                Trial(number, propose(space.axes, known, space.start, seed))
            )
            trials.append(proposed[-1])
            proposed[-1].write(folder)
        going = [trial for trial in trials[first:] if trial.state == RUNNING]
        if not going:
            return trials
        for ended in train_round(folder, space, earlier, going, engine, on_progress):
            ended.write(folder)
            trials[ended.number] = ended


def _final(
    folder: pathlib.Path,
    space: Space,
    best: Trial,
    seeds: Sequence[int],
    imports: Sequence[str],
) -> tuple[str, list[Job]]:
    """The command that trains with the chosen settings, and the runs on fresh seeds,
    each in a folder with the name of its seed."""
    task, model, training = space.with_settings(best.settings)
    own = best.folder(folder / "fresh")
    plan = make_plan(task, [model], seeds, own, training, imports=imports)
    plan = [dataclasses.replace(job, path=own / str(job.training.seed)) for job in plan]
    return command_of(task, model, training, imports), plan


def _with_budget(
    training: TrainingConfig | None, task: Task, model: ModelConfig
) -> TrainingConfig:
    training = training or TrainingConfig()
    if training.sequences is not None:
        return training
    if training.passes is not None:
        whole = training.resolved(task, model).sequences
        return dataclasses.replace(training, sequences=whole, passes=None)
    return with_quick_budget(training, task, model)


def _checked_seeds(seeds: Iterable[int], trials: int) -> list[int]:
    seeds = list(seeds)
    if not seeds:
        raise ValueError("`fresh_seeds` must not be empty. Received: fresh_seeds=[]")
    for seed in seeds:
        check_integer("fresh_seeds", seed, minimum=0, maximum=MAX_SEED)
        if 1 <= seed <= trials or seed - 1 in NUMBERS:
            raise ValueError(
                "`fresh_seeds` must be seeds that no trial has. Those have 1 to "
                f"{trials}, and {NUMBERS[0] + 1} to {NUMBERS[-1] + 1}. "
                f"Received: {seed}"
            )
    return seeds


def _check_is_same(
    folder: pathlib.Path, space: Space, seed: int, together: int
) -> None:
    """Writes what a folder is the search of, or raises if it is another one."""
    from memnets.saving.atomic import atomic_write

    start = Job(space.task, space.model, space.training, folder).config
    axes = {name: axis.record() for name, axis in space.axes.items()}
    del start["training"]["seed"]
    what = plain({**start, "vary": axes, "seed": seed, "together": together})
    path = folder / FILE
    if not path.exists():
        with atomic_write(search_folder(folder).reserve(FILE)) as unfinished:
            unfinished.write_text(json.dumps(what, indent=1) + "\n", encoding="utf-8")
        return
    try:
        there = dict(json.loads(path.read_text(encoding="utf-8")))
    except (OSError, ValueError, TypeError, RecursionError) as error:
        raise RunError(f"`{path}` is no file of a search: {error}.") from None
    for name, value in what.items():
        if there.get(name) != value:
            cure = "choose another directory (--out), or remove it"
            if name == "together":
                cure = f"give it --together {there.get(name)} (together), or {cure}"
            raise RunError(f"`{folder}` holds a search with another `{name}`: {cure}.")


def _shown(
    progress: bool, count: int, total: int
) -> AbstractContextManager[OnProgress]:
    """Progress on standard error, or what takes it and shows nothing."""
    if progress:
        return show_runs(count, total)
    return contextlib.nullcontext(lambda name, sequences, measure: None)
