"""Processes by their number, on Linux, a scheduler of Dask, and runs of comparisons and
searches that train here, where Keras is imported already: a process of its own would
need ten seconds for it."""

import concurrent.futures
import contextlib
import io
import pathlib
from concurrent.futures import Executor

import pytest

from tasks.comparison import worker


def is_alive(pid):
    """Whether a process runs; one that has ended may still be listed."""
    try:
        status = pathlib.Path(f"/proc/{pid}/stat").read_text()
    except OSError:
        return False
    return status.rpartition(")")[2].split()[0] != "Z"


@contextlib.contextmanager
def local_scheduler(workers):
    """Its address, in a `with` block. Skips the test where Dask is not installed."""
    distributed = pytest.importorskip("distributed")
    with distributed.LocalCluster(
        n_workers=workers,
        threads_per_worker=1,
        processes=False,
        protocol="tcp",
        dashboard_address=None,
    ) as cluster:
        yield cluster.scheduler_address


def train_here(asked, on_line=None):
    """Trains as `tasks.comparison.processes.train_apart` does, without a process."""
    worker.train_job({**asked, "wait": 0}, io.StringIO())
    return {"done": True}


class InThisProcess(Executor):
    """Trains as a process of its own does."""

    def submit(self, function, asked):
        future = concurrent.futures.Future()
        future.set_result(train_here(asked))
        return future
