"""What `memnets score --latex` prints."""

import pathlib
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

import click

from ..scoring.corpus import MetricResult
from .latex import latex_text, tabular
from .score_output import NumberFormat, interval_in_brackets

if TYPE_CHECKING:
    from metrics.significance import PairedTest


# Below this probability a difference is marked.
SIGNIFICANT = 0.05
# Below this one papers print no digits.
LEAST_PRINTED = 0.001
STAR = "$^{*}$"

# How papers write the names of metrics. Other names stand as they are.
SPELLINGS = {
    "bleu": "BLEU",
    **{f"bleu-{n}": f"BLEU-{n}" for n in (1, 2, 3)},
    **{f"Bleu_{n}": f"BLEU-{n}" for n in (1, 2, 3, 4)},
    "meteor": "METEOR",
    "meteor-1.5": "METEOR 1.5",
    "meteor-2005": "METEOR (2005)",
    "meteor-nltk": "METEOR (NLTK)",
    **{f"rouge-{n}": f"ROUGE-{n}" for n in (1, 2)},
    "rouge-l": "ROUGE-L",
    "rouge-l-google": "ROUGE-L",
    "rouge-l-coco": "ROUGE-L (COCO)",
    "rouge-lsum": "ROUGE-Lsum",
    "ROUGE_L": "ROUGE-L",
    "cider": "CIDEr",
    "cider-d": "CIDEr-D",
    "chrf": "chrF",
    "chrf++": "chrF++",
    "ter": "TER",
    "wer": "WER",
    "cer": "CER",
    "exact-match": "exact match",
}


def print_latex(
    results: Sequence[MetricResult], files: Sequence[str], write: NumberFormat
) -> None:
    """Prints a table for LaTeX with the package booktabs, a row for each system, and
    below it what its signs mean."""
    arrows = {True: r"$\uparrow$", False: r"$\downarrow$"}
    headings = [
        f"{_spelled(result)} {arrows[result.metric.higher_is_better]}"
        for result in results
    ]
    systems = [latex_text(name) for name in _system_names(files)]
    rows = [
        [name, *(_latex_cell(result, index, write) for result in results)]
        for index, name in enumerate(systems)
    ]
    table = tabular(
        "l" + "r" * len(results),
        ["system", *headings],
        rows,
        notes=_latex_notes(results, systems, STAR in str(rows)),
        comments=[result.scores[0].signature for result in results],
    )
    click.echo(table)


def _latex_notes(
    results: Sequence[MetricResult], systems: Sequence[str], has_stars: bool
) -> Iterator[str]:
    baseline, *others = systems
    if has_stars:
        yield f"{STAR} differs from {baseline}, $p < {SIGNIFICANT}$."
    if tests := results[0].tests:
        values = "; ".join(
            f"{name}: "
            + ", ".join(f"{_spelled(r)} {_latex_p(r.tests[index])}" for r in results)
            for index, name in enumerate(others)
        )
        yield (
            f"Differences to {baseline}: {values} ({tests[0].method}, "
            f"{tests[0].trials} trials, seed {tests[0].seed})."
        )
    if interval := results[0].scores[0].interval:
        yield (
            rf"In brackets: {100 * interval.confidence:g}\% intervals (bootstrap, "
            f"{interval.resamples} resamples, seed {interval.seed})."
        )


def _latex_p(test: "PairedTest") -> str:
    """A p-value as papers have it. The smallest that a test can have says only that it
    is below 1 / trials."""
    if test.p_value < LEAST_PRINTED:
        return f"$p < {LEAST_PRINTED}$"
    return f"$p = {test.p_value:.4f}$"


def _spelled(result: MetricResult) -> str:
    return latex_text(SPELLINGS.get(result.name, result.name))


def _system_names(files: Sequence[str]) -> Sequence[str]:
    """The names of the files, as short as tells them apart."""
    paths = [pathlib.PurePath(file) for file in files]
    for names in ([path.stem for path in paths], [path.name for path in paths]):
        if len(set(names)) == len(files) and all(names):
            return names
    return files


def _latex_cell(result: MetricResult, index: int, write: NumberFormat) -> str:
    score = result.scores[index]
    text = write(score.value)
    if score.interval:
        text += " " + interval_in_brackets(score.interval, write)
    if index and result.tests[index - 1].p_value < SIGNIFICANT:
        text += STAR
    return text
