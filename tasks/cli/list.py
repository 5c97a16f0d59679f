"""`memnets list`: the tasks and the models."""

import click

from ..registry import MODELS, TASKS
from .command import Command
from .output import json_option, print_json


@click.command("list", cls=Command)
@json_option
def list_command(as_json: bool) -> None:
    """List the tasks and the models."""
    kinds = {"tasks": TASKS, "models": MODELS}
    entries = {
        kind: {name: _first_line(entry) for name, entry in registry.items()}
        for kind, registry in kinds.items()
    }
    if as_json:
        print_json(entries)
        return
    for kind, lines in entries.items():
        click.echo(f"{kind}:")
        for name, line in lines.items():
            click.echo(f"  {name:<18} {line}".rstrip())


def _first_line(entry):
    return next(iter((entry.__doc__ or "").strip().splitlines()), "")
