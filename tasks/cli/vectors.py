"""`memnets vectors`: what word vectors know."""

import dataclasses
import pathlib
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import click

from ..plain_text import check_standard_input_once
from ..runs.output_file import OutputFile, check_not_an_input
from ..vectors.analogies import METHODS, AnalogyScore
from ..vectors.similarity import SimilarityScore
from ..vectors.word_vectors import WordVectors
from ..wording import counted
from .command import BadInput, Command, ListOption
from .keras_import import import_keras
from .named import TEXT_FILE
from .output import (
    json_option,
    print_json,
    print_table,
    warnings_in_one_line,
)

if TYPE_CHECKING:
    from metrics import Interval


def _is_word(word: str) -> bool:
    return not word.startswith("--")


@click.command(
    cls=Command,
    examples=(
        "memnets vectors vectors.txt --near king",
        "memnets vectors vectors.txt --near king woman --minus man",
    ),
)
@click.argument("file", type=TEXT_FILE)
@click.option(
    "--near",
    cls=ListOption,
    takes=_is_word,
    metavar="WORD...",
    help="Print the words that are most similar to a word, or to the sum of several.",
)
@click.option(
    "--minus",
    cls=ListOption,
    takes=_is_word,
    metavar="WORD...",
    help="Words to subtract from those of --near.",
)
@click.option(
    "--count",
    type=click.IntRange(1),
    default=10,
    show_default=True,
    help="Number of words that --near prints.",
)
@click.option(
    "--analogies",
    type=TEXT_FILE,
    help="Answer the questions of this file, in the form of questions-words.txt.",
)
@click.option(
    "--method",
    type=click.Choice(METHODS),
    default="3cosadd",
    show_default=True,
    help="How analogies are answered.",
)
@click.option(
    "--vocabulary",
    type=click.IntRange(1),
    default=30_000,
    show_default=True,
    help="Most frequent words that analogies may have.",
)
@click.option(
    "--similarity",
    type=TEXT_FILE,
    help="Correlate with the judgements in this file: two words and a number a line.",
)
@click.option(
    "--picture",
    type=click.Path(dir_okay=False, path_type=pathlib.Path),
    help="Draw the words of --words to this file, which must be new or such a picture.",
)
@click.option(
    "--words",
    cls=ListOption,
    takes=_is_word,
    metavar="WORD...",
    help="Words to draw.",
)
@click.option(
    "--limit", type=click.IntRange(1), help="Read so many vectors only [default: all]."
)
@json_option
def vectors(
    file: pathlib.Path,
    near: tuple[str, ...],
    minus: tuple[str, ...],
    count: int,
    analogies: pathlib.Path | None,
    method: str,
    vocabulary: int,
    similarity: pathlib.Path | None,
    picture: pathlib.Path | None,
    words: tuple[str, ...],
    limit: int | None,
    as_json: bool,
) -> None:
    """Look at word vectors: neighbours, analogies, a picture.

    FILE is text in the form of GloVe, word2vec or fastText, or word2vec's binary form,
    also gzipped; - is standard input.
    """
    if minus and not near:
        raise BadInput("`--minus` needs `--near`.")
    if (picture is None) == bool(words):
        raise BadInput("`--picture` and `--words` go together.")
    read = [path for path in (file, analogies, similarity) if path is not None]
    check_standard_input_once(read)
    if picture is not None:
        drawing = _drawing(picture, read)
    with warnings_in_one_line():
        loaded = WordVectors.load(file, limit)
    results: dict[str, Any] = {"words": len(loaded), "size": loaded.size}
    if near:
        added, subtracted = _apart(near, loaded), _apart(minus, loaded)
        results["near"] = loaded.most_similar(added, subtracted, n=count)
    if analogies is not None:
        results["analogies"] = loaded.analogies(
            analogies, vocabulary=vocabulary, method=method
        )
    if similarity is not None:
        results["similarity"] = loaded.similarity(similarity)
    if picture is not None:
        from ..figures.figure import missing_note
        from ..vectors.figures import draw_words

        drawn = _apart(words, loaded)
        figure = draw_words(loaded, drawn)
        form = picture.suffix[1:] or "png"
        with drawing.writing({"vectors": str(file), "words": drawn}) as unfinished:
            figure.savefig(unfinished, format=form, dpi=150)
        if note := missing_note([figure]):
            click.echo(note, err=True)
        results["picture"] = str(picture)
    if as_json:
        print_json({name: _plain(value) for name, value in results.items()})
        return
    click.echo(f"{counted(len(loaded), 'vector')} of {counted(loaded.size, 'number')}")
    for name, show in _SHOWN.items():
        if name in results:
            show(results[name])


def _apart(given: tuple[str, ...], loaded: WordVectors) -> list[str]:
    """The words of an option: a comma separates them, unless it is part of a word that
    has a vector, such as 10,000."""
    words: list[str] = []
    for word in given:
        parts = [part.strip() for part in word.split(",")]
        words += [word] if word in loaded else filter(None, parts)
    return words


def _drawing(picture: pathlib.Path, read: list[pathlib.Path]) -> OutputFile:
    """Where the picture goes; raises if another file is there."""
    import_keras()
    drawing = OutputFile(picture, "picture of word vectors")
    drawing.check("--picture")
    check_not_an_input([picture, drawing.record], read, "--picture")
    return drawing


def _plain(value: Any) -> Any:
    """A result for JSON."""
    if isinstance(value, AnalogyScore):
        fields = dataclasses.asdict(value)
        return {**fields, "accuracy": value.accuracy, "coverage": value.coverage}
    if isinstance(value, SimilarityScore):
        return {**dataclasses.asdict(value), "correlation": value.correlation}
    return value


def _show_near(neighbours: list[tuple[str, float]]) -> None:
    print_table(
        [("word", "cosine"), *((word, f"{cosine:.4f}") for word, cosine in neighbours)]
    )


def _show_analogies(score: AnalogyScore) -> None:
    rows = [
        (part.name, f"{part.accuracy:.4f}" if part.asked else "-")
        + tuple(f"{count:,}" for count in (part.correct, part.asked, part.total))
        for part in [*score.sections, *score.groups, score.all]
    ]
    print_table([("analogies", "accuracy", "correct", "asked", "of"), *rows])
    if not score.all.asked:
        click.echo(
            f"no question was asked: none has four words of the {score.vocabulary:,} "
            "that have a vector and are in --vocabulary"
        )
        return
    click.echo(
        f"accuracy {score.accuracy:.4f}{_in_brackets(score.interval)}, "
        f"{score.coverage:.1%} of the questions asked, {score.method}, "
        f"{score.vocabulary:,} words"
    )


def _show_similarity(score: SimilarityScore) -> None:
    click.echo(
        f"similarity: Spearman {score.correlation:.4f}{_in_brackets(score.interval)}, "
        f"{score.covered:,} of {score.total:,} pairs"
    )


def _in_brackets(interval: "Interval | None") -> str:
    return f" [{interval.low:.4f}, {interval.high:.4f}]" if interval else ""


_SHOWN: dict[str, Callable[[Any], None]] = {
    "near": _show_near,
    "analogies": _show_analogies,
    "similarity": _show_similarity,
    "picture": lambda path: click.echo(f"picture: {path}"),
}
