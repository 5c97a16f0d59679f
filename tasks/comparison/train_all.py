"""Trains the runs of a comparison that are not there already."""

import contextlib
from collections.abc import Sequence
from concurrent.futures import Executor

from ..contract.length_ranges import lengths_of
from ..length_generalization import SEQUENCES
from ..runs.checkpoint import files_of
from ..runs.directory import open_run
from ..runs.files import RunError
from .engine import Engine, check_fit, outcomes
from .finished_run import FailedRun, FinishedRun, read
from .lease import leased
from .page import comparison_folder
from .plan import Job
from .processes import OnLine
from .progress import OnProgress

# In the folder of a comparison, while it runs elsewhere.
LEASE = ".permit"


def train_all(
    plan: Sequence[Job],
    *,
    executor: Executor | None = None,
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
        executor: Where to train, see `Engine`.
        jobs: Runs at a time on this machine.
        imports: Files or modules that the processes import first.
        on_progress: Called with a run's name, the sequences it has seen, and its
            measure in words; the measure is empty when the run has ended.
    Returns:
        The finished runs in the order of the plan, and the failed ones.
    Raises:
        RunError: If a run is in the way: one of other parameters, one whose
            configuration is damaged, or one to evaluate again that has no checkpoint
            left. If workers of the executor have another version, or do not see the
            directories of the runs.
    """
    for job in plan:
        _check_is_not_in_the_way(job)
    reasons: dict[str, str] = {}

    def end(job: Job) -> None:
        on_progress(job.path.name, job.training.sequences or 0, "")

    with contextlib.ExitStack() as stack:
        engine = stack.enter_context(Engine(executor, jobs=jobs, imports=imports))
        lease = None
        if not engine.is_here:
            output = comparison_folder(plan[0].path.parent)
            lease = stack.enter_context(leased(output, LEASE))
        left = []
        for job in plan:
            if is_finished(job):
                end(job)
            else:
                left.append(job)
        for job, outcome in outcomes(
            left,
            lambda job: engine.submit(job, lease, _shower(job, on_progress)),
            lambda job: None if engine.is_here else _look(job, on_progress),
        ):
            check_fit(outcome, lease)
            end(job)
            if "error" in outcome:
                reasons[job.path.name] = outcome["error"]
    return _read_all(plan, reasons)


def _shower(job: Job, on_progress: OnProgress) -> OnLine:
    """Shows what the process of a run writes."""

    def show(line: dict) -> None:
        if "sequences" in line:
            seen = f"{line['sequences']}/{line['total']} sequences"
            on_progress(job.path.name, line["sequences"], f"{seen}  {line['measure']}")

    return show


def _look(job: Job, on_progress: OnProgress) -> None:
    """Shows what the history of a run on another machine says."""
    from ..training.progress import shown_measure

    try:
        last = open_run(job.path).read_history().rows[-1]
    except (OSError, RunError, IndexError):
        return
    seen = int(last["sequences"])
    text = f"{seen}/{job.training.trained_sequences} sequences"
    on_progress(job.path.name, seen, f"{text}  {shown_measure(job.task, last)}")


def _read_all(
    plan: Sequence[Job], reasons: dict[str, str]
) -> tuple[list[FinishedRun], list[FailedRun]]:
    """The finished runs, and the failed ones with their reasons."""
    runs, failures = [], []
    for job in plan:
        try:
            if job.path.name in reasons:
                raise RunError(reasons[job.path.name])
            runs.append(read(job.path))
        except RunError as error:
            failures.append(FailedRun(job.path, str(error)))
    return runs, failures


def is_finished(job: Job) -> bool:
    """Whether nothing of the run is left to do."""
    if not _is_evaluated(job):
        return False
    # One that was killed before its report goes on; without checkpoints it cannot.
    run = open_run(job.path)
    return run.file("report.html").exists() or not files_of(run.checkpoints)


def _is_evaluated(job: Job) -> bool:
    """Whether the run is there, and was evaluated on what runs are evaluated on now."""
    try:
        done = read(job.path)
    except RunError:
        return False
    sizes = [at.evaluation.sizes for at in done.run.task.evaluation.eval_tasks]
    return job.is_of(done.run) and done.sizes == sizes and _is_tested(job, done)


def _is_tested(job: Job, done: FinishedRun) -> bool:
    """Whether a run was tested on the lengths that are asked for, if any are."""
    asked, test = job.training.test_lengths, done.test
    if asked is None:
        return True
    found = test and (test.lengths, test.sequences)
    return found == (lengths_of(asked), job.training.test_sequences or SEQUENCES)


def _check_is_not_in_the_way(job: Job) -> None:
    if not (job.path / "config.json").exists() or _is_evaluated(job):
        return
    what = "with other parameters"
    if job.is_of(open_run(job.path)):
        is_evaluated = (job.path / "summary.json").exists()
        if not is_evaluated or open_run(job.path).last_checkpoint():
            return
        what = "evaluated on other sizes, whose checkpoints are gone"
    raise RunError(
        f"`{job.path}` holds a run {what}: choose another directory for the comparison "
        "(--out), or remove it."
    )
