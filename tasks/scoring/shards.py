"""Scores of a corpus in many files, which no machine needs to hold in memory."""

import contextlib
import dataclasses
import functools
import itertools
import os
import pathlib
import pickle
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import Executor
from typing import TYPE_CHECKING, Any

from ..checks import check_choice, check_integer, check_number, shorten
from ..metrics_package import metrics_module
from .corpus import MetricResult, interval_of_difference
from .shard_files import blocks_of, first_line, ordered

if TYPE_CHECKING:
    from metrics import Metric
    from metrics.cider.document_table import Counts, DocumentTable
    from metrics.significance.draws import Draws
    from metrics.significance.partial_sums import Sums

OF_SUMS = {
    "bootstrap": "paired_bootstrap_of_sums",
    "randomization": "approximate_randomization_of_sums",
}

RESAMPLES = {"bootstrap": 1000, "randomization": 10_000}

# Called when a shard has been counted.
OnShard = Callable[[], None]


@dataclasses.dataclass(frozen=True)
class _Plan:
    """What is counted in each shard.

    Attributes:
        metrics: The metrics, pickled, so that a process loads their tables only once.
        columns: Number of fields in a line.
        systems: Number of those that are texts to score.
        draws: How corpora are drawn.
        tables: Document frequencies of the corpus, for each metric that needs them.
    """

    metrics: bytes
    columns: int
    systems: int
    draws: tuple["Draws", ...]
    tables: tuple["DocumentTable | None", ...] = ()


def score_shards(
    metrics: dict[str, "Metric"],
    shards: Sequence[str | os.PathLike[str]],
    *,
    systems: int = 1,
    confidence: float | None = None,
    test: str = "bootstrap",
    resamples: int | None = None,
    seed: int = 12345,
    jobs: int = 1,
    executor: Executor | None = None,
    on_shard: OnShard = lambda: None,
) -> list[MetricResult]:
    """Scores a corpus in shards, each of which is read in a stream by one process.

    A line of a shard holds the texts of a segment between tabs: a hypothesis of each
    system, then the references. Results depend neither on the number of processes nor
    on which of them reads a shard; intervals and tests depend on the names of the
    shards, see `metrics.sums`.

    Args:
        metrics: The metrics by name.
        shards: The files, which may be gzipped.
        systems: Number of columns with texts to score. The first is the baseline.
        confidence: Confidence of the intervals; no intervals if None.
        test: Test of the differences to the first system: `"bootstrap"` or
            `"randomization"`.
        resamples: Number of corpora that are drawn; by default 1,000, and 10,000 by the
            test `"randomization"`.
        seed: Seed of the drawing.
        jobs: Number of processes on this machine.
        executor: Counts the shards in place of these, such as on a cluster. All its
            workers must be able to read the files.
        on_shard: Called whenever a shard has been counted.
    Returns:
        A result for each metric, without rows.
    Raises:
        ValueError: If a shard cannot be read or an argument is out of its range; the
            message names the file and the line.
        TypeError: If `shards` is one path.
        ChildProcessError: If processes die again and again.
    """
    check_choice("test", test, OF_SUMS)
    check_integer("jobs", jobs)
    if confidence is not None:
        check_number("confidence", confidence, above=0, below=1)
    if isinstance(shards, str | os.PathLike):
        raise TypeError(
            f"`shards` must be a list of files. Received: shards={shorten(shards)}"
        )
    if resamples is not None:
        check_integer("resamples", resamples)
    paths = ordered([os.fspath(path) for path in shards])
    if executor is not None:  # whose workers may be in another folder
        paths = list(map(os.path.abspath, paths))
    plan = _Plan(
        metrics=metrics_module("parallel").pickled(list(metrics.values())),
        columns=_columns(paths, check_integer("systems", systems)),
        systems=systems,
        draws=_draws(confidence, test if systems > 1 else None, resamples, seed),
    )
    _check_first_block(metrics, plan, paths[0])
    ordered_map = metrics_module("parallel").ordered_map
    run = functools.partial(ordered_map, jobs=jobs, executor=executor)
    # Workers on other machines see the folder of the shards, but not our temporary one.
    place = None if executor is None else os.path.dirname(paths[0])
    with contextlib.ExitStack() as stack:
        folders = _folders(stack, place)
        tables = tuple(
            _document_table(metric, index, plan, paths, run, folders)
            for index, metric in enumerate(metrics.values())
        )
        plan = dataclasses.replace(plan, tables=tables)
        counted = run(functools.partial(count_shard, plan), paths)
        merged = _merged(counted, on_shard)
    size = systems * len(plan.draws)
    return [
        _result(
            name, metric, merged[index * size : (index + 1) * size], plan, confidence
        )
        for index, (name, metric) in enumerate(metrics.items())
    ]


def _folders(stack: contextlib.ExitStack, place: str | None) -> Iterator[pathlib.Path]:
    """Folders for document frequencies, which the stack removes."""
    # Imported here: most scores do not need it.
    from memnets.saving.atomic import temporary_folder

    while True:
        yield stack.enter_context(temporary_folder(place))


def _columns(paths: Sequence[str], systems: int) -> int:
    """The number of fields in a line."""
    if not paths:
        raise ValueError("`shards` must have at least one file. Received none.")
    columns = len(first_line(paths[0]))
    if columns <= systems:
        raise ValueError(
            f"`{paths[0]}` must have columns between tabs: the texts of {systems} "
            f"system{'s' * (systems > 1)}, then at least one of references. Received: "
            f"{columns} column{'s' * (columns > 1)}"
        )
    return columns


def _check_first_block(metrics: dict[str, "Metric"], plan: _Plan, path: str) -> None:
    """Lets metrics look at texts, of which some warn, before hours of counting."""
    [hypotheses, *_], references = next(_blocks(plan, path))
    for name, metric in metrics.items():
        if needs_documents(metric):
            metric.look_at(references)
        elif metric.fitted(references, hypotheses) is not metric:
            raise ValueError(
                "`metrics` must not depend on the whole corpus in a way of their "
                f"own (`_fit`). Received: {name}"
            )


def _draws(
    confidence: float | None, test: str | None, resamples: int | None, seed: int
) -> tuple["Draws", ...]:
    """How corpora are drawn for the interval and the test; either may be None."""
    make = metrics_module("significance.draws").Draws
    methods = ["bootstrap"] if confidence is not None or test == "bootstrap" else []
    methods += ["randomization"] if test == "randomization" else []
    if not methods:
        return (make("bootstrap", 0, seed),)
    return tuple(
        make(method, resamples or RESAMPLES[method], seed) for method in methods
    )


def _document_table(
    metric: "Metric",
    index: int,
    plan: _Plan,
    paths: Sequence[str],
    run: Callable[..., Any],
    folders: Iterator[pathlib.Path],
) -> "DocumentTable | None":
    """Document frequencies of the corpus, if a metric needs them."""
    if not needs_documents(metric):
        return None
    counts = run(functools.partial(count_documents, plan, index), paths)
    return metrics_module("cider.document_table").write_table(next(folders), counts)


def _merged(counted: Iterable["list[Sums]"], on_shard: OnShard) -> "list[Sums]":
    adders: list[Any] = []
    sums = metrics_module("significance.partial_sums")
    for parts in counted:
        adders = adders or [sums.Adder() for _ in parts]
        for adder, part in zip(adders, parts, strict=True):
            adder.add(part)
        on_shard()
    return [adder.sums() for adder in adders]


def _result(
    name: str,
    metric: "Metric",
    merged: "list[Sums]",
    plan: _Plan,
    confidence: float | None,
) -> MetricResult:
    """The scores and tests of a metric, from the sums of each system and drawing."""
    by_method = {
        draws.method: merged[index :: len(plan.draws)]
        for index, draws in enumerate(plan.draws)
    }
    partial_sums = metrics_module("significance.partial_sums")
    scored = by_method.get("bootstrap", merged[:: len(plan.draws)])
    scores = [
        partial_sums.score_sums(metric, own, confidence=confidence) for own in scored
    ]
    tests = []
    if plan.systems > 1:
        method = plan.draws[-1].method
        run_test = getattr(metrics_module("significance"), OF_SUMS[method])
        baseline, *others = by_method[method]
        asked = interval_of_difference(method, confidence)
        tests = [run_test(metric, own, baseline, **asked) for own in others]
    segments = int(merged[0].totals[0])
    return MetricResult(name, metric, scores, tests, segments)


# From here on: in the processes that count.
@functools.lru_cache(maxsize=1)
def _loaded(metrics: bytes) -> list[Any]:
    return pickle.loads(metrics)


def count_shard(plan: _Plan, path: str) -> "list[Sums]":
    """The sums of a shard: of each metric, of these of each system, of these of each
    way to draw."""
    partial_sums = metrics_module("significance.partial_sums")
    key = os.path.basename(path)
    adders: list[Any] = []
    for number, (systems, references) in enumerate(_blocks(plan, path)):
        found = []
        for metric, table in zip(_loaded(plan.metrics), plan.tables, strict=True):
            for hypotheses in systems:
                own = metric
                if table is not None:
                    own = metric.fitted_by(table, references, hypotheses)
                rows = own.corpus_statistics(references, hypotheses)
                found += [
                    partial_sums.sums_of_rows(rows, draws, key, number)
                    for draws in plan.draws
                ]
        adders = adders or [partial_sums.Adder() for _ in found]
        for adder, part in zip(adders, found, strict=True):
            adder.add(part)
    return [adder.sums() for adder in adders]


def _blocks(
    plan: _Plan, path: str
) -> Iterator[tuple[list[list[str]], list[list[str]]]]:
    """The hypotheses of each system, and the references of each segment, by block."""
    lines = itertools.count(1)
    for rows in blocks_of(path, plan.columns):
        columns = [list(column) for column in zip(*rows, strict=True)]
        references = [list(filter(None, row[plan.systems :])) for row in rows]
        for line, texts in zip(lines, references, strict=False):
            if not texts:
                raise ValueError(
                    f"`{path}` must have a reference that is not empty in each line. "
                    f"Received none in line {line}"
                )
        yield columns[: plan.systems], references


def needs_documents(metric: "Metric") -> bool:
    """Whether a metric must know the document frequencies of the whole corpus."""
    kind = metrics_module("cider.document_table").CountsDocuments
    return isinstance(metric, kind) and not metric.is_fitted


def count_documents(plan: _Plan, index: int, path: str) -> "Counts":
    """The document frequencies of a shard, as the metric of an index counts them."""
    metric = _loaded(plan.metrics)[index]
    parts = (metric.document_counts(own) for _, own in _blocks(plan, path))
    return metrics_module("cider.document_table").streamed_counts(parts)
