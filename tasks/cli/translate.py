"""`memnets translate`: lines of text by a trained network."""

import dataclasses
import pathlib
import sys

import click

from ..plain_text import decoded, lines_of
from ..runs.directory import open_run
from ..text.pairs import PairTask
from ..text.translator import Translator
from .command import BadInput, Command
from .keras_import import import_keras
from .named import run_argument
from .output import json_option, print_json


@click.command(cls=Command)
@run_argument
@click.option(
    "--input",
    "source",
    type=click.Path(exists=True, dir_okay=False, allow_dash=True),
    default="-",
    help="Text to translate, UTF-8, a sentence in each line [default: standard input].",
)
@click.option(
    "--beam",
    type=click.IntRange(1),
    help="Hypotheses that are kept; 1 is greedy [default: that of the run's task].",
)
@click.option(
    "--length-penalty",
    type=click.FloatRange(0),
    help="Higher for longer translations [default: that of the run's task].",
)
@click.option(
    "--n-best",
    type=click.IntRange(1),
    default=1,
    show_default=True,
    help="Translations of each line, one below the other, best first.",
)
@click.option("--scores", is_flag=True, help="Write score and log-probability first.")
@json_option
def translate(
    run: pathlib.Path,
    source: str,
    beam: int | None,
    length_penalty: float | None,
    n_best: int,
    scores: bool,
    as_json: bool,
) -> None:
    """Translate lines with the network in directory RUN.

    As many lines come out as go in; an empty line gives an empty line.
    """
    opened = open_run(run)
    if not isinstance(opened.task, PairTask):
        raise BadInput(
            "`RUN` must be a run of a task that reads one text and writes another. "
            f"Received: a run of {opened.task.name}"
        )
    options = dict(opened.task.decoding)
    if beam is not None:
        options["beam_size"] = beam
    if length_penalty is not None:
        options["length_penalty"] = length_penalty
    with click.open_file(source, "rb") as file:
        data = file.read()
    lines = lines_of(decoded(data, "`input`")) if data else []
    import_keras()
    translator = Translator(opened.load_model(), opened.task, n_best=n_best, **options)
    written = translator.translate(lines)
    if translator.num_cut:
        click.echo(f"{translator.num_cut} lines were too long and cut.", err=True)
    if as_json:
        print_json(
            {
                "signature": opened.signature,
                "translations": [
                    [dataclasses.asdict(hypothesis) for hypothesis in best]
                    for best in written
                ],
            }
        )
        return
    # Not `click.echo`, which is slow for many lines.
    for best in written:
        for hypothesis in best:
            values = f"{hypothesis.score:.4f}\t{hypothesis.log_prob:.4f}\t"
            sys.stdout.write((values if scores else "") + hypothesis.text + "\n")
