"""`memnets train-vectors`: word vectors of files of text."""

import pathlib
from typing import Any

import click

from ..wording import counted
from .command import Command, Interrupted
from .named import TEXT_FILE
from .output import json_option, print_json, warnings_in_one_line


@click.command(
    "train-vectors",
    cls=Command,
    examples=(
        "memnets train-vectors corpus.txt --out vectors.txt",
        "memnets train-vectors *.txt.gz --out vectors.txt --size 50",
    ),
)
@click.argument(
    "files",
    nargs=-1,
    required=True,
    type=TEXT_FILE,
)
@click.option(
    "--out",
    required=True,
    type=click.Path(path_type=pathlib.Path),
    help="File of the vectors, gzipped if its name ends in .gz.",
)
@click.option(
    "--size", default=100, show_default=True, help="Numbers of a vector.", type=int
)
@click.option(
    "--window",
    default=10,
    show_default=True,
    type=int,
    help="Largest distance of two words that occur together, in a line.",
)
@click.option(
    "--min-count",
    default=5,
    show_default=True,
    type=int,
    help="Rarer words have no vector.",
)
@click.option(
    "--symmetric/--no-symmetric",
    default=True,
    help="Whether words to the right count too [default: yes].",
)
@click.option(
    "--x-max",
    type=float,
    help="Counts from this on have the weight 1 [default: a hundred thousandth of the "
    "words of the text, at least 10 and at most 100].",
)
@click.option(
    "--alpha",
    default=0.75,
    show_default=True,
    help="Exponent of the weight of smaller counts.",
)
@click.option(
    "--learning-rate", default=0.05, show_default=True, help="Of AdaGrad at the start."
)
@click.option(
    "--iterations",
    default=25,
    show_default=True,
    type=int,
    help="How often each pair of words is trained on.",
)
@click.option(
    "--memory",
    default="2GB",
    show_default=True,
    help="About how much to use; more goes to temporary files.",
)
@click.option(
    "--threads",
    type=int,
    help="Number of threads; the vectors do not depend on it [default: the cores].",
)
@click.option("--seed", default=1, show_default=True, help="Seed of the training.")
@click.option("--force", is_flag=True, help="Overwrite earlier vectors in it.")
@click.option(
    "--resume",
    is_flag=True,
    help="Continue the interrupted training; give the same options again.",
)
@click.option(
    "--save-seconds",
    type=click.FloatRange(0),
    default=60.0,
    show_default=True,
    help="Seconds between two checkpoints.",
)
@json_option
def train_vectors(
    files: tuple[pathlib.Path, ...], out: pathlib.Path, as_json: bool, **options: Any
) -> None:
    """Train GloVe vectors of the words in FILES.

    FILES are UTF-8 text, also gzipped, with blanks between words; - is standard input.
    """
    from ..training.word_vectors import train_word_vectors

    try:
        with warnings_in_one_line():
            vectors = train_word_vectors(files, out=out, **options)
    except FloatingPointError as error:
        raise click.ClickException(str(error)) from error
    except KeyboardInterrupt:
        raise Interrupted(
            "Stopped by hand. To continue from the last checkpoint: the same command "
            "with --resume."
        ) from None
    if as_json:
        print_json({"out": str(out), "words": len(vectors), "size": vectors.size})
    else:
        click.echo(
            f"{counted(len(vectors), 'vector')} of "
            f"{counted(vectors.size, 'number')}: {out}"
        )
