"""Scores of a corpus by every metric asked for, with a progress bar."""

import dataclasses
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any

from ..metrics_package import metrics_module
from .corpus_of_texts import Corpus
from .progress import progress_of

if TYPE_CHECKING:
    import numpy as np

    from metrics import Metric, Score
    from metrics.significance import PairedTest

# Heuristic: segments between two steps of the progress bar.
CHUNK = 2000

TESTS = {
    "bootstrap": "paired_bootstrap_of_rows",
    "randomization": "approximate_randomization_of_rows",
}


@dataclasses.dataclass(frozen=True)
class MetricResult:
    """The scores that a metric gives systems, the first of which is the baseline.

    Attributes:
        name: Name of the metric.
        metric: The metric.
        scores: The score of each system.
        tests: The tests of all systems but the first: of their difference to it.
        segments: Number of segments.
        rows: The statistics of the segments of each system, if they are in memory.
        of_segments: The metric of single segments, if it is another one.
    """

    name: str
    metric: "Metric"
    scores: list["Score"]
    tests: list["PairedTest"]
    segments: int
    rows: list[Any] = dataclasses.field(default_factory=list)
    of_segments: "Metric | None" = None

    def segment_scores(self) -> list[list[float]]:
        """The scores of the segments, a list for each system."""
        metric = self.of_segments or self.metric
        return [[metric.score_from(row).value for row in rows] for rows in self.rows]


def score_corpus(
    metrics: dict[str, "Metric"],
    corpus: Corpus,
    *,
    confidence: float | None,
    test: str,
    resamples: int | None,
    seed: int,
    jobs: int,
) -> list[MetricResult]:
    """Scores a corpus.

    Args:
        metrics: The metrics by name.
        corpus: The texts.
        confidence: Confidence of the intervals of scores, none if `None`, and of
            differences.
        test: Name of the test of the differences to the first system, of `TESTS`.
        resamples: Number of corpora that intervals and tests draw; by default theirs.
        seed: Seed of the intervals and of the test.
        jobs: Processes for a long corpus and a slow metric.
    Returns:
        A result for each metric.
    """
    run_test = getattr(metrics_module("significance.tests"), TESTS[test])
    interval: dict[str, Any] = {"confidence": confidence, "seed": seed}
    trials = {"seed": seed, **interval_of_difference(test, confidence)}
    if resamples is not None:
        interval["resamples"] = trials["trials"] = resamples
    results = []
    total = len(corpus.systems) * len(corpus.names)
    with progress_of(total, "segments", is_long=total > CHUNK) as start:
        for name, metric in metrics.items():
            fitted = metric.fitted(corpus.references, corpus.systems[0])
            advance = start(name)
            rows = [
                _count(fitted, corpus.references, own, jobs, advance)
                for own in corpus.systems
            ]
            scores = [metric.score_rows(own, **interval) for own in rows]
            baseline, *others = rows
            tests = [run_test(metric, own, baseline, **trials) for own in others]
            size = len(corpus.names)
            results.append(MetricResult(name, metric, scores, tests, size, rows))
    return results


def interval_of_difference(test: str, confidence: float | None) -> dict[str, Any]:
    """What a test is given for an interval of the difference: the bootstrap has one."""
    return {"confidence": confidence} if confidence and test == "bootstrap" else {}


def _count(
    metric: "Metric",
    references: list[list[str]],
    hypotheses: list[str],
    jobs: int,
    advance: Callable[[int], None],
) -> "np.ndarray":
    """The statistics of all segments, chunk by chunk."""
    import numpy as np

    statistics_in_processes = metrics_module("parallel").statistics_in_processes
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


def _in_chunks(
    metric: "Metric", references: list[list[str]], hypotheses: list[str]
) -> "Iterator[np.ndarray]":
    for start in range(0, len(hypotheses), CHUNK):
        own = slice(start, start + CHUNK)
        yield metric.corpus_statistics(references[own], hypotheses[own])
