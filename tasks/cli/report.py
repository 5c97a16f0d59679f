"""`memnets report`: pictures of a run."""

import dataclasses
import pathlib

import click

from ..evaluation import table_of
from ..runs.directory import open_run
from .command import Command
from .keras_import import import_keras
from .named import run_argument
from .output import json_option, print_json, print_table


@click.command(cls=Command)
@run_argument
@json_option
def report(run: pathlib.Path, as_json: bool) -> None:
    """Draw the run in directory RUN: report.html and figures/*.png."""
    opened = open_run(run)
    import_keras()
    from ..report.report import write_report

    path, results = write_report(opened)
    if as_json:
        evaluation = [dataclasses.asdict(result) for result in results]
        print_json({"report": str(path), "evaluation": evaluation})
    else:
        print_table(table_of(opened.task, results))
        click.echo(f"report: {path}")
