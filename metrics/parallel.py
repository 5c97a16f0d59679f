"""Counting of statistics in several processes, for slow metrics and long corpora."""

import concurrent.futures
import gc
import multiprocessing
import pickle
import sys
import threading
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

# Segments in one work item of a process. Heuristic: a second of work or less.
CHUNK = 500

# Frameworks with threads that Python does not count. A fork would copy their locks.
THREADED = ("tensorflow", "jax", "torch")


def statistics_in_processes(
    metric: Any, references: Sequence[Any], hypotheses: Sequence[Any], jobs: int
) -> Iterator[np.ndarray]:
    """Counts the statistics of a corpus in several processes.

    The processes are forks if `start_method` finds that safe. Otherwise they are new
    processes, which take a third of a second to start; a script that starts new
    processes needs `if __name__ == "__main__":`.

    Args:
        metric: A `metrics.Metric`, fitted to the corpus.
        references: One list of references for each hypothesis.
        hypotheses: The texts to score.
        jobs: Number of processes.
    Yields:
        Arrays `(segments, statistics)`, in the order of the corpus.
    Raises:
        ValueError: If the metric cannot be sent to new processes.
    """
    starts = range(0, len(hypotheses), CHUNK)
    method = start_method()
    if method == "spawn":
        pickled(metric)
    with concurrent.futures.ProcessPoolExecutor(
        min(jobs, len(starts)),
        mp_context=multiprocessing.get_context(method),
        initializer=_set_metric,
        initargs=(metric,),
    ) as pool:
        yield from pool.map(
            _statistics,
            (references[start : start + CHUNK] for start in starts),
            (hypotheses[start : start + CHUNK] for start in starts),
        )


def pickled(metrics: Any) -> bytes:
    """One or more metrics as bytes, for another process.

    Raises:
        ValueError: If they hold a function that has no name in a module.
    """
    try:
        return pickle.dumps(metrics)
    except (pickle.PicklingError, AttributeError, TypeError) as error:
        raise ValueError(
            "`metrics` must be such that other processes can have them, with functions "
            f"of modules only. Received: {error}"
        ) from None


def start_method() -> str:
    """Returns "fork" on Linux if there is no other thread, otherwise "spawn".

    A fork copies locks that other threads hold, but not the threads that would release
    them. The threads of NumPy's OpenBLAS are no problem: it stops them before a fork.
    Threads of other extensions are not noticed, except those of the usual frameworks.
    """
    alone = threading.active_count() == 1 and sys.modules.keys().isdisjoint(THREADED)
    return "fork" if sys.platform == "linux" and alone else "spawn"


# The metric of a worker process. It is set once, when the process starts.
_metric: Any = None


def _set_metric(metric):
    """Stores the metric in a worker process, which so loads its tables only once."""
    global _metric
    _metric = metric
    # Everything that exists here stays, so the garbage collector need not visit it.
    gc.freeze()


def _statistics(references, hypotheses):
    return _metric.corpus_statistics(references, hypotheses)
