"""`memnets report`: pictures of a run."""

import dataclasses
import pathlib
from typing import Any

import click

from ..evaluation import table_of
from ..runs.directory import open_run
from .keras_import import import_keras
from .named import altered_task, run_argument, run_groups
from .options_from_fields import ParameterCommand
from .output import json_option, print_json, print_table


@click.command(
    cls=ParameterCommand,
    examples=(
        "memnets report runs/copy",
        "memnets report runs/copy --max-length 40",
        "memnets report runs/copy --animation",
    ),
    groups=run_groups,
    hint="Options of the run's task: memnets report RUN --help.",
)
@run_argument
@click.option(
    "--animation",
    is_flag=True,
    help="Draw a moving picture of the memory too: figures/animation.gif.",
)
@json_option
def report(run: pathlib.Path, animation: bool, as_json: bool, **options: Any) -> None:
    """Draw the report and the figures of the run in RUN.

    Options of the task change it for the report, such as --data where its files lie
    elsewhere now.
    """
    opened = open_run(run)
    opened = dataclasses.replace(opened, task=altered_task(opened.task, options))
    import_keras()
    from ..report.report import write_animation, write_report
    from ..report.sections import test_in

    model = opened.load_model()
    # First: a model without a memory is refused at once.
    moving = write_animation(opened, model) if animation else None
    path, results = write_report(opened, model)
    test = test_in(opened)
    if as_json:
        found: dict[str, Any] = {"report": str(path)}
        if moving:
            found["animation"] = str(moving)
        found["evaluation"] = [dataclasses.asdict(result) for result in results]
        if test is not None:
            found["by_length"] = test.summary
        print_json(found)
    else:
        print_table(table_of(opened.task, results))
        if test is not None:
            click.echo(test.in_words(opened.task))
        click.echo(f"report: {path}")
        if moving:
            click.echo(f"animation: {moving}")
