"""What `memnets score` prints: a table, JSON, or single numbers."""

import dataclasses
import sys
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

import click

from ..scoring.corpus import MetricResult
from ..scoring.corpus_of_texts import Corpus
from .output import print_json

if TYPE_CHECKING:
    from metrics import Interval
    from metrics.significance import PairedTest


@dataclasses.dataclass(frozen=True)
class NumberFormat:
    """How a score is written.

    Attributes:
        scale: What a score is multiplied by.
        width: Number of digits after the point.
    """

    scale: int = 1
    width: int = 4

    def __call__(self, value: float, sign: str = "") -> str:
        return f"{self.scale * value:{sign}.{self.width}f}"


def print_scores(
    results: Sequence[MetricResult], files: Sequence[str], write: NumberFormat
) -> None:
    """Prints a row for each metric and system: a table in a terminal, columns that tabs
    separate in a pipe."""
    rows = list(_score_rows(results, files, write))
    if not sys.stdout.isatty():
        for cells in (rows[0], *(row.values() for row in rows)):
            click.echo("\t".join(cells))
        return
    import rich.console
    import rich.table
    import rich.text

    # Below the table: in it a signature would be broken, and could not be copied.
    signatures = dict.fromkeys(row.pop("signature") for row in rows)
    table = rich.table.Table(box=None, pad_edge=False)
    for heading in rows[0]:
        text = heading in ("metric", "hypotheses")
        table.add_column(heading, justify="left" if text else "right")
    for row in rows:
        table.add_row(*map(rich.text.Text, row.values()))
    rich.console.Console().print(table)
    click.echo("\n".join(signatures))


def _score_rows(
    results: Sequence[MetricResult], files: Sequence[str], write: NumberFormat
) -> Iterator[dict[str, str]]:
    """A row for each metric and system: texts by heading."""
    for result in results:
        tests = [None, *result.tests]
        for file, score, test in zip(files, result.scores, tests, strict=True):
            row = {"metric": result.name}
            if result.tests:
                row["hypotheses"] = file
            row["score"] = write(score.value)
            if interval := score.interval:
                heading = f"{100 * interval.confidence:g}% interval"
                row[heading] = interval_in_brackets(interval, write)
            if result.tests:
                row["difference"] = write(test.difference, "+") if test else ""
                if score.interval and result.tests[0].interval:
                    own = test and test.interval
                    found = interval_in_brackets(own, write) if own else ""
                    row[f"{heading} of the difference"] = found
                row["p-value"] = f"{test.p_value:.4f}" if test else ""
            yield row | {"signature": score.signature}


def interval_in_brackets(interval: "Interval", write: NumberFormat) -> str:
    return f"[{write(interval.low)}, {write(interval.high)}]"


def print_numbers(
    results: Sequence[MetricResult], files: Sequence[str], write: NumberFormat
) -> None:
    """Prints the scores alone: a line for each system, a number for each metric."""
    for index in range(len(files)):
        click.echo("\t".join(write(r.scores[index].value) for r in results))


def print_report(
    results: Sequence[MetricResult],
    corpus: Corpus,
    files: Sequence[str],
    references: Sequence[str],
    *,
    segments: bool,
) -> None:
    """Prints everything that was found as JSON."""
    report = {
        "hypotheses": files[0],
        "references": list(references),
        "num_segments": results[0].segments,
        "metrics": _all_described(results, files),
    }
    if segments:
        headings, rows = _segment_table(results, corpus, files)
        report["segments"] = [dict(zip(headings, row, strict=True)) for row in rows]
    print_json(report)


def print_shard_report(
    results: Sequence[MetricResult], shards: Sequence[str], columns: Sequence[str]
) -> None:
    """Prints what was found in shards as JSON."""
    report = {
        "shards": list(shards),
        "num_segments": results[0].segments,
        "metrics": _all_described(results, columns),
    }
    print_json(report)


def _all_described(
    results: Sequence[MetricResult], files: Sequence[str]
) -> dict[str, Any]:
    return {result.name: _described(result, files) for result in results}


def _described(result: MetricResult, files: Sequence[str]) -> dict[str, Any]:
    own, *others = map(dataclasses.asdict, result.scores)
    own["higher_is_better"] = result.metric.higher_is_better
    if result.tests:
        own["paired"] = [
            {"hypotheses": file, **score, **_described_test(test)}
            for file, score, test in zip(files[1:], others, result.tests, strict=True)
        ]
    return own


def _described_test(test: "PairedTest") -> dict[str, Any]:
    return {
        "difference": test.difference,
        "difference_interval": test.interval and dataclasses.asdict(test.interval),
        "p_value": test.p_value,
        "method": test.method,
        "trials": test.trials,
        "seed": test.seed,
    }


def print_segments(
    results: Sequence[MetricResult],
    corpus: Corpus,
    files: Sequence[str],
    write: NumberFormat,
) -> None:
    """Prints a line for each segment, with a number for each metric."""
    headings, rows = _segment_table(results, corpus, files)
    click.echo("\t".join(headings))
    for name, *scores in rows:
        click.echo("\t".join([str(name), *map(write, scores)]))


def _segment_table(
    results: Sequence[MetricResult], corpus: Corpus, files: Sequence[str]
) -> tuple[list[str], Iterator[tuple]]:
    """Headings, and a row for each segment: its name, and its scores."""
    headings = ["segment"]
    columns: list[Sequence[Any]] = [corpus.names]
    for result in results:
        headings += [result.name, *(f"{result.name}: {file}" for file in files[1:])]
        columns += result.segment_scores()
    return headings, zip(*columns, strict=True)
