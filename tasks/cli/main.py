"""The command line. A command is imported when it is called or asked for, and Keras
inside the commands that need it."""

import importlib
from collections.abc import Iterator, Mapping
from typing import Any

import click

from ..own_code import import_code
from .command import BadInput
from .keras_import import import_keras
from .streams import open_standard_streams

__all__ = ["import_keras", "main"]

# The commands in the order of use, and the first sentence of the help of each. A
# command is in the module of its name.
COMMANDS = {
    "list": "List the tasks, with their default models, and the models.",
    "show": "Print sequences of TASK, time from left to right.",
    "train": "Train a model on TASK, evaluate it and write a report.",
    "evaluate": "Evaluate the model in directory RUN by length.",
    "report": "Draw the report and the figures of the run in RUN.",
    "watch": "Redraw a sequence while the model in RUN is trained.",
    "compare": "Train several models on each TASK and write one page.",
    "search": "Find settings with which a model learns TASK.",
    "generate": "Let a language model in RUN write on from a prompt.",
    "translate": "Translate lines with the network in directory RUN.",
    "caption": "Describe PICTURES with the network in directory RUN.",
    "score": "Score HYPOTHESES, a file with a text a line.",
    "train-vectors": "Train GloVe vectors of the words in FILES.",
    "vectors": "Look at word vectors: neighbours, analogies, a picture.",
}


class LazyCommands(Mapping[str, click.Command]):
    """The commands by name, each imported when it is asked for."""

    def __getitem__(self, name: str) -> click.Command:
        if name not in COMMANDS:
            raise KeyError(name)
        name = name.replace("-", "_")
        module = importlib.import_module(f"..{name}", __name__)
        # `list` is a word of Python.
        return getattr(module, "list_command" if name == "list" else name)

    def __iter__(self) -> Iterator[str]:
        return iter(COMMANDS)

    def __len__(self) -> int:
        return len(COMMANDS)


class CommandLine(click.Group):
    """The commands; they run also without standard streams."""

    def main(self, *args: Any, **kwargs: Any) -> Any:
        open_standard_streams()
        return super().main(*args, **kwargs)

    def format_commands(
        self, ctx: click.Context, formatter: click.HelpFormatter
    ) -> None:
        # As in click, which would import every command.
        limit = formatter.width - 6 - max(map(len, COMMANDS))
        rows = [
            (name, click.Command(name, help=COMMANDS[name]).get_short_help_str(limit))
            for name in COMMANDS  # in the order of use
        ]
        with formatter.section("Commands"):
            formatter.write_dl(rows)


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
    if not imports or ctx.invoked_subcommand == "score":
        return  # text metrics need no tasks, and must start quickly
    import_keras()  # own code mostly imports it
    for name in imports:
        try:
            import_code(name)
        except ValueError as error:
            raise BadInput(str(error)) from error


main.commands = LazyCommands()  # type: ignore[assignment]
