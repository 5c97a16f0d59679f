"""Models trained with the same seeds, and what became of them."""

import concurrent.futures
import dataclasses
import pathlib
import queue
import re
import statistics
import subprocess
import sys

from ..runs.run import Run, RunError, open_run
from . import paper
from .cores import available_cores, stay_on


@dataclasses.dataclass(frozen=True)
class Trained:
    """A finished run of a comparison.

    Attributes:
        run: The run directory.
        history: A dictionary for each epoch.
        summary: What `memnets train --json` printed.
    """

    run: Run
    history: list[dict]
    summary: dict

    @property
    def sizes(self) -> list[str]:
        """Names of the sizes that it was evaluated on."""
        return [result["size"] for result in self.summary["lengths"]]

    @property
    def solved_at(self) -> int | None:
        """Sequences seen when the task was first solved, if it was."""
        return self.run.training.solved_at(self.history, self.run.task.success)

    @property
    def settled_at(self) -> int | None:
        """Sequences after which every epoch to the end was a success, or None if the
        last was not. One that was taken back counts as it was."""
        success = self.run.task.success
        counted = [r["sequences"] for r in self.run.training.full_size(self.history)]
        failed = [
            r["sequences"]
            for r in self.history
            if r["sequences"] not in counted or not r[success.measure] < success.below
        ]
        settled = int(max(failed, default=0))
        return None if settled == self.history[-1]["sequences"] else settled

    @property
    def seconds_to_solve(self) -> float | None:
        """Seconds until the task was first solved, without the start-up."""
        solved = self.solved_at
        seconds = (r["seconds"] for r in self.history if r["sequences"] == solved)
        return next(seconds, None)


def run_path(folder, model, seed) -> pathlib.Path:
    """Where a comparison in `folder` keeps a run."""
    return pathlib.Path(folder, f"{model}-{seed}")


def read(path) -> Trained:
    """A finished run.

    Raises:
        RunError: If the directory holds no run, or one that has not ended.
    """
    run = open_run(path)
    return Trained(run, run.read_history(), run.read_summary())


def train_all(plan, folder, *, jobs=1, on_progress=lambda *news: None):
    """Trains what is not there already, each run in a process of its own.

    Args:
        plan: List of `(task, model, training)`.
        folder: Where the runs are kept. A run of the same parameters that has ended is
            not repeated, so that a comparison can be interrupted and continued; if it
            was evaluated on other sizes than runs are now, that is done again.
        jobs: Runs at a time; each has one core if there are several.
        on_progress: Called with a run's path, the sequences it has seen and a line.
    Returns:
        A list of `Trained` in the order of the plan, and a list of what is to be said
        of those that failed.
    Raises:
        RunError: If a run that has ended is in the way: one of other parameters, or
            one to evaluate again that has no checkpoint left.
    """
    for job in plan:
        _check_is_not_in_the_way(folder, *job)
    cores = queue.SimpleQueue()
    available = available_cores()
    for job in range(jobs):
        cores.put({available[job % len(available)]} if jobs > 1 else available)

    def work(job):
        task, model, training = job
        path = run_path(folder, model.name, training.seed)
        if not _finished(path, *job):
            core = cores.get()
            try:
                _train(path, job, core, on_progress)
            finally:
                cores.put(core)
        on_progress(path, training.sequences, "")
        return read(path)

    runs, failures = [], []
    with concurrent.futures.ThreadPoolExecutor(jobs) as pool:
        futures = [pool.submit(work, job) for job in plan]
        try:
            for future in futures:
                try:
                    runs.append(future.result())
                except RunError as error:
                    failures.append(str(error))
        except BaseException:
            pool.shutdown(cancel_futures=True)
            raise
    return runs, failures


def _finished(path, *job):
    """Whether the run is there and was evaluated on what runs are evaluated on now."""
    try:
        done = read(path)
    except RunError:
        return False
    return _is_of(done.run, *job) and done.sizes == [
        at.sizes for at in done.run.task.eval_tasks
    ]


def _begun(path, *job):
    try:
        return _is_of(open_run(path), *job)
    except RunError:
        return False


def _is_of(run, *job):
    return (run.task, run.model, run.training) == job


def _check_is_not_in_the_way(folder, *job):
    _, model, training = job
    path = run_path(folder, model.name, training.seed)
    if not (path / "summary.json").exists() or _finished(path, *job):
        return
    what = "with other parameters"
    if _begun(path, *job):
        if open_run(path).last_checkpoint():
            return
        what = "evaluated on other sizes, whose checkpoints are gone"
    raise RunError(
        f"`{path}` holds a run {what}: choose another directory for the comparison "
        "with --out, or remove it."
    )


def _train(path, job, cores, on_progress):
    code = "from tasks.cli.main import main; main()"
    # What was stopped goes on; what is of other parameters is not finished either.
    begin = "--resume" if _begun(path, *job) else "--force"
    arguments = [*arguments_of(*job), "--out", str(path), begin, "--json"]
    with subprocess.Popen(
        # -P: not the `tasks` of whatever folder this is.
        [sys.executable, "-P", "-c", code, *arguments],
        text=True,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        preexec_fn=lambda: stay_on(cores),
    ) as process:
        last = ""
        for line in process.stderr:
            last = line.strip() or last
            if seen := re.match(r"(\d+)/\d+ sequences", last):
                on_progress(path, int(seen[1]), last)
    if process.returncode:
        raise RunError(f"`{path}` could not be trained: {last}")


def arguments_of(task, model, training) -> list[str]:
    """The arguments of `memnets` that make a run, every parameter named."""
    arguments = ["train", task.name, "--model", model.name]
    for parameters in (task, model, training):
        for name, value in dataclasses.asdict(parameters).items():
            flag = name.replace("_", "-")
            if isinstance(value, bool):
                arguments.append(f"--{flag}" if value else f"--no-{flag}")
            elif value is not None:
                arguments += [f"--{flag}", str(value)]
    return arguments


def by_model(runs: list[Trained]) -> dict[str, list[Trained]]:
    """The runs of each model."""
    models = dict.fromkeys(r.run.model.name for r in runs)
    return {m: [r for r in runs if r.run.model.name == m] for m in models}


def median_and_range(values):
    """The median of numbers of which None is beyond all others, and both ends."""
    ordered = sorted(float("inf") if value is None else value for value in values)
    return statistics.median(ordered), ordered[0], ordered[-1]


def table_of(runs: list[Trained]) -> list[list[str]]:
    """A row a model, and under it the paper's where it has numbers; headings first.

    Of several seeds it shows the median, and in brackets the worst.
    """
    task = runs[0].run.task
    sizes = runs[0].sizes
    unit, said = unit_of(task)
    headings = ["model", "weights", "solved", "after sequences", "after seconds"]
    headings += ["start-up seconds", "settled after"]
    headings += [f"{said} at {r['size']}{_best(r)}" for r in runs[0].summary["lengths"]]
    rows = [headings]
    for model, own in by_model(runs).items():
        solved = [r for r in own if r.solved_at]
        row = [model, f"{own[0].summary['weights']:,}", f"{len(solved)} of {len(own)}"]
        row.append(_cell([r.solved_at for r in own], ",.0f"))
        row.append(_cell([r.seconds_to_solve for r in own], ",.0f"))
        row.append(_cell([r.summary["startup_seconds"] for r in own], ",.0f"))
        row.append(_cell([r.settled_at for r in own], ",.0f"))
        for place, _ in enumerate(sizes):
            results = [r.summary["lengths"][place] for r in own]
            cell = _cell([result[unit] for result in results], ".2f")
            if task.exact:
                share = statistics.median(result["perfect"] for result in results)
                worst = min(result["perfect"] for result in results)
                cell += f", {100 * share:.0f}% ({100 * worst:.0f}%) perfect"
            for part in results[0]["part_errors"]:
                errors = [result["part_errors"][part] for result in results]
                cell += f"; in {part} {_cell(errors, '.2f')}"
            row.append(cell)
        rows.append(row)
        rows.append(_paper_row(task, model, sizes))
    return rows


def unit_of(task) -> tuple[str, str]:
    """In what the errors of a task are counted: the field of `LengthResult`, and its
    name. Bits of cross-entropy where the paper or the task has those."""
    if task.success.measure == "bits_per_sequence" or published(task, paper.SIZES):
        return "bits", "bits"
    return "bit_errors", "wrong bits"


def published(task, numbers) -> dict:
    """What the paper has for a task, one of the tables of `tasks.paper`; nothing if the
    task is not the paper's."""
    return numbers.get(task.name, {}) if task == type(task)() else {}


def _best(result):
    """What the best predictor there is would have, where that is not 0."""
    best = result["best_bits"]
    return "" if best is None else f" (best {best:.1f})"


def _cell(values, form):
    middle, _, worst = (
        "never" if value == float("inf") else format(value, form)
        for value in median_and_range(values)
    )
    return middle if len(values) == 1 else f"{middle} ({worst})"


def _paper_row(task, model, sizes):
    curve = published(task, paper.LEARNING).get(model)
    reached = f"{curve[-1][1]:g} bits after {curve[-1][0]:,}" if curve else ""
    weights = published(task, paper.WEIGHTS).get(model)
    row = ["the paper's", f"{weights:,}" if weights else "", "", reached, "", "", ""]
    shown = published(task, paper.SIZES).get(model, {})
    return row + [f"{shown[size]:g} bits" if size in shown else "" for size in sizes]
