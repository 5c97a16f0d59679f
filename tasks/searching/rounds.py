"""The trials of one round: they are trained at the same time."""

import contextlib
import dataclasses
import pathlib
from collections.abc import Iterator, Sequence

from ..comparison.engine import Engine, check_fit, outcomes
from ..comparison.lease import Lease, issue
from ..comparison.plan import Job
from ..comparison.progress import OnProgress
from ..runs.directory import open_run
from ..runs.files import RunError
from ..runs.history import History
from .proposals import parts_until_hopeless
from .space import Space
from .trial import (
    COMPLETE,
    FAILED,
    PRUNED,
    Trial,
    losses_of,
    score_of,
    trials_folder,
)

# In the folder of a trial, while it may be trained.
LEASE = ".permit"


def train_round(
    folder: pathlib.Path,
    space: Space,
    earlier: Sequence[Trial],
    going: Sequence[Trial],
    engine: Engine,
    on_progress: OnProgress,
) -> Iterator[Trial]:
    """Trains trials, and yields each when it has ended.

    Args:
        folder: The folder of all trials.
        space: What is searched.
        earlier: The trials of earlier rounds, by which these are judged.
        going: The trials of this round.
        engine: Where they are trained.
        on_progress: Called with the name of a trial, the sequences it has seen, and its
            loss in words, which are empty when it has ended.
    Raises:
        RunError: If nothing can be trained there.
    """
    jobs: dict[pathlib.Path, Trial] = {}
    plan, leases = [], {}
    for trial in going:
        try:
            job = job_of(trial, space, folder)
        except ValueError as error:  # settings that do not go together
            yield dataclasses.replace(trial, state=FAILED, reason=str(error))
            continue
        jobs[job.path] = trial
        plan.append(job)
        leases[job.path] = issue(trials_folder(folder), f"{trial.name}/{LEASE}")

    def name_of(job: Job) -> str:
        return f"trial {jobs[job.path].number}"

    def look(job: Job) -> None:
        history = _history(job)
        if history is None:
            return
        seen = int(history.rows[-1]["sequences"])
        total = job.training.sequences or 0
        text = f"{seen}/{total} sequences  loss {history.rows[-1]['loss']:.3g}"
        on_progress(name_of(job), seen, text)
        losses = losses_of(history)
        if parts_until_hopeless(space.axes, earlier, jobs[job.path], losses):
            leases[job.path].withdraw()

    try:
        for job, outcome in outcomes(
            plan, lambda job: engine.submit(job, leases[job.path], _ignore), look
        ):
            lease = leases[job.path]
            yield _ended(space, earlier, jobs[job.path], job, outcome, lease)
            lease.withdraw()
            on_progress(name_of(job), job.training.sequences or 0, "")
    finally:
        for lease in leases.values():
            lease.withdraw()


def job_of(trial: Trial, space: Space, folder: pathlib.Path) -> Job:
    """The run of a trial.

    Raises:
        ValueError: If its settings do not go together.
    """
    parts = space.trained_with(trial.settings, trial.seed)
    return Job(*parts, trial.folder(folder) / "run")


def _ignore(line: dict) -> None:
    pass


def _history(job: Job) -> History | None:
    """What is there of the history of a run, None if nothing is."""
    with contextlib.suppress(OSError, RunError):
        history = open_run(job.path).read_history()
        if history.rows:
            return history
    return None


def _ended(
    space: Space,
    earlier: Sequence[Trial],
    trial: Trial,
    job: Job,
    outcome: dict,
    lease: Lease,
) -> Trial:
    history = _history(job)
    losses = losses_of(history) if history else ()
    parts = parts_until_hopeless(space.axes, earlier, trial, losses)
    if parts:
        return dataclasses.replace(trial, state=PRUNED, losses=losses[:parts])
    check_fit(outcome, lease)
    if "error" in outcome or history is None:
        reason = outcome.get("error", "it left no epoch")
        return dataclasses.replace(trial, state=FAILED, reason=reason)
    score = score_of(open_run(job.path), history)
    return dataclasses.replace(trial, state=COMPLETE, losses=losses, score=score)
