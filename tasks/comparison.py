"""Models trained on the same sequences over several seeds, and what became of them."""

import concurrent.futures
import dataclasses
import pathlib
import queue
import re
import statistics
import subprocess
import sys

from tasks import paper
from tasks.cores import available_cores, stay_on
from tasks.runs import Run, RunError, open_run
from tasks.training_config import solved_at


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
    def solved_at(self) -> int | None:
        """Sequences seen when the task was first solved, if it was."""
        return solved_at(self.history, self.run.task.success)

    @property
    def settled_at(self) -> int:
        """Sequences after which every epoch to the end was a success."""
        success = self.run.task.success
        failed = [
            r["sequences"] for r in self.history if r[success.measure] >= success.below
        ]
        return int(max(failed, default=0))

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
            not repeated, so that a comparison can be interrupted and continued.
        jobs: Runs at a time; each has one core if there are several.
        on_progress: Called with a run's path, the sequences it has seen and a line.
    Returns:
        A list of `Trained` in the order of the plan.
    Raises:
        RunError: If a run failed; the others that were begun are finished first.
    """
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

    with concurrent.futures.ThreadPoolExecutor(jobs) as pool:
        futures = [pool.submit(work, job) for job in plan]
        try:
            return [future.result() for future in futures]
        except BaseException:
            pool.shutdown(cancel_futures=True)
            raise


def _finished(path, task, model, training):
    try:
        found = read(path).run
    except RunError:
        return False
    return (found.task, found.model, found.training) == (task, model, training)


def _train(path, job, cores, on_progress):
    code = "from tasks.cli import main; main()"
    arguments = [*arguments_of(*job), "--out", str(path), "--force", "--json"]
    with subprocess.Popen(
        [sys.executable, "-c", code, *arguments],
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
    sizes = [result["size"] for result in runs[0].summary["lengths"]]
    unit = "bits" if task.success.measure == "bits_per_sequence" else "bit_errors"
    said = {"bits": "bits", "bit_errors": "wrong bits"}[unit]
    headings = ["model", "weights", "solved", "after sequences", "after seconds"]
    headings += ["start-up seconds", "settled after"]
    headings += [f"{said} at {size}" for size in sizes]
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
            row.append(cell)
        rows.append(row)
        rows.append(_paper_row(task.name, model, sizes))
    return rows


def _cell(values, form):
    middle, _, worst = (
        "never" if value == float("inf") else format(value, form)
        for value in median_and_range(values)
    )
    return middle if len(values) == 1 else f"{middle} ({worst})"


def _paper_row(task, model, sizes):
    curve = paper.LEARNING.get(task, {}).get(model)
    reached = f"{curve[-1][1]:g} bits after {curve[-1][0]:,}" if curve else ""
    weights = paper.WEIGHTS.get(task, {}).get(model)
    row = ["the paper's", f"{weights:,}" if weights else "", "", reached, "", "", ""]
    shown = paper.SIZES.get(task, {}).get(model, {})
    return row + [f"{shown[size]:g} bits" if size in shown else "" for size in sizes]
