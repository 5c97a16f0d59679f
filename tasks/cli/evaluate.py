"""`memnets evaluate`: a trained model on fresh sequences."""

import dataclasses
import pathlib
from typing import Any

import click

from ..contract.presentation import HasFloors
from ..evaluation import evaluate as evaluate_model
from ..evaluation import evaluated_tasks, table_of
from ..models.room import room_note
from ..runs.directory import open_run
from .command import ListOption
from .keras_import import import_keras
from .named import altered_task, run_argument, run_groups
from .options_from_fields import ParameterCommand
from .output import json_option, print_json, print_table


@click.command(
    cls=ParameterCommand,
    examples=(
        "memnets evaluate runs/copy",
        "memnets evaluate runs/copy --lengths 20 40 80",
        "memnets evaluate runs/copy --sequences 1000 --json",
    ),
    groups=run_groups,
    hint="Options of the run's task: memnets evaluate RUN --help.",
)
@run_argument
@click.option(
    "--lengths", cls=ListOption, type=click.IntRange(1), help="Lengths to try."
)
@click.option(
    "--split",
    metavar="NAME",
    help="Split of the data, of a task that has splits: train, validation, test, and "
    "others that a task has [default: mostly validation].",
)
@click.option(
    "--sequences",
    type=click.IntRange(1),
    help="Sequences of each length [default: the task's own number].",
)
@click.option(
    "--seed",
    type=click.IntRange(0),
    default=0,
    show_default=True,
    help="Seed of the sequences.",
)
@json_option
def evaluate(
    run: pathlib.Path,
    lengths: tuple[int, ...],
    split: str | None,
    sequences: int | None,
    seed: int,
    as_json: bool,
    **options: Any,
) -> None:
    """Evaluate the model in directory RUN by length.

    Options of the task change it for the evaluation, such as --min-length 20.
    """
    opened = open_run(run)
    task = altered_task(opened.task, options)
    evaluated = evaluated_tasks(task, lengths or None, split)
    for at in evaluated:
        for note in at.presentation.notes:
            click.echo(note, err=True)
    if lengths and (missing := room_note(task, opened.model, lengths)):
        click.echo(f"Warning: {missing}", err=True)
    import_keras()
    results = evaluate_model(
        opened.load_model(),
        task,
        lengths or None,
        split=split,
        num_sequences=sequences,
        seed=seed,
        trained=opened.task,
    )
    if as_json:
        evaluation = [dataclasses.asdict(result) for result in results]
        print_json({"signature": opened.signature, "evaluation": evaluation})
    else:
        print_table(table_of(task, results))
        shown = evaluated[0].presentation
        if isinstance(shown, HasFloors) and len(floors := shown.floors()) > 1:
            click.echo(f"\nbeside the scores of {results[0].size}:")
            print_table(floors)
