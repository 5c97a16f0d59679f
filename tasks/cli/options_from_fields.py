"""Options that follow from the parameters of tasks, models and training.

A command that names a task and a model has only their options, with the values that
they really have. The options of all others are hidden, so that a wrong one gets a clear
message.
"""

import dataclasses
import difflib
import inspect
import re
from collections.abc import Callable, Iterable
from typing import Any, NamedTuple

import click

from ..contract.parameters import (
    NONE,
    optional_parameters,
    parameter_types,
    required_parameters,
    text_of,
)
from ..registry import MODELS, TASKS
from ..training_options.training_config import MEANT, TrainingConfig
from .command import BadInput, Command

OPTIONS = f"{__name__}.options"  # where a context keeps them
GROUPS = f"{__name__}.groups"
WORDS = f"{__name__}.words"
HELP = {"-h", "--help"}
# The value of an option that is given as `none`: click has None where one is not given.
NOTHING = object()
# What other libraries call the size of a layer, and the options of models for it.
OF_SIZE = ("num_units", "units", "hidden_size", "hidden_units", "hidden_dim")
SIZES = ("units", "layer_size", "controller_size")


class Group(NamedTuple):
    """Options with a heading of their own in the help.

    Attributes:
        heading: The heading.
        owner: The dataclass whose fields they are.
        values: What a field is if its option is not given, by name.
        without: Fields that have no option.
    """

    heading: str
    owner: type
    values: dict[str, Any]
    without: tuple[str, ...] = ()


class _OrNone(click.ParamType):
    """A type whose values may also be `none`."""

    def __init__(self, kind: Callable[[str], Any]) -> None:
        self.kind = click.types.convert_type(kind)
        self.name = self.kind.name

    def convert(
        self, value: Any, param: click.Parameter | None, ctx: click.Context | None
    ) -> Any:
        return NOTHING if value == NONE else self.kind.convert(value, param, ctx)


class FieldOption(click.Option):
    """The option of a field.

    Args:
        owner: The dataclass.
        name: The field.
        kind: Its type.
        value: Its value if the option is not given, None if there is none to show.
        heading: Heading of the option in the help.
        hidden: Whether the help leaves it out.
    """

    def __init__(
        self,
        owner: type,
        name: str,
        kind: Callable[[str], Any],
        *,
        value: Any = None,
        heading: str = "",
        hidden: bool = False,
    ) -> None:
        flag = flag_of(name)
        text = _documentation(owner, name)
        if name in required_parameters(owner):
            text += " [required]"
        elif value is not None and value != "":
            text += f" [default: {_shown(value)}]"
        is_flag = kind is bool
        or_none = name in optional_parameters(owner) and not is_flag
        super().__init__(
            [f"{flag}/--no-{flag[2:]}" if is_flag else flag],
            type=_OrNone(kind) if or_none else kind,
            default=None,
            help=text.strip(),
            hidden=hidden,
        )
        self.heading = heading


class ParameterCommand(Command):
    """A command with the options of the task and the model in its arguments.

    Args:
        groups: From what the arguments name, `{"task": NAME, ...}`, the groups of
            options.
        hint: Below the help, if the arguments name no task.
    """

    def __init__(
        self,
        *args: Any,
        groups: Callable[[dict], list[Group]],
        hint: str = "",
        **kwargs: Any,
    ) -> None:
        super().__init__(*args, **kwargs)
        self.groups = groups
        self.hint = hint

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        self._add_options(ctx, self._words(args))
        try:
            return super().parse_args(ctx, args)
        except click.NoSuchOption as error:
            shown = [option for option in self.get_params(ctx) if not _hidden(option)]
            flags = [flag for option in shown for flag in option.opts]
            near = difflib.get_close_matches(error.option_name, flags)
            message = _with_meant(error.option_name, flags)
            raise click.NoSuchOption(
                error.option_name,
                message,
                possibilities=None if message else near,
                ctx=ctx,
            ) from None

    def get_params(self, ctx: click.Context) -> list[click.Parameter]:
        help_option = self.get_help_option(ctx)
        options = [*self.params, *ctx.meta.get(OPTIONS, ())]
        return options if help_option is None else [*options, help_option]

    def format_options(
        self, ctx: click.Context, formatter: click.HelpFormatter
    ) -> None:
        headings: dict[str, list] = {}
        for option in self.get_params(ctx):
            record = option.get_help_record(ctx)
            if record is not None and not isinstance(option, click.Argument):
                heading = getattr(option, "heading", "Options")
                headings.setdefault(heading, []).append(record)
        for heading, records in headings.items():
            with formatter.section(heading):
                formatter.write_dl(records)

    def format_epilog(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        if not any(group.heading.startswith("Task") for group in ctx.meta[GROUPS]):
            formatter.write_paragraph()
            formatter.write_text(self.hint)

    def _words(self, args: list[str]) -> dict[str, Any]:
        """The values of the command's own parameters, read leniently."""
        reader = click.Command(
            self.name,
            params=[*self.params, *_hidden_options(self.params)],
            add_help_option=False,
            context_settings={"ignore_unknown_options": True},
        )
        words = [word for word in self.plain_arguments(args) if word not in HELP]
        return reader.make_context(self.name, words, resilient_parsing=True).params

    def _add_options(self, ctx: click.Context, words: dict[str, Any]) -> None:
        groups = self.groups(words)
        ctx.meta.update({GROUPS: groups, WORDS: words})
        taken = {parameter.name for parameter in self.params}
        options = []
        for group in groups:
            for name, kind in parameter_types(group.owner).items():
                if name in taken or name in group.without:
                    continue
                taken.add(name)
                options.append(
                    FieldOption(
                        group.owner,
                        name,
                        kind,
                        value=group.values.get(name),
                        heading=group.heading,
                    )
                )
        ctx.meta[OPTIONS] = [*options, *_hidden_options([*self.params, *options])]


def _with_meant(option: str, flags: list[str]) -> str | None:
    """The message on an option that other programs have and this one calls otherwise;
    None on any other one."""
    name = option.removeprefix("--").replace("-", "_")
    names = SIZES if name in OF_SIZE else MEANT.get(name, ())
    meant = [repr(flag) for flag in map(flag_of, names) if flag in flags]
    if not meant:
        return None
    return f"No such option {option!r}. Did you mean {' or '.join(meant)}?"


def _hidden(parameter: click.Parameter) -> bool:
    return not isinstance(parameter, click.Option) or parameter.hidden


def _hidden_options(others: Iterable[click.Parameter]) -> list[FieldOption]:
    """The options of every training, task and model, but for the names of others."""
    taken = {parameter.name for parameter in others}
    options = []
    for owner in (TrainingConfig, *TASKS.values(), *MODELS.values()):
        for name, kind in parameter_types(owner).items():
            if name not in taken:
                taken.add(name)
                options.append(FieldOption(owner, name, kind, hidden=True))
    return options


def flag_of(name: str) -> str:
    """The option of a field: `--min-length` of `min_length`."""
    return "--" + name.replace("_", "-")


def _documentation(owner: type, name: str) -> str:
    """What the docstring of a class or of its bases says of a field."""
    for base in owner.__mro__:
        text = inspect.cleandoc(base.__doc__ or "")
        # Up to the next line that stands no deeper than the name.
        pattern = rf"^( +){name}: (.+?)(?=\n\1\S|\n *\w+:\n|\n\n|\Z)"
        if found := re.search(pattern, text, re.S | re.M):
            return " ".join(found.group(2).split())
    return ""


def _shown(value: Any) -> str:
    if isinstance(value, dict):
        return ", ".join(f"{_shown(own)} for {key}" for key, own in value.items())
    return (
        {True: "yes", False: "no"}[value] if isinstance(value, bool) else text_of(value)
    )


def given(options: dict[str, Any]) -> dict[str, Any]:
    """Those of the options that were given."""
    return {
        name: None if value is NOTHING else value
        for name, value in options.items()
        if value is not None
    }


def take(options: dict[str, Any], owner: Callable[..., Any]) -> dict[str, Any]:
    """Removes and returns the options that are fields of a dataclass."""
    names = parameter_types(owner)
    return {name: options.pop(name) for name in list(options) if name in names}


def refuse(options: Iterable[str], of: str) -> None:
    """Raises `BadInput` if any option is left."""
    for option in options:
        raise BadInput(f"`{flag_of(option)}` is not an option of {of}.")


def check_required(
    owner: Callable[..., Any], parameters: dict[str, Any], of: str
) -> None:
    """Raises `BadInput` if a field without a default has no value."""
    for name in required_parameters(owner):
        if name not in parameters:
            raise BadInput(f"`{flag_of(name)}` must be given for {of}.")


def defaults_of(owner: type) -> dict[str, Any]:
    """The defaults of a dataclass's fields, by name."""
    return {
        field.name: field.default
        for field in dataclasses.fields(owner)
        if field.default is not dataclasses.MISSING
    }
