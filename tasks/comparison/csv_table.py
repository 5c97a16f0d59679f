"""The table of a comparison as a file for other programs: plain numbers."""

import csv
import io
import math
import pathlib
from collections.abc import Iterator, Sequence
from typing import Any

from ..length_generalization import SOLVED, chance_of
from ..runs.output_folder import OutputFolder
from .finished_run import FinishedRun, by_label
from .table import further_values, median_and_worst, published_of
from .task_table import by_task, class_of, entries

# The name of the file, beside the page.
TABLE = "table.csv"


def write_csv(output: OutputFolder, rows: Sequence[dict[str, Any]]) -> pathlib.Path:
    """Writes `table.csv` into the folder of a comparison.

    Args:
        output: The folder.
        rows: Values by heading; a row need not have all of them.
    Returns:
        The path of the file.
    Raises:
        RunError: If a file that we did not write is in the way.
    """
    from memnets.saving.atomic import atomic_write

    path = output.reserve(TABLE)
    with atomic_write(path) as unfinished:
        unfinished.write_text(text_of(rows), encoding="utf-8")
    return path


def text_of(rows: Sequence[dict[str, Any]]) -> str:
    """Rows as CSV, the headings first. What is not there, or was never reached, is an
    empty cell."""
    text = io.StringIO()
    headings = list(dict.fromkeys(heading for row in rows for heading in row))
    writer = csv.DictWriter(text, headings, lineterminator="\n")
    writer.writeheader()
    writer.writerows({key: _plain(value) for key, value in row.items()} for row in rows)
    return text.getvalue()


def _plain(value: Any) -> Any:
    if not isinstance(value, float):
        return value
    return "" if math.isinf(value) else format(value, ".10g")


def rows_of(runs: Sequence[FinishedRun]) -> list[dict[str, Any]]:
    """A row for each model and size, and the paper's where it has numbers.

    Of several seeds, a value is the median, and beside it stands the worst.
    """
    rows: list[dict[str, Any]] = []
    for own in by_label(list(runs)).values():
        whole = dict(_of_model(own))
        for place, result in enumerate(own[0].results):
            row = {"model": own[0].label, "size": result.size, "runs": len(own)}
            rows.append(row | dict(_of_size(own, place)) | whole)
        rows += _published(own)
    return rows


def _of_size(own: list[FinishedRun], place: int) -> Iterator[tuple[str, Any]]:
    """The values of an evaluation at a size, by heading."""
    first = own[0]
    result = first.results[place]
    for name in (first.headline, *further_values(first)):
        if name not in result.values:
            continue  # it says nothing at this size
        column = first.run.task.presentation.column(name)
        values = [run.results[place].values[name] for run in own]
        yield from _summed_up(column.label, values, column.higher_is_better)
        if len(own) == 1 and name in result.intervals:
            low, high = result.intervals[name]
            yield from ((f"{column.label}, low", low), (f"{column.label}, high", high))
        if (best := result.values.get(f"best_{name}")) is not None:
            yield f"{column.label}, best possible", best


def _of_model(own: list[FinishedRun]) -> Iterator[tuple[str, Any]]:
    """What is the same at all sizes, by heading."""
    first = own[0]
    tests = [run.test for run in own if run.test]
    if len(tests) == len(own):
        scores = [test.score for test in tests]
        yield from _summed_up(f"score at {tests[0].range}", scores, True)
        yield "score over 90%", sum(score >= SOLVED for score in scores)
    if first.run.task.success is not None:
        yield "solved", sum(run.solved_at is not None for run in own)
        yield from _summed_up("after sequences", [run.solved_at for run in own])
        seconds = [run.seconds_to_solve for run in own]
        yield from _summed_up("after seconds", seconds)
        yield from _summed_up("settled after", [run.settled_at for run in own])
    for heading, name in (
        ("training seconds", "seconds"),
        ("start-up seconds", "startup_seconds"),
    ):
        yield from _summed_up(heading, [run.summary[name] for run in own])
    yield "weights", first.summary["weights"]


def _summed_up(
    heading: str, values: Sequence[float | None], higher_is_better: bool = False
) -> Iterator[tuple[str, Any]]:
    """The value of one run, or the median and the worst."""
    middle, worst = median_and_worst(values, higher_is_better=higher_is_better)
    yield heading, middle
    if len(values) > 1:
        yield f"{heading}, worst", worst


def _published(own: list[FinishedRun]) -> Iterator[dict[str, Any]]:
    """The rows of the paper, if it has numbers for the model as it is by default."""
    run = own[0]
    published, model = published_of(run), run.run.model.label
    if published is None:
        return
    row = {"model": published.source, "weights": published.weights[model]}
    sizes = published.sizes.get(model, {}) if published.value == run.headline else {}
    label = run.run.task.presentation.column(run.headline).label
    for size, value in sizes.items():
        yield {**row, "size": size, label: value}
    if not sizes:
        yield row


def rows_of_tasks(runs: Sequence[FinishedRun]) -> list[dict[str, Any]]:
    """A row for each task and model of a comparison of several tasks."""
    rows = []
    for name, own in by_task(runs).items():
        task = own[0].run.task
        for label, entry in entries(own).items():
            row: dict[str, Any] = {"class": class_of(task), "task": name}
            row |= {"model": label, "chance": chance_of(task)}
            row["runs"] = len(entry.scores)
            if entry.known:
                middle, worst = median_and_worst(entry.known, higher_is_better=True)
                row |= {"best": entry.best, "median": middle, "worst": worst}
                row["over 90%"] = entry.solved
            row["training seconds"] = median_and_worst(entry.seconds)[0]
            rows.append(row | {"weights": entry.weights})
    return rows
