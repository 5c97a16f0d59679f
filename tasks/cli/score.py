"""The command `memnets score`: text metrics of files. It never imports Keras."""

import dataclasses
import os
from collections.abc import Sequence
from typing import Any

import click

from ..plain_text import has_suffix
from ..scoring.corpus import TESTS, MetricResult, score_corpus
from ..scoring.shard_files import (
    are_shards,
    check_first_columns,
    first_line,
    ordered,
)
from ..scoring.text_files import read_corpus
from ..scoring.wmt_files import SUFFIXES
from . import score_latex, score_output, score_shards
from .asked_metrics import metrics_of, metrics_of_segments
from .command import Command, ListOption, NumberOption
from .metric_names import METRICS, MetricName, check_files
from .metric_options import (
    METRIC_OPTIONS,
    as_options,
    metric_options,
    options_named,
)
from .output import warnings_in_one_line
from .score_notes import (
    in_words_of,
    tell,
    tell_of_coco,
    tell_of_few_segments,
    tell_of_shards,
)
from .score_options import ScoreOptions


@click.command(
    cls=Command,
    examples=(
        "memnets score hypotheses.txt references.txt",
        "memnets score a.txt references.txt --metrics bleu meteor chrf",
        "memnets score a.txt references.txt --paired b.txt",
    ),
)
@click.argument("hypotheses", metavar="HYPOTHESES")
@click.argument("references", metavar="REFERENCES...", nargs=-1)
@click.option(
    "--metrics",
    cls=ListOption,
    takes=lambda word: word.lower() in METRICS,
    type=MetricName(),
    default=["bleu"],
    show_default=True,
    metavar="NAME...",
    help=f"One or several of {', '.join(METRICS)}.",
)
@click.option(
    "--coco",
    is_flag=True,
    help="The metrics of image captions, as pycocoevalcap has them but SPICE.",
)
@click.option(
    "--language",
    metavar="CODE",
    help="Language of the texts, such as de, or a pair, en-de. METEOR uses its words "
    "(other: any other language), and Chinese, Japanese and Korean have tokenizers of "
    "their own.",
)
@metric_options
@click.option(
    "--split", metavar="NAME", help="Images to score, of Karpathy's dataset_coco.json."
)
@click.option(
    "--num-refs",
    type=click.IntRange(1),
    help="Number of references in a line of REFERENCES, with tabs between them.",
)
@click.option(
    "--translators",
    cls=ListOption,
    takes=lambda word: not word.startswith("-"),
    metavar="NAME...",
    help="References to use, of WMT's XML or SGML, by the names of their translators; "
    "all by default. Stands after the files.",
)
@click.option(
    "--paired",
    cls=ListOption,
    takes=lambda word: word == "-" or not word.startswith("-"),
    metavar="FILE...",
    help="Texts of other systems: their scores, and tests of their differences to "
    "HYPOTHESES. Stands after the files.",
)
@click.option(
    "--systems",
    type=click.IntRange(1),
    help="Shards: columns of texts to score, before those of references; differences "
    "to the first are tested [default: 1].",
)
@click.option(
    "--scheduler",
    metavar="ADDRESS",
    help="Shards: count them on the workers of a Dask scheduler, tcp://HOST:PORT.",
)
@click.option(
    "--test",
    type=click.Choice(list(TESTS)),
    help="Test of the differences [default: bootstrap].",
)
@click.option(
    "--confidence",
    cls=NumberOption,
    left_out=0.95,
    type=click.FloatRange(0, 1, min_open=True, max_open=True),
    help="Print the interval that holds this share of the bootstrap; alone: 0.95.",
)
@click.option(
    "--resamples",
    type=click.IntRange(1, 1_000_000),
    help="Corpora that the interval and the test draw; the smallest p-value is 1 / "
    "(this + 1) [default: 1000; of randomization 10000].",
)
@click.option(
    "--seed",
    type=click.IntRange(0, 2**64 - 1),
    help="Seed of the interval and of the test [default: 12345].",
)
@click.option(
    "--jobs",
    type=click.IntRange(1),
    default=lambda: os.cpu_count() or 1,
    show_default="number of cores",
    help="Processes, for shards, and for long texts and the metrics that are slow.",
)
@click.option("--segments", is_flag=True, help="Print the score of every segment.")
@click.option(
    "--scale",
    type=click.Choice(["1", "100"]),
    help="What scores are multiplied by [default: 1].",
)
@click.option(
    "--width",
    type=click.IntRange(0, 15),
    help="Digits after the point [default: 4; of scale 100: 2].",
)
@click.option("--score-only", is_flag=True, help="Print the numbers alone.")
@click.option(
    "--latex",
    is_flag=True,
    help="Print a table for LaTeX, with booktabs; p-values stand below it.",
)
@click.option(
    "--json",
    "as_json",
    is_flag=True,
    help='Print JSON; "Files for memnets score" in the documentation describes it.',
)
def score(
    hypotheses: str,
    references: tuple[str, ...],
    paired: tuple[str, ...],
    translators: tuple[str, ...],
    num_refs: int | None,
    systems: int | None,
    scheduler: str | None,
    **given: Any,
) -> None:
    """Score HYPOTHESES, a file with a text a line.

    Each file of REFERENCES holds a reference a line. Files may be gzipped; - is
    standard input. Where REFERENCES is a COCO annotations file (.json), HYPOTHESES is a
    COCO results file; if it has captions of some of the images only, these are scored.
    Test sets of WMT (SGML or XML) are read as the texts of their segments.

    Shards, for a corpus of any size: files .tsv or .tsv.gz alone, whose lines hold a
    hypothesis and its references between tabs.
    """
    settings = {o.parameter: given.pop(o.parameter) for o in METRIC_OPTIONS}
    options = ScoreOptions(settings=settings, **given)
    files = [hypotheses, *references]
    context = click.get_current_context()
    if context.get_parameter_source("metrics") != click.core.ParameterSource.DEFAULT:
        check_files(files)
    if systems or scheduler or (num_refs is None and are_shards(files)):
        score_shards.check_options(
            {
                "--paired": paired,
                "--num-refs": num_refs,
                "--translators": translators,
                "--split": options.split,
                "--segments": options.segments,
            }
        )
        _score_shards(files, systems, scheduler, options)
        return
    if not references:
        raise click.MissingParameter(
            "`--paired` took the words after it: it stands after the arguments."
            if paired
            else None,
            param_hint="'REFERENCES...'",
            param_type="argument",
        )
    files = [hypotheses, *paired]
    _score_files(files, list(references), num_refs, translators, options)


def _score_files(
    systems: list[str],
    references: list[str],
    num_refs: int | None,
    translators: tuple[str, ...],
    options: ScoreOptions,
) -> None:
    # A test set of WMT may have several systems.
    several = len(systems) > 1 or has_suffix(systems[0], *SUFFIXES)
    options.check(several, "--paired")
    # Names and settings are checked before files that may be long are read.
    with warnings_in_one_line(as_options):
        chosen = metrics_of(options)
    with options_named():
        corpus = read_corpus(
            systems,
            references,
            split=options.split,
            num_refs=num_refs,
            translators=translators,
        )
    files = list(corpus.files)
    tell(corpus, chosen, options)
    with warnings_in_one_line(in_words_of(options)):
        results = score_corpus(chosen, corpus, **options.arguments())
    if options.segments:
        own = metrics_of_segments(options)
        results = [dataclasses.replace(r, of_segments=own.get(r.name)) for r in results]
    tell_of_coco(options)
    tell_of_few_segments(results)
    if options.as_json:
        score_output.print_report(
            results, corpus, files, references, segments=options.segments
        )
    elif options.segments:
        write = options.number_format()
        score_output.print_segments(results, corpus, files, write)
    else:
        _print(results, files, options)


def _score_shards(
    shards: list[str], systems: int | None, scheduler: str | None, options: ScoreOptions
) -> None:
    is_told, systems = systems is not None, systems or 1
    options.check(systems > 1, "--systems")
    if not is_told:
        check_first_columns(ordered(shards))
    with warnings_in_one_line(as_options):
        results = score_shards.scored(
            metrics_of(options),
            shards,
            systems=systems,
            scheduler=scheduler,
            **options.arguments(),
        )
    if not is_told:
        tell_of_shards(shards, len(first_line(shards[0])))
    tell_of_few_segments(results)
    columns = [f"column {number + 1}" for number in range(systems)]
    if options.as_json:
        score_output.print_shard_report(results, shards, columns)
    else:
        _print(results, columns, options)


def _print(
    results: Sequence[MetricResult], files: Sequence[str], options: ScoreOptions
) -> None:
    write = options.number_format()
    if options.score_only:
        score_output.print_numbers(results, files, write)
    elif options.latex:
        score_latex.print_latex(results, files, write)
    else:
        score_output.print_scores(results, files, write)
