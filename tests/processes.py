"""Processes by their number, on Linux, and a scheduler of Dask."""

import contextlib
import pathlib

import pytest


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
