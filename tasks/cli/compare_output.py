"""What `memnets compare` prints of a comparison."""

from typing import Any

import click

from ..comparison.comparison import Comparison
from ..comparison.several_tasks import TasksComparison
from ..comparison.table import BRACKETS, WEIGHTS
from ..comparison.task_page import summary_of
from ..comparison.task_table import by_task
from .latex import latex_table
from .output import print_table

# Columns of several tasks that are texts.
TEXTS = ("class", "task", "model")


def print_comparison(result: Comparison | TasksComparison) -> None:
    """Prints the table, what it is of, what to do if nothing was solved, and where the
    page is."""
    print_table(_cells(result))
    if isinstance(result, Comparison):
        if _has_several_seeds(result):
            click.echo(BRACKETS)
        click.echo(WEIGHTS)
    if advice := advice_on(result):
        click.echo(advice)
    click.echo(f"page: {result.page}")


def print_latex(result: Comparison | TasksComparison) -> None:
    """Prints the table for LaTeX with the package booktabs, below it what it is of, and
    as comments the signatures of the runs."""
    cells = _cells(result)
    if isinstance(result, Comparison):
        columns = "l" + "r" * (len(cells[0]) - 1)
        notes = [BRACKETS] if _has_several_seeds(result) else []
        success = result.runs[0].run.task.success
        notes += [] if success is None else [f"Solved: {success} over an epoch."]
    else:
        columns = "".join("l" if name in TEXTS else "r" for name in cells[0])
        notes = [summary_of(result.runs)]
    signatures = [run.run.signature for run in result.runs]
    click.echo(latex_table(cells, columns, notes=notes, comments=signatures))


def _cells(result: Comparison | TasksComparison) -> list[list[str]]:
    if isinstance(result, TasksComparison):
        return result.table
    # A column a model: there are more numbers than models.
    return [list(column) for column in zip(*result.table, strict=True)]


def _has_several_seeds(result: Comparison) -> bool:
    return len({run.run.training.seed for run in result.runs}) > 1


def advice_on(result: Comparison | TasksComparison) -> str:
    """What to try where no run solved a task; empty if each task was solved, or does
    not say when it is."""
    left = {
        name: own
        for name, own in by_task(result.runs).items()
        if own[0].run.task.success and not any(run.solved_at for run in own)
    }
    if not left:
        return ""
    configs = [run.run.training for own in left.values() for run in own]
    seed = 1 + max(config.seed for config in configs)
    budget = 2 * max(config.sequences or 0 for config in configs)
    return (
        f"No run has solved {', '.join(left)}. Try other seeds (--seeds "
        f"{seed}-{seed + 2}) or, with another --out, a longer training (--sequences "
        f"{budget})."
    )


def described(result: Comparison | TasksComparison) -> dict[str, Any]:
    """Everything that was found, for JSON."""
    headings, *rows = result.table or [[]]
    return {
        "page": str(result.page) if result.page else None,
        "table": [dict(zip(headings, row, strict=True)) for row in rows],
        "runs": [
            {"run": str(run.run.path), "label": run.label, **run.summary}
            for run in result.runs
        ],
        "failures": [
            {"run": str(failure.path), "reason": failure.reason}
            for failure in result.failures
        ],
    }
