"""Counting in several processes, for slow metrics and long corpora."""

import concurrent.futures
import gc
import multiprocessing
import sys
import threading
from collections.abc import Iterator

import numpy as np

# Segments that a process is given at a time: chosen, a second of work or less.
CHUNK = 500

# Frameworks with threads that Python does not count, whose locks a fork would copy.
THREADED = ("tensorflow", "jax", "torch")


def statistics_in_processes(
    metric, references, hypotheses, jobs: int
) -> Iterator[np.ndarray]:
    """Statistics of a corpus from several processes, in its order, chunk by chunk.

    The processes are forks where `start_method` finds that safe. Elsewhere they are new
    ones, which take a third of a second to start; as always with these, a script that
    starts them needs `if __name__ == "__main__":`.

    Args:
        metric: A `metrics.base.Metric`, fitted to the corpus.
        references: One list of references for each hypothesis.
        hypotheses: The texts to score.
        jobs: Number of processes.
    """
    starts = range(0, len(hypotheses), CHUNK)
    with concurrent.futures.ProcessPoolExecutor(
        min(jobs, len(starts)),
        mp_context=multiprocessing.get_context(start_method()),
        initializer=_remember,
        initargs=(metric,),
    ) as pool:
        yield from pool.map(
            _statistics,
            (references[start : start + CHUNK] for start in starts),
            (hypotheses[start : start + CHUNK] for start in starts),
        )


def start_method() -> str:
    """How to start a process: "fork" on Linux with no other thread, or else "spawn".

    A fork copies the locks that other threads hold, and nobody is left to open them.
    The threads of NumPy's OpenBLAS do no harm: it stops them before a fork. Threads of
    other extensions are not seen, but for those of the usual frameworks.
    """
    alone = threading.active_count() == 1 and sys.modules.keys().isdisjoint(THREADED)
    return "fork" if sys.platform == "linux" and alone else "spawn"


# Of a process that counts for another one; set once, when it starts.
_metric = None


def _remember(metric):
    """Keeps the metric in a new process: its tables are loaded once, not by chunk."""
    global _metric
    _metric = metric
    # What is there stays: the garbage collector need not look at it again and again.
    gc.freeze()


def _statistics(references, hypotheses):
    return _metric.corpus_statistics(references, hypotheses)
