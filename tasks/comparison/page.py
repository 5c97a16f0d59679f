"""The page of a comparison: one table, the learning curves, the values by size."""

import os
import pathlib
from collections.abc import Iterator, Sequence

import numpy as np

from ..contract.parts import Section
from ..evaluation import differ_in_size
from ..figures.figure import Figure
from ..report.page import write_page
from ..runs.adoption import adopted_comparison
from ..runs.output_folder import OutputFolder
from .figures import draw_curves, draw_values_by_size
from .finished_run import FailedRun, FinishedRun, by_label
from .table import BRACKETS, table_of


def comparison_folder(path: str | os.PathLike[str]) -> OutputFolder:
    """The directory of a comparison, to write into."""
    return OutputFolder(path, "comparison", adopted_comparison)


def write_comparison(
    folder: str | os.PathLike[str],
    runs: list[FinishedRun],
    failures: Sequence[FailedRun] = (),
) -> pathlib.Path:
    """Writes the page `index.html` into a folder, with links to the runs' reports.

    Args:
        folder: Directory of the comparison.
        runs: Its finished runs, at least one.
        failures: Its failed runs, which the page names.
    Returns:
        The path of the page.
    Raises:
        RunError: If the folder holds other files than those of a comparison.
    """
    output = comparison_folder(folder)
    task = runs[0].run.task
    links = [
        (run.run.path.name, os.path.relpath(run.run.file("report.html"), output.path))
        for run in runs
    ]
    return write_page(
        output,
        "index.html",
        title=f"{', '.join(by_label(runs))} learn {task.name}",
        signature=task.signature,
        summary=summary_of(runs, failures),
        sections=_sections(runs),
        table=table_of(runs),
        versions=runs[0].run.versions,
        links=links,
    )


def _sections(runs: list[FinishedRun]) -> Iterator[Section]:
    learning = draw_learning(runs)
    if learning is not None:
        yield Section(
            "learning",
            "Learning",
            "Over each epoch; the line is the median over the seeds, the band their "
            "range.",
            learning,
        )
    yield Section(
        "sizes",
        "By size" if differ_in_size(runs[0].results) else "Evaluation",
        "Median and range over the seeds, after training.",
        draw_sizes(runs),
    )


def summary_of(runs: list[FinishedRun], failures: Sequence[FailedRun]) -> str:
    """What the table is of: seeds, brackets, bound of success, cores, failed runs."""
    success = runs[0].run.task.success
    seeds = max(len(own) for own in by_label(runs).values())
    cores = ", ".join(sorted({str(run.summary["cores"]) for run in runs}))
    text = f"Every model was trained with {seeds} {'seed' if seeds == 1 else 'seeds'}. "
    if seeds > 1:
        text += f"{BRACKETS} "
    elif any(result.intervals for run in runs for result in run.results):
        text += "In brackets are intervals of 95% over the texts. "
    text += "" if success is None else f"Solved: {success} over an epoch. "
    text += f"Cores a run: {cores}."
    if failures:
        listed = "; ".join(f"{one.path.name}: {one.reason}" for one in failures)
        text += f" Failed, and not in the table: {listed}"
    return text


def draw_learning(runs: list[FinishedRun]) -> Figure | None:
    """The learning curves of the models, beside a paper's; None if all epochs were of a
    curriculum."""
    task, published = runs[0].run.task, runs[0].published
    measure = _curve_measure(runs)
    curves = {}
    for label, own in by_label(runs).items():
        # Sequences of a curriculum are smaller: their epochs cannot be compared.
        histories = [run.history.full_size() for run in own]
        if not all(histories):
            continue
        longest = max(histories, key=len)
        values = [_padded([row[measure] for row in h], len(longest)) for h in histories]
        curves[label] = [row["sequences"] for row in longest], np.array(values)
    if not curves:
        return None
    column, headline = task.presentation.column(measure), runs[0].headline
    # The best possible is known of the headline: the curve may be another quantity.
    same = task.presentation.column(headline).label == column.label
    points = published is not None and published.measure == measure
    return draw_curves(
        curves,
        column,
        published=published.learning if published and points else {},
        source=published.source if published else "",
        best=runs[0].results[0].values.get(f"best_{headline}") if same else None,
    )


def _curve_measure(runs: list[FinishedRun]) -> str:
    """The paper's measure, that of the task's success, that of its validation, or the
    loss."""
    task, rows = runs[0].run.task, runs[0].history.rows
    published = runs[0].published
    asked = [published.measure] if published else []
    asked += [task.success.measure] if task.success else []
    asked += [task.recipe.validation_measure] if task.recipe.validation_measure else []
    return next((name for name in asked if name in rows[0]), "loss")


def _padded(values: list[float], count: int) -> list[float]:
    """A run that stopped when it was solved stays where it was."""
    return values + values[-1:] * (count - len(values))


def draw_sizes(runs: list[FinishedRun]) -> Figure:
    """The headline of the evaluation by size, beside a paper's."""
    published, name = runs[0].published, runs[0].headline
    values = {
        label: np.array([[r.values[name] for r in run.results] for run in own])
        for label, own in by_label(runs).items()
    }
    points = published is not None and published.value == name
    return draw_values_by_size(
        runs[0].sizes,
        values,
        runs[0].run.task.presentation.column(name),
        joined=differ_in_size(runs[0].results),
        published=published.sizes if published and points else {},
        source=published.source if published else "",
    )
