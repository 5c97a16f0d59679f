"""The click commands of `memnets`: options of several values, errors in one line."""

import itertools
import os
import re
import sys
from collections.abc import Callable, Sequence
from typing import IO, Any

import click

from ..own_code import place_of
from .interrupts import STATUS, raising


def is_integer(word: str) -> bool:
    """Whether a word of the command line is a whole number."""
    return bool(re.fullmatch(r"\d+", word))


def is_range(word: str) -> bool:
    """Whether a word of the command line is a whole number, or a range as 41-500:9."""
    return bool(re.fullmatch(r"\d+(-\d+(:\d+)?)?", word))


def is_number(word: str) -> bool:
    """Whether a word of the command line is a number."""
    try:
        float(word)
    except ValueError:
        return False
    return True


class ListOption(click.Option):
    """An option that takes several values: `--lengths 20 40 80`, or `20,40,80`.

    Args:
        takes: Whether a word is one more value; other words are arguments.
    """

    def __init__(
        self, *args: Any, takes: Callable[[str], bool] = is_integer, **kwargs: Any
    ) -> None:
        super().__init__(*args, **{**kwargs, "multiple": True})
        self.takes = takes

    def values_of(self, word: str) -> list[str]:
        """The values in a word, none if it is an argument."""
        if self.takes(word):
            return [word]
        # A part with `=` belongs to the value before it: a model and its parameters.
        parts = re.split(",(?![^,:=]+=)", word)
        return parts if all(map(self.takes, parts)) else []


class NumberOption(click.Option):
    """An option whose number may be left out: `--confidence`, `--confidence 0.9`.

    Args:
        left_out: The number if none is given.
    """

    def __init__(self, *args: Any, left_out: float, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.left_out = left_out
        self.takes = is_number


class BadInput(click.ClickException):
    """Input that cannot be used; the message is one line."""

    exit_code = 2


class Interrupted(click.ClickException):
    """A command that Ctrl-C has ended."""

    exit_code = STATUS

    def show(self, file: IO[Any] | None = None) -> None:
        click.echo(self.format_message(), file=file, err=file is None)


def reason_of(error: Exception) -> str:
    """The message of an error; of the system's, the file and what is wrong with it."""
    if isinstance(error, OSError) and error.filename and error.strerror:
        return f"`{os.fsdecode(error.filename)}`: {error.strerror}."
    return str(error)


class Command(click.Command):
    """A command that knows the options above and reports bad input in one line.

    Args:
        examples: Calls of it, for its help.
    """

    def __init__(self, *args: Any, examples: Sequence[str] = (), **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.examples = examples

    def format_help_text(
        self, ctx: click.Context, formatter: click.HelpFormatter
    ) -> None:
        super().format_help_text(ctx, formatter)
        with formatter.section("Examples"):
            for example in self.examples:
                formatter.write(f"{'':{formatter.current_indent}}{example}\n")

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        try:
            return super().parse_args(ctx, self.plain_arguments(args))
        except click.NoSuchOption as error:
            if error.option_name != "--import":
                raise
            raise click.UsageError(
                "`--import` stands before the command: memnets --import FILE "
                f"{self.name}",
                ctx=ctx,
            ) from None
        except click.MissingParameter as error:
            greedy = [
                name
                for name, option in self._options(ListOption).items()
                if name in args and option.takes("FILE")
            ]
            if not greedy or not isinstance(error.param, click.Argument):
                raise
            raise click.MissingParameter(
                f"`{greedy[0]}` took the words after it: it stands after the "
                "arguments.",
                ctx=ctx,
                param=error.param,
            ) from None

    def plain_arguments(self, args: list[str]) -> list[str]:
        """The words as click reads them: one value an option."""
        return self._spread(self._fill(args))

    def invoke(self, ctx: click.Context) -> Any:
        try:
            with raising():
                value = super().invoke(ctx)
                sys.stdout.flush()  # what cannot be written is an error, no warning
        except KeyboardInterrupt as error:
            raise Interrupted("Interrupted.") from error
        except BrokenPipeError:
            raise  # the reader of the output has closed it; click handles it
        except ChildProcessError as error:  # the input is not to blame
            raise click.ClickException(str(error)) from error
        except (ValueError, OSError, ImportError, MemoryError) as error:
            message = self._with_flags(reason_of(error), ctx).rstrip()
            raise BadInput(message + place_of(error)) from error
        return value

    def _with_flags(self, message: str, ctx: click.Context) -> str:
        """A message with options in place of arguments: `--min-count` of `min_count`.
        One word, such as `data`, may be something else unless the message says what it
        must be."""
        flags = {
            parameter.name: max(parameter.opts, key=len)
            for parameter in self.get_params(ctx)
            if isinstance(parameter, click.Option) and parameter.name
        }
        long = [name for name in flags if "_" in name]
        for pattern, known in (
            ("`({})`", long),
            ("`({})`(?= must)", flags),
            (r"\b({})(?==)", long),
            ("(?<=Received: )({})(?==)", flags),
        ):
            names = "|".join(map(re.escape, known)) or "(?!)"
            message = re.sub(
                pattern.format(names),
                lambda found: found[0].replace(found[1], flags[found[1]]),
                message,
            )
        return message

    def _options(self, kind: type[click.Option]) -> dict[str, Any]:
        return {
            name: parameter
            for parameter in self.params
            if isinstance(parameter, kind)
            for name in parameter.opts
        }

    def _fill(self, args: list[str]) -> list[str]:
        """The words, with the numbers that were left out."""
        options = self._options(NumberOption)
        return [
            f"{arg}={options[arg].left_out}"
            if arg in options and not options[arg].takes(following)
            else arg
            for arg, following in itertools.pairwise([*args, ""])
        ]

    def _spread(self, args: list[str]) -> list[str]:
        """The words, with the name of its option before each value of a list."""
        options = self._options(ListOption)
        spread, current = [], None
        for arg in args:
            if current and (values := options[current].values_of(arg)):
                for value in values:
                    # click knows only one value an option: its name is repeated.
                    spread += [value] if spread[-1] == current else [current, value]
                continue
            name, _, value = arg.partition("=")
            current = name if name in options else None
            values = options[name].values_of(value) if current and value else []
            spread += [f"{name}={each}" for each in values] or [arg]
        return spread
