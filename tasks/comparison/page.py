"""The page of a comparison: one table, one picture of learning and of sizes."""

import os
import pathlib
from collections.abc import Iterator, Mapping, Sequence

import numpy as np

from ..contract.parts import Section
from ..contract.sized_task import SizedTask
from ..evaluation import differ_in_size
from ..figures.figure import Figure
from ..report.page import write_page
from ..runs.adoption import adopted_comparison
from ..runs.output_folder import OutputFolder
from ..wording import counted
from .csv_table import TABLE, rows_of, write_csv
from .figures import BySize, Curves, draw_panels
from .finished_run import FailedRun, FinishedRun, by_label
from .table import BRACKETS, WEIGHTS, table_of


def comparison_folder(path: str | os.PathLike[str]) -> OutputFolder:
    """The directory of a comparison, to write into."""
    return OutputFolder(path, "comparison", adopted_comparison)


def write_comparison(
    folder: str | os.PathLike[str],
    runs: list[FinishedRun],
    failures: Sequence[FailedRun] = (),
) -> pathlib.Path:
    """Writes the page `index.html` into a folder, with links to the runs' reports, and
    beside it the table as `table.csv`, see `rows_of`.

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
    write_csv(output, rows_of(runs))
    return write_page(
        output,
        "index.html",
        title=f"{', '.join(by_label(runs))} learn {task.name}",
        signature=task.signature,
        summary=summary_of(runs, failures),
        sections=_sections(runs),
        table=table_of(runs),
        table_file=TABLE,
        versions=runs[0].run.versions,
        links=links,
    )


def _sections(runs: list[FinishedRun]) -> Iterator[Section]:
    are_sizes = differ_in_size(runs[0].results)
    yield Section(
        "comparison",
        "Learning, and errors by size" if are_sizes else "Learning, and evaluation",
        "The line is the median over the seeds, the band or bar their range. Learning "
        "is over each epoch, the evaluation after training.",
        draw_comparison(by_label(runs)),
    )


def summary_of(runs: list[FinishedRun], failures: Sequence[FailedRun]) -> str:
    """What the table is of: seeds, brackets, bound of success, cores, failed runs."""
    success = runs[0].run.task.success
    seeds = max(len(own) for own in by_label(runs).values())
    cores = ", ".join(sorted({str(run.summary["cores"]) for run in runs}))
    budgets = sorted({run.run.training.trained_sequences for run in runs})
    text = (
        f"Every model was trained with {counted(seeds, 'seed')}, on "
        f"{' or '.join(f'{budget:,}' for budget in budgets)} sequences. "
    )
    if seeds > 1:
        text += f"{BRACKETS} "
    elif any(result.intervals for run in runs for result in run.results):
        text += "In brackets are intervals of 95% over the texts. "
    text += "" if success is None else f"Solved: {success} over an epoch. "
    text += f"Cores a run: {cores}. {WEIGHTS}"
    if failures:
        listed = "; ".join(f"{one.path.name}: {one.reason}" for one in failures)
        text += f" Failed, and not in the table: {listed}"
    return text


def draw_comparison(by_name: Mapping[str, list[FinishedRun]]) -> Figure:
    """One picture: the learning curves of the models and their values by size, each
    beside a paper's.

    Args:
        by_name: The runs of each model, all of one task, by the name that is shown. A
            model whose epochs were all of a curriculum has no curve.
    """
    runs = [run for own in by_name.values() for run in own]
    published = runs[0].published
    panels: list[Curves | BySize] = [_curves(by_name), by_size(by_name)]
    return draw_panels(
        [panel for panel in panels if panel.values],
        source=published.source if published else "",
    )


def _curves(by_name: Mapping[str, list[FinishedRun]]) -> Curves:
    first = next(iter(by_name.values()))[0]
    task, published = first.run.task, first.published
    measure = _curve_measure(first)
    curves = {}
    for label, own in by_name.items():
        # Sequences of a curriculum are smaller: their epochs cannot be compared.
        histories = [run.history.full_size() for run in own]
        if not all(histories):
            continue
        longest = max(histories, key=len)
        values = [_padded([row[measure] for row in h], len(longest)) for h in histories]
        curves[label] = [row["sequences"] for row in longest], np.array(values)
    column, headline = task.presentation.column(measure), first.headline
    # The best possible is known of the headline: the curve may be another quantity.
    same = task.presentation.column(headline).label == column.label
    points = published is not None and published.measure == measure
    return Curves(
        curves,
        column,
        published=published.learning if published and points else {},
        best=first.results[0].values.get(f"best_{headline}") if same else None,
    )


def _curve_measure(first: FinishedRun) -> str:
    """The paper's measure, that of the task's success, that of its validation, or the
    loss."""
    task, rows, published = first.run.task, first.history.rows, first.published
    asked = [published.measure] if published else []
    asked += [task.success.measure] if task.success else []
    asked += [task.recipe.validation_measure] if task.recipe.validation_measure else []
    return next((name for name in asked if name in rows[0]), "loss")


def _padded(values: list[float], count: int) -> list[float]:
    """A run that stopped when it was solved stays where it was."""
    return values + values[-1:] * (count - len(values))


def by_size(by_name: Mapping[str, list[FinishedRun]]) -> BySize:
    """The panel of values by size: by length if all runs were tested on the same."""
    runs = [run for own in by_name.values() for run in own]
    first = runs[0]
    task, published, name = first.run.task, first.published, first.headline
    ranges = task.size_ranges if isinstance(task, SizedTask) else ()
    trained = ranges[0] if len(ranges) == 1 else None
    tests = [run.test for run in runs if run.test]
    if len(tests) == len(runs) and all(t.lengths == tests[0].lengths for t in tests):
        return BySize(
            [str(length) for length in tests[0].lengths],
            {
                label: np.array([run.test.measured for run in own if run.test])
                for label, own in by_name.items()
            },
            task.presentation.column(tests[0].measure),
            beyond=[length > tests[0].trained for length in tests[0].lengths],
            trained=trained,
        )
    values = {
        label: np.array([[r.values[name] for r in run.results] for run in own])
        for label, own in by_name.items()
    }
    are_sizes = differ_in_size(first.results)
    points = published is not None and published.value == name
    return BySize(
        first.sizes,
        values,
        task.presentation.column(name),
        beyond=[result.beyond for result in first.results] if are_sizes else None,
        trained=trained,
        published=published.sizes if published and points else {},
    )
