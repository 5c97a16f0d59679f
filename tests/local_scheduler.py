"""A scheduler of Dask with workers in this process, which start at once."""

import contextlib

import pytest


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
