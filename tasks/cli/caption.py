"""`memnets caption`: pictures described by a trained network."""

import dataclasses
import pathlib

import click

from ..runs.directory import open_run
from .command import BadInput, Command
from .decoding import beam_option, decoding_of
from .keras_import import import_keras
from .named import run_argument
from .output import json_option, print_json


@click.command(cls=Command)
@run_argument
@click.argument(
    "pictures",
    nargs=-1,
    required=True,
    type=click.Path(exists=True, dir_okay=False, path_type=pathlib.Path),
)
@beam_option
@click.option(
    "--length-penalty",
    type=float,
    help="Higher for longer captions [default: that of the run's task].",
)
@click.option(
    "--n-best",
    type=int,
    default=1,
    show_default=True,
    help="Captions of each picture, one below the other, best first.",
)
@json_option
def caption(
    run: pathlib.Path,
    pictures: tuple[pathlib.Path, ...],
    beam: int | None,
    length_penalty: float | None,
    n_best: int,
    as_json: bool,
) -> None:
    """Describe PICTURES with the network in directory RUN.

    A line for each picture, after its name where there are several. If the network was
    trained on features in place of pictures, PICTURES are files of features.
    """
    from ..captioning.base import CaptioningTask

    opened = open_run(run)
    task = opened.task
    if not isinstance(task, CaptioningTask):
        raise BadInput(
            "`RUN` must be a run of a task of pictures and captions. "
            f"Received: a run of {task.name}"
        )
    options = decoding_of(task, beam, length_penalty, n_best)
    names, arrays = task.read_files(pictures)
    import_keras()
    from ..captioning.describer import Describer

    describer = Describer(opened.load_model(), task, **options)
    written = describer.describe(arrays)
    if as_json:
        print_json(
            {
                "signature": opened.signature,
                "captions": {
                    name: [dataclasses.asdict(one) for one in best]
                    for name, best in zip(names, written, strict=True)
                },
            }
        )
        return
    for name, best in zip(names, written, strict=True):
        for one in best:
            click.echo(f"{name}: {one.text}" if len(names) > 1 else one.text)
