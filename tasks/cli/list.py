"""`memnets list`: the tasks and the models."""

import re
import shutil
import textwrap
from collections.abc import Callable
from typing import Any

import click

from ..contract.task import Task
from ..own_code import is_own
from ..registry import MODELS, TASKS, default_model
from .command import Command
from .output import json_option, print_json

# Width of the column of names.
NAME = 25


@click.command(
    "list",
    cls=Command,
    examples=(
        "memnets list",
        "memnets list --json",
    ),
)
@json_option
def list_command(as_json: bool) -> None:
    """List the tasks, with their default models, and the models."""
    kinds = {"tasks": TASKS, "models": MODELS}
    entries = {
        kind: {name: _first_sentence(entry) for name, entry in registry.items()}
        for kind, registry in kinds.items()
    }
    defaults = {name: default_model(task) for name, task in TASKS.items()}
    if as_json:
        solved = {name: TASKS[name].recipe.solved_by for name in TASKS}
        print_json({**entries, "default_models": defaults, "solved_by": solved})
        return
    for name, model in defaults.items():
        entries["tasks"][name] += f" ({model}){_solved(name)}"
    for kind, lines in entries.items():
        click.echo(f"{kind}:")
        for name, line in lines.items():
            click.echo(_wrapped(f"  {name:<{NAME}} ", line))


def _solved(name: str) -> str:
    """Whether a task is solved by its recipe, in words; nothing of tasks without a
    bound, and of your own."""
    task = TASKS[name]
    if is_own(task) or task.success is Task.success:
        return ""
    if task.recipe.solved_by:
        return f" Solved by {', '.join(task.recipe.solved_by)}."
    return " Not solved in kept runs."


def _first_sentence(entry: Callable[..., Any]) -> str:
    paragraph = (entry.__doc__ or "").strip().partition("\n\n")[0]
    text = " ".join(paragraph.split())
    # A name such as `memnets.NTM` has a dot as well, and so have "et al." and "...".
    found = re.match(r".*?(?<!al)(?<!\.)\.(?=\s+[A-Z`\"(]|$)", text)
    return found[0] if found else text


def _wrapped(head: str, text: str) -> str:
    width = shutil.get_terminal_size().columns
    indent = " " * len(head)
    return textwrap.fill(
        text,
        max(width, 2 * len(head)),
        initial_indent=head,
        subsequent_indent=indent,
        break_on_hyphens=False,
    ).rstrip()
