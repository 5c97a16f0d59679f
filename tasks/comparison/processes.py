"""Trains the runs of a comparison, each in a process of its own."""

import concurrent.futures
import json
import queue
import subprocess
import sys
import tempfile
from collections.abc import Callable, Collection, Sequence

from ..runs.directory import open_run
from ..runs.files import RunError
from .finished_run import FailedRun, FinishedRun, read
from .plan import Job

# By name: `-m` could not run it where this package is loaded as `memnets.tasks`.
START = "import importlib, sys; sys.exit(importlib.import_module(sys.argv[1]).main())"

# Called with the name of a run, the sequences it has seen, and its measure in words.
OnProgress = Callable[[str, int, str], None]


def train_all(
    plan: Sequence[Job],
    *,
    jobs: int = 1,
    imports: Sequence[str] = (),
    on_progress: OnProgress = lambda name, sequences, measure: None,
) -> tuple[list[FinishedRun], list[FailedRun]]:
    """Trains what is not there already.

    A run of the same parameters that has ended is not repeated, so that a comparison
    can be interrupted and continued. If it was evaluated on other sizes than runs are
    now, that is done again.

    Args:
        plan: The runs.
        jobs: Runs at a time; each has one core if there are several.
        imports: Files or modules that the processes import first.
        on_progress: Called with a run's name, the sequences it has seen, and its
            measure in words; the measure is empty when the run has ended.
    Returns:
        The finished runs in the order of the plan, and the failed ones.
    Raises:
        RunError: If a finished run is in the way: one of other parameters, or one to
            evaluate again that has no checkpoint left.
    """
    for job in plan:
        _check_is_not_in_the_way(job)
    from memnets.native import available_cores

    cores: queue.SimpleQueue[list[int]] = queue.SimpleQueue()
    available = available_cores()
    for number in range(jobs):
        one = [available[number % len(available)]]
        cores.put(one if jobs > 1 else available)

    def work(job: Job) -> FinishedRun:
        if not is_finished(job):
            own = cores.get()
            try:
                _train(job, own, imports, on_progress)
            finally:
                cores.put(own)
        on_progress(job.path.name, job.training.sequences or 0, "")
        return read(job.path)

    runs, failures = [], []
    with concurrent.futures.ThreadPoolExecutor(jobs) as pool:
        futures = [(job, pool.submit(work, job)) for job in plan]
        try:
            for job, future in futures:
                try:
                    runs.append(future.result())
                except RunError as error:
                    failures.append(FailedRun(job.path, str(error)))
        except BaseException:
            pool.shutdown(cancel_futures=True)
            raise
    return runs, failures


def is_finished(job: Job) -> bool:
    """Whether the run is there, and was evaluated on what runs are evaluated on now."""
    try:
        done = read(job.path)
    except RunError:
        return False
    sizes = [at.sizes for at in done.run.task.eval_tasks]
    return _is_of(done.run, job) and done.sizes == sizes


def _is_begun(job):
    try:
        return _is_of(open_run(job.path), job)
    except RunError:
        return False


def _is_of(run, job):
    return Job(run.task, run.model, run.training, job.path).config == job.config


def _check_is_not_in_the_way(job):
    if not (job.path / "summary.json").exists() or is_finished(job):
        return
    what = "with other parameters"
    if _is_begun(job):
        if open_run(job.path).last_checkpoint():
            return
        what = "evaluated on other sizes, whose checkpoints are gone"
    raise RunError(
        f"`{job.path}` holds a run {what}: choose another directory for the comparison "
        "(--out), or remove it."
    )


def _train(
    job: Job, cores: Collection[int], imports: Sequence[str], on_progress: OnProgress
) -> None:
    """Trains one run in a process of its own, and waits for its end."""
    asked = job.config | {
        "out": str(job.path),
        # A run that was stopped continues; one of other parameters is not finished.
        "resume": _is_begun(job),
        "imports": list(imports),
        "cores": list(cores),
    }
    # -P: not the `tasks` of whatever folder this is.
    command = [sys.executable, "-P", "-c", START, f"{__package__}.worker"]
    with (
        tempfile.TemporaryFile("w+", errors="replace") as errors,
        subprocess.Popen(
            command,
            text=True,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=errors,
        ) as process,
    ):
        last = _follow(process, asked, job.path.name, on_progress)
        if process.wait() or "done" not in last:
            errors.seek(0)
            printed = [line.strip() for line in errors if line.strip()]
            ended = printed[-1] if printed else f"exit status {process.returncode}"
            raise RunError(last.get("error", ended))


def _follow(process, asked, name, on_progress):
    """Sends a process its job and reads its progress. Returns the last line."""
    try:
        with process.stdin:
            json.dump(asked, process.stdin)
    except BrokenPipeError:
        pass  # it has ended already; its standard error says why
    last = {}
    for line in process.stdout:
        try:
            last = json.loads(line)
        except ValueError:
            break  # the process was killed while it wrote
        if "sequences" in last:
            total = f"{last['sequences']}/{last['total']} sequences"
            on_progress(name, last["sequences"], f"{total}  {last['measure']}")
    return last
