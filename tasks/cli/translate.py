"""`memnets translate`: lines of text by a trained network."""

import contextlib
import dataclasses
import math
import pathlib
import sys
from collections.abc import Callable, Iterator
from typing import Any

import click

from ..checks import check_integer
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
from ..runs.directory import open_run
from ..text.hypotheses import Hypothesis
from ..text.mbr import mbr
from ..text.pairs import PairTask
from ..text.translator import Translator, check_sampling
from .command import BadInput, Command
from .decoding import beam_option, decoding_of
from .keras_import import import_keras
from .named import TEXT_FILE, run_argument
from .output import json_option, print_json

SHOWN = 10  # numbers of lines that a message names
# Options of samples, which a search does not take.
OF_SAMPLES = ("temperature", "top_k", "top_p", "seed", "mbr")


@click.command(cls=Command)
@run_argument
@click.option(
    "--input",
    "source",
    type=TEXT_FILE,
    default="-",
    help="Text to translate, UTF-8, also gzipped, a sentence in each line [default: -, "
    "standard input].",
)
@beam_option
@click.option(
    "--length-penalty",
    type=float,
    help="Higher for longer translations [default: that of the run's task].",
)
@click.option(
    "--n-best",
    type=int,
    default=1,
    show_default=True,
    help="Translations of each line, one below the other, best first.",
)
@click.option(
    "--samples",
    type=int,
    help="Draw so many translations of each line instead of searching.",
)
@click.option(
    "--temperature",
    type=float,
    help="Of samples: below 1, probable tokens more often [default: 1].",
)
@click.option(
    "--top-k",
    type=int,
    help="Of samples: only the k most probable tokens.",
)
@click.option(
    "--top-p",
    type=float,
    help="Of samples: only the fewest tokens with this probability together.",
)
@click.option("--seed", type=int, help="Of samples [default: 1].")
@click.option(
    "--mbr",
    help="Of samples: write only the one with the best mean score of this metric, such "
    "as chrf, against the others.",
)
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
    beam: int | None,
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
    opened = open_run(run)
    if not isinstance(opened.task, PairTask):
        raise BadInput(
            "`RUN` must be a run of a task that reads one text and writes another. "
            f"Received: a run of {opened.task.name}"
        )
    searching = {"--beam": beam, "--length-penalty": length_penalty}
    _check_sampling(
        sampling, {**searching, "--n-best": None if n_best == 1 else n_best}
    )
    _check_interactive(interactive, source, targets, as_json)
    several = sampling["samples"] is not None or n_best > 1
    _check_targets(targets, several or scores or as_json, searching)
    check_standard_input_once([source, targets])
    options = decoding_of(opened.task, beam, length_penalty, n_best)
    with contextlib.suppress(AttributeError):  # a test may have put another in place
        sys.stdout.reconfigure(encoding="utf-8")  # type: ignore[union-attr]
    if interactive:
        import_keras()
        translator = Translator(opened.load_model(), opened.task, **options)
        for number, data in enumerate(standard_input()):
            lines = lines_of(decoded_utf8(data, name_of(source), lines_before=number))
            _write(_translated(translator, lines, sampling), scores, n_best)
            sys.stdout.flush()
            _tell_of_cut(translator, lines_before=number)
        return
    lines = _lines(source)
    import_keras()
    translator = Translator(opened.load_model(), opened.task, **options)
    if targets is not None:
        for value in translator.score(lines, _lines(targets)):
            click.echo(f"{value:.4f}")
        return
    with _progress(len(lines) * (sampling["samples"] or 1)) as advance:
        written = _translated(translator, lines, sampling, advance)
    _tell_of_cut(translator)
    if not as_json:
        _write(written, scores, n_best)
        return
    print_json(
        {
            "signature": opened.signature,
            "translations": [
                [dataclasses.asdict(hypothesis) for hypothesis in best]
                for best in written
            ],
        }
    )


def _tell_of_cut(translator: Translator, lines_before: int = 0) -> None:
    """Says which lines were too long for the network."""
    numbers = [f"{lines_before + number}" for number in translator.cut]
    if not numbers:
        return
    shown = ", ".join(numbers[:SHOWN]) + (" ..." if len(numbers) > SHOWN else "")
    lines = "1 line was" if len(numbers) == 1 else f"{len(numbers)} lines were"
    click.echo(f"{lines} too long and cut: {shown}", err=True)


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


def _check_sampling(sampling: dict[str, Any], searching: dict[str, Any]) -> None:
    """Refuses options that do nothing together, and numbers out of their range."""
    for name in OF_SAMPLES:
        if sampling[name] is not None and sampling["samples"] is None:
            raise BadInput(f"`--{name.replace('_', '-')}` needs `--samples`.")
    for option, value in searching.items():
        if sampling["samples"] is not None and value is not None:
            raise BadInput(f"`{option}` is of a search, not of `--samples`.")
    if sampling["mbr"] is not None:
        from ..metrics_package import metrics_package

        try:
            metrics_package().get(sampling["mbr"])
        except ValueError as error:
            raise BadInput(str(error)) from None
    numbers = {name: v for name, v in sampling.items() if v is not None}
    check_integer("samples", numbers.pop("samples", 1))
    numbers.pop("mbr", None)
    check_sampling(**numbers)


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
    """Writes as many lines for each source, also where the search found fewer."""
    none = Hypothesis("", [], -math.inf, -math.inf, False)
    # Not `click.echo`, which is slow for many lines.
    for best in written:
        for hypothesis in [*best, *[none] * (n_best - len(best))]:
            values = f"{hypothesis.score:.4f}\t{hypothesis.log_prob:.4f}\t"
            sys.stdout.write((values if scores else "") + hypothesis.text + "\n")
