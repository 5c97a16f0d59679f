"""`memnets caption`: pictures described by a trained network."""

import dataclasses
import pathlib
from typing import TYPE_CHECKING

import click
import numpy as np

from .command import Command
from .decoding import decoding_of, run_of, search_options
from .keras_import import import_keras
from .named import run_argument
from .output import json_option, print_json

if TYPE_CHECKING:
    from ..captions.base import CaptioningTask


@click.command(
    cls=Command,
    examples=(
        "memnets caption runs/scenes picture.png",
        "memnets caption runs/scenes *.png --json",
    ),
)
@run_argument
@click.argument(
    "pictures",
    nargs=-1,
    required=True,
    type=click.Path(path_type=pathlib.Path),
)
@search_options("Captions of each picture")
@json_option
def caption(
    run: pathlib.Path,
    pictures: tuple[pathlib.Path, ...],
    beam_size: int | None,
    length_penalty: float | None,
    n_best: int,
    as_json: bool,
) -> None:
    """Describe PICTURES with the network in directory RUN.

    A line for each picture, after its name where there are several. If the network was
    trained on features in place of pictures, PICTURES are files of features. Where a
    file cannot be read, the others are described, and the status is 1.
    """
    from ..captions.base import CaptioningTask

    opened, task = run_of(run, CaptioningTask, "has pictures and captions")
    options = decoding_of(task, beam_size, length_penalty, n_best)
    names, arrays, faults = _read(task, pictures)
    import_keras()
    from ..captions.describer import Describer

    describer = Describer(opened.load_model(), task, **options)
    written = describer.describe(arrays)
    if as_json:
        print_json(
            {
                "signature": opened.signature_with(options),
                "decoding": options,
                "captions": {
                    name: [dataclasses.asdict(one) for one in best]
                    for name, best in zip(names, written, strict=True)
                },
                "faults": faults,
            }
        )
    else:
        several = len(names) + len(faults) > 1
        for name, best in zip(names, written, strict=True):
            for one in best:
                click.echo(f"{name}: {one.text}" if several else one.text)
    if faults:
        click.get_current_context().exit(1)


def _read(
    task: "CaptioningTask", paths: tuple[pathlib.Path, ...]
) -> tuple[list[str], np.ndarray, dict[str, str]]:
    """What to call the pictures in files, the pictures, and by path why a file cannot
    be read, which is told at once. It ends with status 2 if none can."""
    names: list[str] = []
    arrays: list[np.ndarray] = []
    faults: dict[str, str] = {}
    for path in paths:
        try:
            own, some = task.read_file(path)
        except ValueError as error:
            faults[str(path)] = str(error)
            click.echo(f"Error: {error}", err=True)
            continue
        names += own
        arrays.append(some)
    if not arrays:
        click.get_current_context().exit(2)
    return names, np.concatenate(arrays), faults
