"""`memnets translate`: lines of text by a trained network."""

import contextlib
import dataclasses
import math
import pathlib
import sys
from collections.abc import Callable, Iterator
from typing import Any

import click

from ..checks import shorten
from ..plain_text import (
    check_standard_input_once,
    decoded_utf8,
    is_standard_input,
    lines_of,
    name_of,
    read_bytes,
    standard_input,
    unzipped,
)
from ..text.hypotheses import Hypothesis
from ..text.mbr import mbr
from ..text.pairs import PairTask
from ..text.translator import Translator
from ..wording import counted
from .command import BadInput, Command
from .decoding import (
    check_sampling_options,
    decoding_of,
    run_of,
    sampling_options,
    search_options,
)
from .keras_import import import_keras
from .named import TEXT_FILE, run_argument
from .output import json_option, print_json

SHOWN = 10  # numbers of lines that a message names


@click.command(
    cls=Command,
    context_settings={"allow_extra_args": True},  # which it names
    examples=(
        "memnets translate runs/toy < sentences.txt",
        "memnets translate runs/toy --input sentences.txt --beam 5",
    ),
)
@run_argument
@click.option(
    "--input",
    "source",
    type=TEXT_FILE,
    default="-",
    help="Text to translate, UTF-8, also gzipped, a sentence in each line [default: -, "
    "standard input].",
)
@search_options("Translations of each line")
@sampling_options
@click.option(
    "--targets",
    type=TEXT_FILE,
    help="Write how probable the translations in this file are instead, in nats.",
)
@click.option("--interactive", is_flag=True, help="Answer each line at once.")
@click.option("--scores", is_flag=True, help="Write score and log-probability first.")
@json_option
def translate(
    run: pathlib.Path,
    source: pathlib.Path,
    beam_size: int | None,
    length_penalty: float | None,
    n_best: int,
    targets: pathlib.Path | None,
    interactive: bool,
    scores: bool,
    as_json: bool,
    **sampling: Any,
) -> None:
    """Translate lines with the network in directory RUN.

    A line comes out for each that goes in, or as many as `--n-best` or `--samples`
    says; an empty line gives an empty line.
    """
    if more := click.get_current_context().args:
        raise BadInput(
            "Sentences are read from standard input, or from a file: "
            f"memnets translate {run} --input FILE. Received: {shorten(more[0])}"
        )
    opened, task = run_of(run, PairTask, "reads one text and writes another")
    searching = {"--beam": beam_size, "--length-penalty": length_penalty}
    check_sampling_options(
        sampling, {**searching, "--n-best": None if n_best == 1 else n_best}
    )
    _check_interactive(interactive, source, targets, as_json)
    several = sampling["samples"] is not None or n_best > 1
    _check_targets(targets, several or scores or as_json, searching)
    check_standard_input_once([source, targets])
    options = decoding_of(task, beam_size, length_penalty, n_best)
    with contextlib.suppress(AttributeError):  # a test may have put another in place
        sys.stdout.reconfigure(encoding="utf-8")  # type: ignore[union-attr]
    if interactive:
        import_keras()
        translator = Translator(opened.load_model(), task, **options)
        _answer_each_line(translator, name_of(source), sampling, scores, n_best)
        return
    lines = _lines(source)
    import_keras()
    translator = Translator(opened.load_model(), task, **options)
    if targets is not None:
        for value in translator.score(lines, _lines(targets)):
            click.echo(f"{value:.4f}")
        return
    with _progress(len(lines) * (sampling["samples"] or 1)) as advance:
        written = _translated(translator, lines, sampling, advance)
    _tell_of_lines(translator)
    if not as_json:
        _write(written, scores, n_best)
        return
    texts = [[dataclasses.asdict(one) for one in best] for best in written]
    drawn = {name: value for name, value in sampling.items() if value is not None}
    print_json(
        {
            "signature": opened.signature_with({} if drawn else options),
            "decoding": drawn or options,
            "translations": texts,
        }
    )


def _answer_each_line(
    translator: Translator,
    name: str,
    sampling: dict[str, Any],
    scores: bool,
    n_best: int,
) -> None:
    """Translates each line of standard input as soon as it is there."""
    for number, data in enumerate(standard_input()):
        lines = lines_of(decoded_utf8(data, name, lines_before=number))
        _write(_translated(translator, lines, sampling), scores, n_best)
        sys.stdout.flush()
        _tell_of_lines(translator, lines_before=number)


def _tell_of_lines(translator: Translator, lines_before: int = 0) -> None:
    """Says which lines were too long for the network, or have words unknown to it."""
    for numbers, one, several in (
        (translator.cut, "was too long and cut", "were too long and cut"),
        (translator.unknown, "has unknown words", "have unknown words"),
    ):
        if not numbers:
            continue
        some = ", ".join(f"{lines_before + number}" for number in numbers[:SHOWN])
        more = " ..." if len(numbers) > SHOWN else ""
        what = one if len(numbers) == 1 else several
        click.echo(f"{counted(len(numbers), 'line')} {what}: {some}{more}", err=True)


def _check_interactive(
    interactive: bool, source: pathlib.Path, targets: pathlib.Path | None, as_json: bool
) -> None:
    if interactive and (
        not is_standard_input(source) or targets is not None or as_json
    ):
        raise BadInput(
            "`--interactive` goes with none of `--input`, `--targets` and `--json`."
        )


def _check_targets(
    targets: pathlib.Path | None, is_written_otherwise: bool, searching: dict[str, Any]
) -> None:
    if targets is None:
        return
    if is_written_otherwise:
        raise BadInput(
            "`--targets` goes with none of `--samples`, `--n-best`, `--scores` and "
            "`--json`."
        )
    for option, value in searching.items():
        if value is not None:
            raise BadInput(f"`{option}` is of a search, not of `--targets`.")


def _lines(path: pathlib.Path) -> list[str]:
    """The lines of a file that may be gzipped; of an empty file none."""
    name = name_of(path)
    data = unzipped(read_bytes(path, name), name, path.suffix == ".gz")
    return lines_of(decoded_utf8(data, name))


def _translated(
    translator: Translator,
    lines: list[str],
    sampling: dict[str, Any],
    advance: Callable[[int], None] = lambda lines: None,
) -> list[list[Hypothesis]]:
    sampling = {name: v for name, v in sampling.items() if v is not None}
    metric, count = sampling.pop("mbr", None), sampling.pop("samples", None)
    if count is None:
        return translator.translate(lines, advance)
    drawn = translator.sample(lines, count, advance=advance, **sampling)
    if metric is None:
        return drawn
    return [[_most_like(samples, metric)] for samples in drawn]


def _most_like(samples: list[Hypothesis], metric: str) -> Hypothesis:
    best = mbr([sample.text for sample in samples], metric)
    return next(sample for sample in samples if sample.text == best)


@contextlib.contextmanager
def _progress(total: int) -> Iterator[Callable[[int], None]]:
    """A bar on standard error, if that is a terminal."""
    import rich.console
    import rich.progress

    console = rich.console.Console(stderr=True)
    if not console.is_terminal:
        yield lambda lines: None
        return
    with rich.progress.Progress(console=console, transient=True) as bar:
        row = bar.add_task("translating", total=total)
        yield lambda lines: bar.advance(row, lines)


def _write(written: list[list[Hypothesis]], scores: bool, n_best: int) -> None:
    """Writes as many lines for each source, also where the search found fewer; of a
    blank source the same empty line again."""
    none = Hypothesis("", [], -math.inf, -math.inf, False)
    # Not `click.echo`, which is slow for many lines.
    for best in written:
        more = best[0] if not best[0].tokens and best[0].ended else none
        for hypothesis in [*best, *[more] * (n_best - len(best))]:
            values = f"{hypothesis.score:.4f}\t{hypothesis.log_prob:.4f}\t"
            sys.stdout.write((values if scores else "") + hypothesis.text + "\n")
