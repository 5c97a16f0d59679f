"""The command `memnets score`: text metrics of files. It never imports Keras."""

import os
from typing import Any

import click

from ..plain_text import has_suffix
from ..scoring.corpus import TESTS, score_corpus
from ..scoring.shard_files import (
    are_shards,
    check_first_columns,
    first_line,
    ordered,
)
from ..scoring.text_files import read_corpus
from ..scoring.wmt_files import SUFFIXES
from . import score_output, score_shards
from .asked_metrics import metrics_of
from .command import BadInput, Command, ListOption, NumberOption
from .metric_options import METRICS, as_options, metric_options, options_named
from .output import json_option, warnings_in_one_line
from .score_notes import tell, tell_of_few_segments, tell_of_shards

SEED = 12345
# Digits after the point that are printed, by the scale.
WIDTHS = {1: 4, 100: 2}


@click.command(cls=Command)
@click.argument("hypotheses", metavar="HYPOTHESES")
@click.argument("references", metavar="REFERENCES...", nargs=-1)
@click.option(
    "--metrics",
    cls=ListOption,
    takes=lambda word: word in METRICS,
    type=click.Choice(list(METRICS)),
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
    help="Language of the texts, such as de, or a pair, en-de. METEOR uses its words, "
    "and Chinese, Japanese and Korean have tokenizers of their own.",
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
    help="Corpora that the interval and the test draw [default: 1000; of "
    "randomization 10000].",
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
@click.option("--latex", is_flag=True, help="Print a table for LaTeX, with booktabs.")
@json_option
def score(
    hypotheses: str,
    references: tuple[str, ...],
    paired: tuple[str, ...],
    translators: tuple[str, ...],
    num_refs: int | None,
    systems: int | None,
    scheduler: str | None,
    **options: Any,
) -> None:
    """Score HYPOTHESES, a file with a text a line.

    Each file of REFERENCES holds a reference a line. Files may be gzipped; - is
    standard input. Where REFERENCES is a COCO annotations file (.json), HYPOTHESES is a
    COCO results file; if it has captions of some of the images only, these are scored.
    Test sets of WMT (SGML or XML) are read as the texts of their segments.

    Shards, for a corpus of any size: files .tsv or .tsv.gz alone, whose lines hold a
    hypothesis and its references between tabs.
    """
    files = [hypotheses, *references]
    if systems or scheduler or (num_refs is None and are_shards(files)):
        score_shards.check_options(
            {
                "--paired": paired,
                "--num-refs": num_refs,
                "--translators": translators,
                "--split": options["split"],
                "--segments": options["segments"],
            }
        )
        _score_shards(files, systems, scheduler, **options)
        return
    if not references:
        raise click.MissingParameter(
            param_hint="'REFERENCES...'", param_type="argument"
        )
    files = [hypotheses, *paired]
    _score_files(files, list(references), num_refs, translators, **options)


def _score_files(systems, references, num_refs, translators, **options):
    # A test set of WMT may have several systems.
    several = len(systems) > 1 or has_suffix(systems[0], *SUFFIXES)
    _check_options(several, "--paired", **options)
    # Names and settings are checked before files that may be long are read.
    chosen = metrics_of(**options)
    with options_named():
        corpus = read_corpus(
            systems,
            references,
            split=options["split"],
            num_refs=num_refs,
            translators=translators,
        )
    files = list(corpus.files)
    tell(corpus, chosen, **options)
    with warnings_in_one_line(as_options):
        results = score_corpus(
            chosen,
            corpus,
            confidence=options["confidence"],
            test=options["test"] or "bootstrap",
            resamples=options["resamples"],
            seed=SEED if options["seed"] is None else options["seed"],
            jobs=options["jobs"],
        )
    tell_of_few_segments(results)
    if options["as_json"]:
        score_output.print_report(
            results, corpus, files, references, segments=options["segments"]
        )
    elif options["segments"]:
        write = _number_format(options["scale"], options["width"])
        score_output.print_segments(results, corpus, files, write)
    else:
        _print(results, files, **options)


def _score_shards(shards, systems, scheduler, **options):
    is_told, systems = systems is not None, systems or 1
    _check_options(systems > 1, "--systems", **options)
    if not is_told:
        check_first_columns(ordered(shards))
    names = ("test", "confidence", "resamples", "jobs")
    with warnings_in_one_line(as_options):
        results = score_shards.scored(
            metrics_of(**options),
            shards,
            systems=systems,
            scheduler=scheduler,
            seed=SEED if options["seed"] is None else options["seed"],
            **{name: options[name] for name in names},
        )
    if not is_told:
        tell_of_shards(shards, len(first_line(shards[0])))
    tell_of_few_segments(results)
    columns = [f"column {number + 1}" for number in range(systems)]
    if options["as_json"]:
        score_output.print_shard_report(results, shards, columns)
    else:
        _print(results, columns, **options)


def _print(results, files, *, scale, width, score_only, latex, **options):
    write = _number_format(scale, width)
    if score_only:
        score_output.print_numbers(results, files, write)
    elif latex:
        score_output.print_latex(results, files, write)
    else:
        score_output.print_scores(results, files, write)


def _number_format(scale, width):
    factor = int(scale or 1)
    return score_output.NumberFormat(factor, WIDTHS[factor] if width is None else width)


def _check_options(
    paired,
    option_of_pairs,
    *,
    test,
    confidence,
    resamples,
    segments,
    as_json,
    **options,
):
    """Raises `BadInput` for options that do not go together."""
    if test and not paired:
        raise BadInput(f"`--test` needs another system: `{option_of_pairs}`.")
    for option, value in {"--resamples": resamples, "--seed": options["seed"]}.items():
        if value is not None and not (paired or confidence):
            raise BadInput(f"`{option}` needs `--confidence` or `{option_of_pairs}`.")
    if segments and not as_json and (confidence or paired):
        raise BadInput(
            "`--segments` prints no intervals and no tests; with `--json` it does."
        )
    if options["score_only"] and (confidence or test):
        raise BadInput("`--score-only` prints no intervals and no tests.")
    forms = {
        "--segments": segments and not as_json,
        "--score-only": options["score_only"],
        "--latex": options["latex"],
        "--json": as_json,
    }
    given = [option for option, is_given in forms.items() if is_given]
    if len(given) > 1:
        raise BadInput(f"`{given[0]}` does not go with `{given[1]}`.")
    for option in ("scale", "width"):
        if as_json and options[option] is not None:
            raise BadInput(
                f"`--{option}` does not go with `--json`, which has all digits."
            )
