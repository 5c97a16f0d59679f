"""What commands print: JSON, tables and warnings."""

import contextlib
import json
import sys
import warnings
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import click

from ..runs.files import without_nan

json_option = click.option("--json", "as_json", is_flag=True, help="Print JSON.")


def print_json(value: Any) -> None:
    """Prints a value as JSON; numbers that JSON does not have, such as NaN, as null."""
    click.echo(json.dumps(without_nan(value), indent=2))


def print_table(cells: Sequence[Sequence[str]]) -> None:
    """Prints rows of cells, the headings first.

    In a pipe no line is broken: cells are aligned and two spaces apart.
    """
    if not sys.stdout.isatty():
        widths = [max(map(len, column)) for column in zip(*cells, strict=True)]
        for row in cells:
            line = (text.rjust(width) for text, width in zip(row, widths, strict=True))
            click.echo("  ".join(line).rstrip())
        return
    import rich.console
    import rich.table
    import rich.text

    headings, *rows = cells
    table = rich.table.Table(box=None, pad_edge=False)
    for heading in headings:
        table.add_column(heading, justify="right")
    for row in rows:
        table.add_row(*map(rich.text.Text, row))
    rich.console.Console().print(table)


@contextlib.contextmanager
def warnings_in_one_line(
    in_words: Callable[[str], str] = lambda text: text,
) -> Iterator[None]:
    """Warnings within are lines of standard error.

    Args:
        in_words: What is written of the text of a warning.
    """
    with warnings.catch_warnings():
        warnings.showwarning = lambda message, *_: click.echo(
            f"Warning: {in_words(str(message))}", err=True
        )
        yield
