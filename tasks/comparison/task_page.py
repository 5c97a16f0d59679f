"""The page of a comparison of several tasks: tasks by class, and models."""

import os
import pathlib
from collections.abc import Iterator, Sequence

from ..contract.parts import Section
from ..length_generalization import SOLVED
from ..report.page import write_page
from .csv_table import TABLE, rows_of_tasks, write_csv
from .finished_run import FailedRun, FinishedRun, by_label
from .page import comparison_folder
from .task_figures import draw_class, draw_scores
from .task_table import by_task, class_of, long_table, wide_table


def write_tasks(
    folder: str | os.PathLike[str],
    runs: Sequence[FinishedRun],
    failures: Sequence[FailedRun] = (),
) -> pathlib.Path:
    """Writes the page `index.html` of several tasks, with links to the page of each,
    and beside it all numbers as `table.csv`.

    Args:
        folder: Directory of the comparison; that of each task lies in it.
        runs: The finished runs, at least one.
        failures: The failed runs, which the page names.
    Returns:
        The path of the page.
    Raises:
        RunError: If the folder holds other files than those of a comparison.
    """
    output = comparison_folder(folder)
    write_csv(output, rows_of_tasks(runs))
    return write_page(
        output,
        "index.html",
        title=f"{', '.join(by_label(list(runs)))} on {len(by_task(runs))} tasks",
        summary=summary_of(runs, failures),
        sections=_sections(runs),
        table=wide_table(runs),
        table_file=TABLE,
        versions=runs[0].run.versions,
        links=[(name, f"{name}/index.html") for name in by_task(runs)],
    )


def summary_of(runs: Sequence[FinishedRun], failures: Sequence[FailedRun] = ()) -> str:
    """What the table is of: the score, seeds, brackets, failed runs."""
    tests = {(run.test.range, run.test.sequences) for run in runs if run.test}
    if len(tests) == 1 and all(run.test for run in runs):
        ((lengths, count),) = tests
        text = f"The score is the mean over the lengths {lengths}, {count} each. "
    else:
        text = "The score is the mean over the sizes beyond training, or of its test. "
    seeds = sorted({run.run.training.seed for run in runs})
    text += f"Seeds: {', '.join(map(str, seeds))}. "
    text += (
        "In the table is the best of the seeds, and in brackets their median and how "
        f"many have {SOLVED:.0%} or more. Chance is the score of a guess."
    )
    if failures:
        listed = "; ".join(
            f"{one.path.parent.name}, {one.path.name}: {one.reason}" for one in failures
        )
        text += f" Failed, and not in the table: {listed}"
    return text


def _sections(runs: Sequence[FinishedRun]) -> Iterator[Section]:
    yield Section(
        "scores",
        "Scores",
        "The best score of the seeds.",
        draw_scores(runs),
    )
    groups: dict[str, dict[str, list[FinishedRun]]] = {}
    for name, own in by_task(runs).items():
        groups.setdefault(class_of(own[0].run.task), {})[name] = own
    for name, tasks in groups.items():
        yield Section(
            f"class-{name.replace(' ', '-')}",
            name.capitalize(),
            "By size: the line is the median over the seeds, the band their range. "
            "Sizes of training are shaded.",
            draw_class(tasks),
        )
    yield Section("numbers", "All numbers", "", None, long_table(runs))
