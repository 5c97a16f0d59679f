"""The table of a comparison: a row a model, the important columns first."""

import math
from collections.abc import Sequence

from ..contract.parts import Published
from ..contract.task import Column
from ..length_generalization import SOLVED
from .finished_run import FinishedRun, by_label

BRACKETS = "Numbers are the median over the seeds, and in brackets the worst."
WEIGHTS = "Weights: the number of parameters of a model."


def table_of(runs: list[FinishedRun]) -> list[list[str]]:
    """A row a model, and under it the paper's where it has numbers; headings first.

    A cell of several seeds shows the median, and in brackets the worst; of one seed the
    value, and in brackets its interval of 95%, if it has one.
    """
    rows = []
    for own in by_label(runs).values():
        rows += [_row(own), *_published_rows(own)]
    headings = list(dict.fromkeys(heading for row in rows for heading in row))
    shown = [h for h in headings if any(row.get(h) for row in rows)]
    return [shown] + [[row.get(heading, "") for heading in shown] for row in rows]


def _row(own: list[FinishedRun]) -> dict[str, str]:
    first, success = own[0], own[0].run.task.success
    row = {"model": first.label}
    if success is not None:
        solved = sum(run.solved_at is not None for run in own)
        row["solved"] = f"{solved} of {len(own)}"
    row |= _scores(own)
    row |= _by_size(own, first.headline)
    if success is not None:
        row["after sequences"] = cell([run.solved_at for run in own], ",.0f")
        row["after seconds"] = cell([run.seconds_to_solve for run in own], ",.0f")
        row["settled after"] = cell([run.settled_at for run in own], ",.0f")
    row["training seconds"] = cell([run.summary["seconds"] for run in own], ",.0f")
    startup = [run.summary["startup_seconds"] for run in own]
    row["start-up seconds"] = cell(startup, ",.0f")
    row["weights"] = f"{first.summary['weights']:,}"
    for name in further_values(first):
        row |= _by_size(own, name)
    return row


def _scores(own: list[FinishedRun]) -> dict[str, str]:
    """The scores of tests of lengths, if all runs have them."""
    tests = [run.test for run in own if run.test]
    if len(tests) < len(own):
        return {}
    scores = [test.score for test in tests]
    share = Column("score", ".1%", higher_is_better=True)
    row = {f"score at {tests[0].range}": cell(scores, share.form, share)}
    if len(own) > 1:
        row["best score"] = number(max(scores), share.form)
    solved = sum(score >= SOLVED for score in scores)
    return row | {"score over 90%": f"{solved} of {len(own)}"}


def further_values(run: FinishedRun) -> list[str]:
    """The values of an evaluation besides the headline, scores first. Values of the
    best possible predictor are left out, and scores that are 0 at every size."""
    column = run.run.task.presentation.column
    names = [name for name in run.results[0].values if name != run.headline]
    names.sort(key=lambda name: not column(name).higher_is_better)
    return [
        name
        for name in names
        if not name.startswith("best_") and not _is_zero_score(run, name)
    ]


def _is_zero_score(run: FinishedRun, name: str) -> bool:
    """A score that a task can hardly reach, such as no wrong guess at random bits."""
    best = f"best_{run.headline}" in run.results[0].values
    zero = not any(result.values.get(name) for result in run.results)
    return best and zero and run.run.task.presentation.column(name).higher_is_better


def _by_size(own: list[FinishedRun], name: str) -> dict[str, str]:
    """The cells of one value, by heading."""
    task = own[0].run.task
    column = task.presentation.column(name)
    cells = {}
    for place, result in enumerate(own[0].results):
        if name not in result.values:
            continue  # it says nothing at this size
        best = result.values.get(f"best_{name}")
        heading = f"{column.label} at {result.size}"
        heading += "" if best is None else f" (best {format(best, column.form)})"
        values = [run.results[place].values[name] for run in own]
        cells[heading] = (
            result.shown(name, column.form)
            if len(own) == 1
            else cell(values, column.form, column)
        )
    return cells


def median_and_worst(
    values: Sequence[float | None], *, higher_is_better: bool = False
) -> tuple[float, float]:
    """The median and the worst of numbers, of which None is worse than all others, and
    NaN than None."""
    none = -math.inf if higher_is_better else math.inf
    sign = -1 if higher_is_better else 1
    numbers = [none if value is None else value for value in values]
    numbers.sort(key=lambda value: (math.isnan(value), sign * value))
    # Not `statistics.median`, which sorts by itself: NaN has no place in its order.
    half = len(numbers) // 2
    return (numbers[half] + numbers[~half]) / 2, numbers[-1]


def cell(
    values: Sequence[float | None], form: str, column: Column | None = None
) -> str:
    """A cell: the value of one run, or the median and in brackets the worst.

    Args:
        values: A value for each run, None for never.
        form: Format specification of the numbers.
        column: What the values are; times that are better if small, if None.
    """
    better = column is not None and column.higher_is_better
    middle, worst = (
        number(value, form)
        for value in median_and_worst(values, higher_is_better=better)
    )
    return middle if len(values) == 1 else f"{middle} ({worst})"


def number(value: float | None, form: str) -> str:
    """A number as text; `never` if it is None or infinite."""
    if value is None or math.isinf(value):
        return "never"
    return format(value, form)


def published_of(run: FinishedRun) -> Published | None:
    """What the paper reports of the model of a run, if it is as it is by default."""
    published, model = run.published, run.run.model.label
    if published is None or model not in published.weights or run.label != model:
        return None
    return published


def _published_rows(own: list[FinishedRun]) -> list[dict[str, str]]:
    """The row of the paper, if it has numbers for the model as it is by default."""
    run = own[0]
    published, model = published_of(run), run.run.model.label
    if published is None:
        return []
    row = {"model": published.source, "weights": f"{published.weights[model]:,}"}
    task = run.run.task
    if curve := published.learning.get(model):
        seen, value = curve[-1]
        label = task.presentation.column(published.measure).label
        row["after sequences"] = f"{value:g} {label} after {seen:,}"
    sizes = published.sizes.get(model, {})
    if published.value == run.headline:
        column = task.presentation.column(published.value)
        for size, value in sizes.items():
            row[f"{column.label} at {size}"] = format(value, column.form)
    return [row]
