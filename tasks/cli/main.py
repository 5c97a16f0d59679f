"""The command line. Keras is imported inside the commands that need it."""

from typing import Any

import click

from ..own_code import import_code
from .caption import caption
from .command import BadInput
from .compare import compare
from .evaluate import evaluate
from .generate import generate
from .keras_import import import_keras
from .list import list_command
from .report import report
from .score import score
from .search import search
from .show import show
from .streams import open_standard_streams
from .train import train
from .train_vectors import train_vectors
from .translate import translate
from .vectors import vectors
from .watch import watch

__all__ = ["import_keras", "main"]


class CommandLine(click.Group):
    """The commands; they run also without standard streams."""

    def main(self, *args: Any, **kwargs: Any) -> Any:
        open_standard_streams()
        return super().main(*args, **kwargs)


@click.group(cls=CommandLine, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(package_name="memnets")
@click.option(
    "--import",
    "imports",
    multiple=True,
    metavar="FILE_OR_MODULE",
    # A path: MEMNETS_IMPORT may list several, as PATH does.
    type=click.Path(),
    envvar="MEMNETS_IMPORT",
    show_envvar=True,
    help="Import a Python file or module first, which registers tasks and models of "
    "your own. May be given several times.",
)
@click.pass_context
def main(ctx: click.Context, imports: tuple[str, ...]) -> None:
    """Train networks with memory on algorithmic tasks, and see what they learned."""
    ctx.obj = imports
    if not imports or ctx.invoked_subcommand == score.name:
        return  # text metrics need no tasks, and must start quickly
    import_keras()  # own code mostly imports it
    for name in imports:
        try:
            import_code(name)
        except ValueError as error:
            raise BadInput(str(error)) from error


for command in (
    *(list_command, show, train, evaluate, report, watch, compare, search),
    *(generate, translate, caption, score, train_vectors, vectors),
):
    main.add_command(command)
