"""Scores of a corpus by every metric asked for, with a progress bar."""

import contextlib
import dataclasses
import importlib
import sys
from typing import Any

# Chosen. Segments between two steps of the progress bar.
CHUNK = 2000

TESTS = {
    "bootstrap": "paired_bootstrap_of_rows",
    "randomization": "approximate_randomization_of_rows",
}


@dataclasses.dataclass(frozen=True)
class Result:
    """What a metric says of a system, and of the one that it is compared with.

    Attributes:
        name: Of the metric.
        metric: A `metrics.base.Metric`, fitted to the corpus.
        rows: The statistics of the segments of each system.
        scores: A `metrics.base.Score` of each system.
        test: A `metrics.significance.PairedTest`, if there are two systems.
    """

    name: str
    metric: Any
    rows: list
    scores: list
    test: Any = None

    def segment_scores(self) -> list[list[float]]:
        """The scores of the segments, a list for each system."""
        return [
            [self.metric.score_from(row).value for row in rows] for rows in self.rows
        ]


def score_corpus(metrics, corpus, *, confidence, test, seed, jobs):
    """Scores a corpus.

    Args:
        metrics: The metrics by name.
        corpus: A `Corpus`.
        confidence: Of the intervals, or `None`.
        test: Name of the test of the difference to the paired system, of `TESTS`.
        seed: Seed of the intervals and of the test.
        jobs: Processes for a long corpus and a slow metric.
    Returns:
        A `Result` for each metric.
    """
    systems = [corpus.hypotheses]
    if corpus.paired is not None:
        systems.append(corpus.paired)
    results = []
    with _progress(len(systems) * len(corpus.hypotheses)) as start:
        for name, metric in metrics.items():
            fitted = metric.fitted(corpus.references, corpus.hypotheses)
            advance = start(name)
            rows = [
                _count(fitted, corpus.references, own, jobs, advance) for own in systems
            ]
            scores = [
                fitted.score_rows(own, confidence=confidence, seed=seed) for own in rows
            ]
            found = _test(test, fitted, rows, seed)
            results.append(Result(name, fitted, rows, scores, found))
    return results


def _count(metric, references, hypotheses, jobs, advance):
    """The statistics of all segments, chunk by chunk."""
    import numpy as np

    from metrics.parallel import statistics_in_processes

    if not metric.slow or len(hypotheses) <= CHUNK:
        jobs = 1
    chunks = []
    for chunk in (
        statistics_in_processes(metric, references, hypotheses, jobs)
        if jobs > 1
        else _in_chunks(metric, references, hypotheses)
    ):
        chunks.append(chunk)
        advance(len(chunk))
    return np.concatenate(chunks)


def _in_chunks(metric, references, hypotheses):
    for start in range(0, len(hypotheses), CHUNK):
        own = slice(start, start + CHUNK)
        yield metric.corpus_statistics(references[own], hypotheses[own])


def _test(name, metric, rows, seed):
    if len(rows) == 1:
        return None
    run = getattr(importlib.import_module("metrics.significance"), TESTS[name])
    return run(metric, *rows, seed=seed)


@contextlib.contextmanager
def _progress(total):
    """What starts the bar of a metric; none for short work or without a terminal."""
    if total <= CHUNK or not sys.stderr.isatty():
        yield lambda name: lambda count: None
        return
    import rich.console
    import rich.progress

    with rich.progress.Progress(
        rich.progress.TextColumn("[bold]{task.description}"),
        rich.progress.BarColumn(),
        rich.progress.MofNCompleteColumn(),
        rich.progress.TextColumn("segments"),
        rich.progress.TimeRemainingColumn(),
        console=rich.console.Console(stderr=True),
        transient=True,
        # Its thread would keep the metrics from forking, see `metrics.parallel`.
        auto_refresh=False,
    ) as progress:

        def start(name):
            bar = progress.add_task(name, total=total)
            progress.refresh()
            return lambda count: progress.update(bar, advance=count, refresh=True)

        yield start
