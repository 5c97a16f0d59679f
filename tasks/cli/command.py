"""The click commands of `memnets`: options of several values, errors in one line."""

import itertools
import os
import re
import sys
from collections.abc import Callable
from typing import Any

import click


def is_integer(word: str) -> bool:
    """Whether a word of the command line is a whole number."""
    return bool(re.fullmatch(r"\d+", word))


def is_number(word: str) -> bool:
    """Whether a word of the command line is a number."""
    try:
        float(word)
    except ValueError:
        return False
    return True


class ListOption(click.Option):
    """An option that takes several values: `--lengths 20 40 80`.

    Args:
        takes: Whether a word is one more value; other words are arguments.
    """

    def __init__(
        self, *args: Any, takes: Callable[[str], bool] = is_integer, **kwargs: Any
    ) -> None:
        super().__init__(*args, **{**kwargs, "multiple": True})
        self.takes = takes


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


def reason_of(error: Exception) -> str:
    """The message of an error; of the system's, the file and what is wrong with it."""
    if isinstance(error, OSError) and error.filename and error.strerror:
        return f"`{os.fsdecode(error.filename)}`: {error.strerror}."
    return str(error)


class Command(click.Command):
    """A command that knows the options above and reports bad input in one line."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        return super().parse_args(ctx, self.plain_arguments(args))

    def plain_arguments(self, args: list[str]) -> list[str]:
        """The words as click reads them: one value an option."""
        return self._spread(self._fill(args))

    def invoke(self, ctx: click.Context) -> Any:
        try:
            value = super().invoke(ctx)
            sys.stdout.flush()  # what cannot be written is an error, not a warning
        except BrokenPipeError:
            raise  # the reader of the output has closed it; click handles it
        except ChildProcessError as error:  # the input is not to blame
            raise click.ClickException(str(error)) from error
        except (ValueError, OSError, ImportError, MemoryError) as error:
            raise BadInput(self._with_flags(reason_of(error), ctx)) from error
        return value

    def _with_flags(self, message: str, ctx: click.Context) -> str:
        """A message with options in place of arguments that are written otherwise:
        `--min-count` of `min_count`."""
        flags = {
            parameter.name: max(parameter.opts, key=len)
            for parameter in self.get_params(ctx)
            if isinstance(parameter, click.Option) and "_" in (parameter.name or "")
        }
        names = "|".join(map(re.escape, flags)) or "(?!)"
        message = re.sub(rf"`({names})`", lambda m: f"`{flags[m[1]]}`", message)
        return re.sub(rf"\b({names})=", lambda m: f"{flags[m[1]]}=", message)

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
            if current and options[current].takes(arg):
                # click knows only one value an option: the name is repeated for it.
                spread += [arg] if spread[-1] == current else [current, arg]
                continue
            name = arg.split("=")[0]
            current = name if name in options else None
            spread.append(arg)
        return spread
