"""Counting in several processes, for slow metrics and long corpora."""

import concurrent.futures
import multiprocessing
from collections.abc import Iterator

import numpy as np

# Segments that a process is given at a time: chosen, a second of work or less.
CHUNK = 500


def statistics_in_processes(
    metric, references, hypotheses, jobs: int
) -> Iterator[np.ndarray]:
    """Statistics of a corpus from several processes, in its order, chunk by chunk.

    The processes are new ones: a fork would copy the locks of a framework's threads. As
    always with these, a script that starts them needs `if __name__ == "__main__":`.

    Args:
        metric: A `metrics.base.Metric`, fitted to the corpus.
        references: One list of references for each hypothesis.
        hypotheses: The texts to score.
        jobs: Number of processes.
    """
    starts = range(0, len(hypotheses), CHUNK)
    with concurrent.futures.ProcessPoolExecutor(
        min(jobs, len(starts)),
        mp_context=multiprocessing.get_context("spawn"),
        initializer=_remember,
        initargs=(metric,),
    ) as pool:
        yield from pool.map(
            _statistics,
            (references[start : start + CHUNK] for start in starts),
            (hypotheses[start : start + CHUNK] for start in starts),
        )


# Of a process that counts for another one; set once, when it starts.
_metric = None


def _remember(metric):
    """Keeps the metric in a new process: its tables are loaded once, not by chunk."""
    global _metric
    _metric = metric


def _statistics(references, hypotheses):
    return _metric.corpus_statistics(references, hypotheses)
