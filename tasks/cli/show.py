"""`memnets show`: sequences of a task as text."""

from typing import Any

import click

from .named import task_argument, task_groups, task_with
from .options_from_fields import ParameterCommand, given
from .output import json_option, print_json


@click.command(
    cls=ParameterCommand,
    examples=(
        "memnets show copy --seed 1",
        "memnets show priority-sort --num-vectors 5",
        "memnets show dyck --json",
    ),
    groups=lambda words: task_groups(words["task"]),
    hint="Options of a task: memnets show TASK --help.",
)
@task_argument
@click.option(
    "--seed",
    type=click.IntRange(0),
    help="Seed of the sequences [default: others each time].",
)
@click.option(
    "--count",
    type=click.IntRange(1),
    default=1,
    show_default=True,
    help="Sequences to show.",
)
@json_option
def show(
    task: str, seed: int | None, count: int, as_json: bool, **options: Any
) -> None:
    """Print sequences of TASK, time from left to right."""
    chosen = task_with(task, given(options))
    batch = chosen.sample(count, seed)
    if as_json:
        arrays = {name: array.tolist() for name, array in batch._asdict().items()}
        print_json({"signature": chosen.signature, **arrays})
    else:
        click.echo(chosen.presentation.render(batch))
