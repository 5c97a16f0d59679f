"""`memnets report`: pictures of a run."""

import dataclasses
import pathlib
from typing import Any

import click

from ..evaluation import table_of
from ..runs.directory import open_run
from .keras_import import import_keras
from .named import altered_task, run_argument, run_groups
from .output import json_option, print_json, print_table
from .parameter_options import ParameterCommand


@click.command(
    cls=ParameterCommand,
    groups=run_groups,
    hint="Options of the run's task: memnets report RUN --help.",
)
@run_argument
@json_option
def report(run: pathlib.Path, as_json: bool, **options: Any) -> None:
    """Draw the run in directory RUN: report.html and figures/*.png.

    Options of the task change it for the report, such as --data where its files lie
    elsewhere now.
    """
    opened = open_run(run)
    opened = dataclasses.replace(opened, task=altered_task(opened.task, options))
    import_keras()
    from ..report.report import write_report

    path, results = write_report(opened)
    if as_json:
        evaluation = [dataclasses.asdict(result) for result in results]
        print_json({"report": str(path), "evaluation": evaluation})
    else:
        print_table(table_of(opened.task, results))
        click.echo(f"report: {path}")
