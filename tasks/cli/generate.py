"""`memnets generate`: text from a trained language model."""

import pathlib

import click

from ..checks import shorten
from ..runs.directory import open_run
from ..text.generation import generate as generate_text
from ..text.vocabulary import Vocabulary
from .command import BadInput, Command
from .keras_import import import_keras
from .named import run_argument
from .output import json_option, print_json


@click.command(
    cls=Command,
    context_settings={"allow_extra_args": True},  # which it names
    examples=(
        'memnets generate runs/book --prompt "The "',
        "memnets generate runs/book --length 500 --seed 2",
    ),
)
@run_argument
@click.option(
    "--prompt",
    help="What the model reads first [default: a new line, or a blank where its text "
    "had none].",
)
@click.option(
    "--length",
    type=click.IntRange(0),
    default=500,
    show_default=True,
    help="Characters to write.",
)
@click.option(
    "--temperature",
    type=click.FloatRange(0),
    default=1.0,
    show_default=True,
    help="Below 1, probable characters more often; 0 takes the most probable one.",
)
@click.option(
    "--seed",
    type=click.IntRange(0),
    default=0,
    show_default=True,
    help="The same seed gives the same text.",
)
@json_option
def generate(
    run: pathlib.Path,
    prompt: str | None,
    length: int,
    temperature: float,
    seed: int,
    as_json: bool,
) -> None:
    """Let a language model in RUN write on from a prompt."""
    if more := click.get_current_context().args:
        raise BadInput(
            f"The prompt is an option: memnets generate {run} --prompt TEXT. "
            f"Received: {shorten(more[0])}"
        )
    opened = open_run(run)
    vocabulary = getattr(opened.task, "vocabulary", None)
    if not isinstance(vocabulary, Vocabulary):
        raise BadInput(
            "`RUN` must be a run of a language model. "
            f"Received: a run of {opened.task.name}"
        )
    prompt = vocabulary.beginning if prompt is None else prompt
    import_keras()
    text = generate_text(
        opened, prompt, length=length, temperature=temperature, seed=seed
    )
    if as_json:
        print_json({"signature": opened.signature, "prompt": prompt, "text": text})
    else:
        click.echo(prompt + text)
