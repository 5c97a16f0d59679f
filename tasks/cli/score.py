"""The command `memnets score`: text metrics of files. It never imports Keras."""

import contextlib
import dataclasses
import os
import sys
import warnings

import click

from ..scoring.corpus import TESTS, score_corpus
from ..scoring.metrics_package import metrics_module
from ..scoring.text_files import read_corpus
from .command import BadInput, Command, ListOption, NumberOption
from .output import json_option, print_json

METRICS = metrics_module("registry").METRICS


@click.command(cls=Command)
@click.argument("hypotheses", metavar="HYPOTHESES")
@click.argument("references", metavar="REFERENCES...", nargs=-1, required=True)
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
    "--paraphrases",
    metavar="FILE",
    help="METEOR's table of paraphrases, paraphrase-en.gz of pycocoevalcap.",
)
@click.option(
    "--split", metavar="NAME", help="Images to score, of Karpathy's dataset_coco.json."
)
@click.option(
    "--tokenize", metavar="NAME", help="Tokenizer, of the metrics that have a choice."
)
@click.option(
    "--language",
    metavar="CODE",
    help="Language of the texts, such as de, or a pair, en-de: tokens and words of "
    "METEOR, BLEU of Chinese by characters.",
)
@click.option("--lowercase", is_flag=True, help="Ignore case, where there is a choice.")
@click.option(
    "--confidence",
    cls=NumberOption,
    left_out=0.95,
    type=click.FloatRange(0, 1, min_open=True, max_open=True),
    help="Print the interval that holds this share of the bootstrap; alone: 0.95.",
)
@click.option("--paired", metavar="FILE", help="Texts of a system to compare with.")
@click.option(
    "--test",
    type=click.Choice(list(TESTS)),
    help="Test of the difference to --paired [default: bootstrap].",
)
@click.option(
    "--seed",
    type=click.IntRange(0, 2**64 - 1),
    default=12345,
    show_default=True,
    help="Seed of the interval and of the test.",
)
@click.option(
    "--jobs",
    type=click.IntRange(1),
    default=lambda: os.cpu_count() or 1,
    show_default="number of cores",
    help="Processes, for long texts and the metrics that are slow.",
)
@click.option("--segments", is_flag=True, help="Print the score of every segment.")
@json_option
def score(
    hypotheses: str,
    references: tuple[str, ...],
    metrics: tuple[str, ...],
    coco: bool,
    paraphrases: str | None,
    split: str | None,
    tokenize: str | None,
    language: str | None,
    lowercase: bool,
    confidence: float | None,
    paired: str | None,
    test: str | None,
    seed: int,
    jobs: int,
    segments: bool,
    as_json: bool,
) -> None:
    """Score HYPOTHESES, a file with a text a line.

    Each file of REFERENCES holds a reference a line. Files may be gzipped; - is
    standard input. Where REFERENCES is a COCO annotations file (.json), HYPOTHESES is a
    COCO results file; if it has captions of some of the images only, these are scored.
    """
    if test and not paired:
        raise BadInput("`--test` needs another system: `--paired`.")
    if segments and not as_json and (confidence or paired):
        raise BadInput(
            "`--segments` prints no intervals and no tests; with `--json` it does."
        )
    # Names and settings are checked before files that may be long are read.
    registry = metrics_module("registry")
    if coco:
        _check_coco(tokenize, lowercase, language)
        chosen = registry.coco_metrics(paraphrases)
    else:
        settings = _settings(metrics, tokenize, lowercase, language)
        if paraphrases is not None:
            settings["paraphrases"] = paraphrases
        chosen = registry.get_metrics(metrics, **settings)
    corpus = read_corpus(hypotheses, list(references), paired, split)
    _tell_what_is_left_out(hypotheses, corpus)
    if coco:
        _tell_what_coco_lacks(paraphrases)
    with _warnings_in_one_line():
        results = score_corpus(
            chosen,
            corpus,
            confidence=confidence,
            test=test or "bootstrap",
            seed=seed,
            jobs=jobs,
        )
    files = [hypotheses] if paired is None else [hypotheses, paired]
    if as_json:
        report = {"hypotheses": files[0], "references": list(references)}
        print_json(report | _describe(results, files, corpus, segments))
    elif segments:
        _print_segments(results, corpus)
    else:
        _print_scores(results, files)


def _tell_what_is_left_out(hypotheses, corpus):
    if corpus.left_out:
        annotated = len(corpus.names) + corpus.left_out
        click.echo(
            f"Note: `{hypotheses}` has captions of {len(corpus.names):,} of "
            f"{annotated:,} images. The scores are of these.",
            err=True,
        )


def _check_coco(tokenize, lowercase, language):
    context = click.get_current_context()
    source = context.get_parameter_source("metrics")
    given = {
        "--metrics": source != click.core.ParameterSource.DEFAULT,
        "--tokenize": tokenize is not None,
        "--lowercase": lowercase,
        "--language": language is not None,
    }
    for option, is_given in given.items():
        if is_given:
            raise BadInput(f"`{option}` does not go with `--coco`, which sets it.")


def _tell_what_coco_lacks(paraphrases):
    if paraphrases is None:
        click.echo(
            "Note: without `--paraphrases` METEOR is lower than pycocoevalcap's. The "
            "table is meteor/data/paraphrase-en.gz in its package.",
            err=True,
        )
    click.echo("Note: SPICE, which needs Java, is not among the metrics.", err=True)


def _settings(metrics, tokenize, lowercase, language):
    """The settings of the metrics, each of which takes those that it has."""
    settings = {"lowercase": True} if lowercase else {}
    # Of a pair, as of translations, the second is the language of the texts.
    target = language.rpartition("-")[2].lower() if language is not None else None
    if tokenize is None and target == "zh":
        tokenize = "zh"
    if tokenize is not None:
        settings["tokenizer"] = tokenize
    if target is not None and any(name.startswith("meteor") for name in metrics):
        settings["language"] = _meteor_language(language, target)
    return settings


def _meteor_language(language, target):
    constants = metrics_module("meteor.constants")
    target = constants.ALIASES.get(target, target)
    if target in ("zh", "ja", "ko"):
        return "other"
    if target not in constants.LANGUAGES:
        known = ", ".join(constants.LANGUAGES)
        raise BadInput(
            f"`--language` must be one that METEOR knows ({known}), or a pair such as "
            f"en-de. Received: {language}"
        )
    return target


@contextlib.contextmanager
def _warnings_in_one_line():
    with warnings.catch_warnings():
        warnings.showwarning = lambda message, *_: click.echo(
            f"Warning: {message}", err=True
        )
        yield


def _describe(results, files, corpus, segments):
    """Everything that was found, for JSON."""
    described = {}
    for result in results:
        own, *other = (dataclasses.asdict(score) for score in result.scores)
        own["higher_is_better"] = result.metric.higher_is_better
        if result.test:
            [baseline] = other
            test = dataclasses.asdict(result.test) | {
                "difference": result.test.difference
            }
            del test["score"]  # stands above, with its interval
            own["paired"] = test | {"hypotheses": files[1], "baseline": baseline}
        described[result.name] = own
    report = {"num_segments": len(corpus.names), "metrics": described}
    if segments:
        headings, rows = _segment_table(results, corpus)
        report["segments"] = [dict(zip(headings, row, strict=True)) for row in rows]
    return report


def _segment_table(results, corpus):
    """Headings, and a row for each segment: its name, and its scores."""
    headings, columns = ["segment"], [corpus.names]
    for result in results:
        headings += [result.name, f"paired-{result.name}"][: len(result.rows)]
        columns += result.segment_scores()
    return headings, zip(*columns, strict=True)


def _print_segments(results, corpus):
    headings, rows = _segment_table(results, corpus)
    click.echo("\t".join(headings))
    for name, *scores in rows:
        click.echo("\t".join([str(name), *(f"{score:.4f}" for score in scores)]))


def _print_scores(results, files):
    rows = list(_score_rows(results, files))
    if not sys.stdout.isatty():
        for cells in (rows[0], *(row.values() for row in rows)):
            click.echo("\t".join(cells))
        return
    import rich.console
    import rich.table
    import rich.text

    # Below the table: in it a signature would be broken, and could not be copied.
    signatures = dict.fromkeys(row.pop("signature") for row in rows)
    table = rich.table.Table(box=None, pad_edge=False)
    for heading in rows[0]:
        text = heading in ("metric", "hypotheses")
        table.add_column(heading, justify="left" if text else "right")
    for row in rows:
        table.add_row(*map(rich.text.Text, row.values()))
    rich.console.Console().print(table)
    click.echo("\n".join(signatures))


def _score_rows(results, files):
    """A row for each metric and system: texts by heading."""
    for result in results:
        for file, score in zip(files, result.scores, strict=True):
            row = {"metric": result.name}
            if result.test:
                row["hypotheses"] = file
            row["score"] = f"{score.value:.4f}"
            if interval := score.interval:
                heading = f"{100 * interval.confidence:g}% interval"
                row[heading] = f"[{interval.low:.4f}, {interval.high:.4f}]"
            if test := result.test:
                first = score is result.scores[0]
                row["difference"] = f"{test.difference:+.4f}" if first else ""
                row["p-value"] = f"{test.p_value:.4f}" if first else ""
            yield row | {"signature": score.signature}
