"""What the commands share: options of several values, errors in one line, JSON."""

import itertools
import json
import re

import click


class ListOption(click.Option):
    """An option that takes several values: `--lengths 20 40 80`."""

    def __init__(self, *args, **kwargs):
        super().__init__(*args, multiple=True, **kwargs)

    def takes(self, arg):
        """Whether a word is one more value; other words are arguments."""
        if isinstance(self.type, click.Choice):
            return arg in self.type.choices
        return bool(re.fullmatch(r"\d+", arg))


class NumberOption(click.Option):
    """An option whose number may be left out: `--confidence`, `--confidence 0.9`."""

    def __init__(self, *args, left_out, **kwargs):
        super().__init__(*args, **kwargs)
        self.left_out = left_out

    def takes(self, arg):
        """Whether a word is the number; other words are arguments."""
        try:
            float(arg)
        except ValueError:
            return False
        return True


class Command(click.Command):
    """A command that knows the options above and reports bad input in one line."""

    def parse_args(self, ctx, args):
        return super().parse_args(ctx, self._spread(self._fill(args)))

    def _options(self, kind):
        return {
            name: parameter
            for parameter in self.params
            if isinstance(parameter, kind)
            for name in parameter.opts
        }

    def _fill(self, args):
        """The words, with the numbers that were left out."""
        options = self._options(NumberOption)
        return [
            f"{arg}={options[arg].left_out}"
            if arg in options and not options[arg].takes(following)
            else arg
            for arg, following in itertools.pairwise([*args, ""])
        ]

    def _spread(self, args):
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

    def invoke(self, ctx):
        try:
            return super().invoke(ctx)
        except BrokenPipeError:
            raise  # whoever read the output had enough; click handles it
        except (ValueError, OSError, ImportError, MemoryError) as error:
            raise BadInput(str(error)) from error


class BadInput(click.ClickException):
    """Input that cannot be worked with; the message is one line."""

    exit_code = 2


json_option = click.option("--json", "as_json", is_flag=True, help="Print JSON.")


def print_json(value):
    click.echo(json.dumps(value, indent=2))
