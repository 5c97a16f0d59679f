"""Where runs are trained: on this machine, or on the workers of an executor."""

import concurrent.futures
import dataclasses
import os
import queue
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Executor, Future
from typing import Any, Self

from ..checks import check_integer, shorten
from ..own_code import folders_of
from ..runs.directory import current_versions
from ..runs.files import RunError
from .lease import Lease
from .plan import Job
from .processes import OnLine, train_apart

# Heuristic: how often a run is given to an executor that has lost it.
ATTEMPTS = 4
# Heuristic: seconds between two looks at runs that go on.
LOOK_SECONDS = 5.0
# Heuristic: seconds after which the lock of a process that was killed is gone, also
# where the machine is gone that held it.
LOCK_SECONDS = 120.0
# What must be equal on all machines: other versions give other runs.
SAME = ("memnets", "backend", "keras", "tensorflow", "jax")


def check_jobs(jobs: int, executor: Executor | None) -> None:
    """Checks the arguments of functions that train many runs.

    Raises:
        TypeError: If the executor has no `submit`.
        ValueError: If `jobs` is not a number of processes, or both are given.
    """
    check_integer("jobs", jobs)
    if executor is None:
        return
    if not callable(getattr(executor, "submit", None)):
        raise TypeError(
            "`executor` must have the `submit` of concurrent.futures.Executor. "
            f"Received: executor={shorten(executor)}"
        )
    if jobs > 1:
        raise ValueError(
            "`jobs` must be 1 with an executor, which knows how many runs it trains at "
            f"a time. Received: jobs={jobs}"
        )


class Engine:
    """Trains runs in processes, in a `with` block.

    Args:
        executor: Where; on this machine if None. Its workers must see the directories
            of the runs, and have this version of the package.
        jobs: Runs at a time on this machine; each has one core if there are several.
        imports: Files or modules that the processes import first.
        evaluate: Whether runs are evaluated at the end, and have a report.
    """

    def __init__(
        self,
        executor: Executor | None = None,
        *,
        jobs: int = 1,
        imports: Sequence[str] = (),
        evaluate: bool = True,
    ) -> None:
        from memnets.cores import available_cores

        self.is_here = executor is None
        self._executor = executor or concurrent.futures.ThreadPoolExecutor(jobs)
        self._imports = list(imports)
        self._evaluate = evaluate
        self._versions = current_versions()
        self._cores: queue.SimpleQueue[list[int]] = queue.SimpleQueue()
        available = available_cores()
        for number in range(jobs):
            one = [available[number % len(available)]]
            self._cores.put(one if jobs > 1 else available)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *exception: object) -> None:
        """Waits for what runs on this machine; an executor of others stays open."""
        if self.is_here:
            self._executor.shutdown(cancel_futures=True)

    def submit(self, job: Job, lease: Lease | None, on_line: OnLine) -> Future:
        """Begins or continues a run when there is room for it.

        Args:
            job: The run.
            lease: Without it, the run is stopped. Needed elsewhere.
            on_line: Called with the progress of a run on this machine.
        Returns:
            A future of what `train_apart` returns.
        """
        asked = job.config | {
            "out": str(job.path.absolute()),
            "imports": self._imports,
            "folders": folders_of(self._imports),
            "evaluate": self._evaluate,
            "cores": None,
            "lease": lease and dataclasses.asdict(lease),
            "versions": {k: v for k, v in self._versions.items() if k in SAME},
            "environment": {"KERAS_BACKEND": self._versions["backend"]},
            "wait": 0 if self.is_here else LOCK_SECONDS,
        }
        if self.is_here:
            return self._executor.submit(self._train_here, asked, on_line)
        return self._executor.submit(train_apart, asked)

    def _train_here(self, asked: dict[str, Any], on_line: OnLine) -> dict:
        cores = self._cores.get()
        try:
            return train_apart(asked | {"cores": cores}, on_line)
        finally:
            self._cores.put(cores)


def outcomes(
    jobs: Sequence[Job],
    submit: Callable[[Job], Future],
    look: Callable[[Job], Any] = lambda job: None,
) -> Iterator[tuple[Job, dict]]:
    """Trains runs, and yields each with its outcome when it has ended.

    A run whose worker has died is submitted again: it goes on from its last checkpoint.

    Args:
        jobs: The runs.
        submit: Begins or continues a run, see `Engine.submit`.
        look: Called now and then with each run that has not ended.
    """
    attempts = dict.fromkeys((job.path for job in jobs), 1)
    pending = {_submitted(submit, job): job for job in jobs}
    try:
        while pending:
            done, _ = concurrent.futures.wait(
                pending, LOOK_SECONDS, concurrent.futures.FIRST_COMPLETED
            )
            for future in done:
                job = pending.pop(future)
                error = _error_of(future)
                if error is None:
                    yield job, future.result()
                elif attempts[job.path] < ATTEMPTS:
                    attempts[job.path] += 1
                    pending[_submitted(submit, job)] = job
                else:
                    yield job, {"error": f"Its worker was lost: {_in_words(error)}"}
            for job in pending.values():
                look(job)
    finally:
        for future in pending:
            future.cancel()


def _submitted(submit: Callable[[Job], Future], job: Job) -> Future:
    """The future of a run, also of one that could not be submitted."""
    try:
        return submit(job)
    except Exception as error:
        future: Future = Future()
        future.set_exception(error)
        return future


def _error_of(future: Future) -> BaseException | None:
    """Why a future has no result; None if it has one."""
    try:
        return future.exception()
    except concurrent.futures.CancelledError as error:
        return error


def _in_words(error: BaseException) -> str:
    return " ".join(f"{type(error).__name__}: {error}".split())


def check_fit(outcome: dict, lease: Lease | None) -> None:
    """Raises RunError if an outcome says that no run can be trained there."""
    if "unfit" in outcome:
        raise RunError(outcome["unfit"])
    if "stopped" in outcome and lease:
        what = (
            f"must be in a folder that all workers see. The one on "
            f"{outcome['stopped']} does not see it."
            if lease.holds
            else "was taken over by another command."
        )
        raise RunError(f"`{os.path.dirname(lease.path)}` {what}")
