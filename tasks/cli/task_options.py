"""What the commands share: tasks, models and their parameters as options."""

import dataclasses
import pathlib
import re
import typing

import click

from ..models import get_model
from ..registry import get_task
from .click_options import BadInput

task_argument = click.argument("task", metavar="TASK")
run_argument = click.argument(
    "run", metavar="RUN", type=click.Path(path_type=pathlib.Path)
)


def flag_of(name):
    """The option of a field: `--min-length` of `min_length`."""
    return "--" + name.replace("_", "-")


def _plain(annotation):
    """The type itself of an annotation such as `float | None`."""
    return next(iter(typing.get_args(annotation)), annotation)


def options_of(*classes, without=()):
    """Adds the fields of dataclasses as options, with the help of their docstrings."""

    def decorate(function):
        fields = {
            field.name: (field, cls)
            for cls in classes
            for field in dataclasses.fields(cls)
            if field.name not in without
        }
        for name, (field, cls) in reversed(fields.items()):
            flag = flag_of(name)
            function = click.option(
                f"{flag}/--no-{flag[2:]}" if field.type is bool else flag,
                type=_plain(field.type),
                default=None,
                help=_help(cls, name) + _defaults(classes, name),
            )(function)
        return function

    return decorate


def _help(cls, name):
    """What the docstring of a class or of its base says of a field."""
    for base in cls.__mro__:
        pattern = rf"^ +{name}: (.+?)(?=\n +\w+: |\n +\w+:\n|\Z)"
        if found := re.search(pattern, base.__doc__ or "", re.S | re.M):
            return " ".join(found.group(1).split())
    return ""


def _defaults(classes, name):
    """The default in brackets, or the defaults by name where classes differ."""
    defaults = {
        cls.name if hasattr(cls, "name") else "": field.default
        for cls in classes
        for field in dataclasses.fields(cls)
        if field.name == name
    }
    if len(set(defaults.values())) == 1:
        default = next(iter(defaults.values()))
        return "" if default is None else f" [default: {default}]"
    listed = ", ".join(f"{value} for {key}" for key, value in defaults.items())
    return f" [default: {listed}]"


def given(options):
    """Those of the options that were given."""
    return {name: value for name, value in options.items() if value is not None}


def take(options, *classes):
    """Removes and returns the options that are fields of the classes."""
    names = {field.name for cls in classes for field in dataclasses.fields(cls)}
    return {name: options.pop(name) for name in list(options) if name in names}


def task_with(name, options, others=()):
    """The task, with its options; those of `others` are left in `options`."""
    task = get_task(name)
    parameters = take(options, type(task))
    known = {field.name for cls in others for field in dataclasses.fields(cls)}
    for option in options:
        if option not in known:
            raise BadInput(f"`{flag_of(option)}` is not an option of the task {name}.")
    return get_task(name, **parameters)


def model_with(name, task, options):
    """The model for a task, with its options; there must be no others."""
    model = get_model(name)
    parameters = take(options, type(model))
    for option in options:
        raise BadInput(f"`{flag_of(option)}` is not an option of the model {name}.")
    return get_model(name, task, **parameters)


def print_table(cells):
    """Prints rows of cells, the headings first."""
    import rich.console
    import rich.table

    headings, *rows = cells
    table = rich.table.Table(box=None, pad_edge=False)
    for heading in headings:
        table.add_column(heading, justify="right")
    for row in rows:
        table.add_row(*row)
    rich.console.Console().print(table)
