"""What `memnets score` prints: a table, LaTeX, JSON, or single numbers."""

import dataclasses
import pathlib
import sys
from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, Any

import click

from ..scoring.corpus import MetricResult
from ..scoring.corpus_of_texts import Corpus
from .output import print_json

if TYPE_CHECKING:
    from metrics import Interval
    from metrics.significance.tests import PairedTest


# Below this probability a difference is marked.
SIGNIFICANT = 0.05
# Below this one papers print no digits.
LEAST_PRINTED = 0.001
STAR = "$^{*}$"


@dataclasses.dataclass(frozen=True)
class NumberFormat:
    """How a score is written.

    Attributes:
        scale: What a score is multiplied by.
        width: Number of digits after the point.
    """

    scale: int = 1
    width: int = 4

    def __call__(self, value: float, sign: str = "") -> str:
        return f"{self.scale * value:{sign}.{self.width}f}"


def print_scores(
    results: Sequence[MetricResult], files: Sequence[str], write: NumberFormat
) -> None:
    """Prints a row for each metric and system: a table in a terminal, columns that tabs
    separate in a pipe."""
    rows = list(_score_rows(results, files, write))
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


def _score_rows(
    results: Sequence[MetricResult], files: Sequence[str], write: NumberFormat
) -> Iterator[dict[str, str]]:
    """A row for each metric and system: texts by heading."""
    for result in results:
        tests = [None, *result.tests]
        for file, score, test in zip(files, result.scores, tests, strict=True):
            row = {"metric": result.name}
            if result.tests:
                row["hypotheses"] = file
            row["score"] = write(score.value)
            if interval := score.interval:
                heading = f"{100 * interval.confidence:g}% interval"
                row[heading] = _interval(interval, write)
            if result.tests:
                row["difference"] = write(test.difference, "+") if test else ""
                row["p-value"] = f"{test.p_value:.4f}" if test else ""
            yield row | {"signature": score.signature}


def _interval(interval: "Interval", write: NumberFormat) -> str:
    return f"[{write(interval.low)}, {write(interval.high)}]"


def print_numbers(
    results: Sequence[MetricResult], files: Sequence[str], write: NumberFormat
) -> None:
    """Prints the scores alone: a line for each system, a number for each metric."""
    for index in range(len(files)):
        click.echo("\t".join(write(r.scores[index].value) for r in results))


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
    lines = [
        rf"\begin{{tabular}}{{l{'r' * len(results)}}}",
        r"\toprule",
        _latex_row(["system", *headings]),
        r"\midrule",
    ]
    systems = [_latex(name) for name in _system_names(files)]
    rows = [
        [_latex_cell(result, index, write) for result in results]
        for index in range(len(files))
    ]
    lines += [_latex_row([name, *row]) for name, row in zip(systems, rows, strict=True)]
    lines += [r"\bottomrule", r"\end{tabular}"]
    notes = list(_latex_notes(results, systems, STAR in str(rows)))
    lines += [rf"\par\smallskip{{\footnotesize {note}\par}}" for note in notes]
    lines += [f"% {result.scores[0].signature}" for result in results]
    click.echo("\n".join(lines))


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
    return _latex(SPELLINGS.get(result.name, result.name))


def _system_names(files: Sequence[str]) -> Sequence[str]:
    """The names of the files, as short as tells them apart."""
    paths = [pathlib.PurePath(file) for file in files]
    for names in ([path.stem for path in paths], [path.name for path in paths]):
        if len(set(names)) == len(files) and all(names):
            return names
    return files


def _latex_row(cells: Iterable[str]) -> str:
    return " & ".join(cells) + r" \\"


def _latex_cell(result: MetricResult, index: int, write: NumberFormat) -> str:
    score = result.scores[index]
    text = write(score.value)
    if score.interval:
        text += " " + _interval(score.interval, write)
    if index and result.tests[index - 1].p_value < SIGNIFICANT:
        text += STAR
    return text


_LATEX = str.maketrans(
    {
        "\\": r"\textbackslash{}",
        "~": r"\textasciitilde{}",
        "^": r"\textasciicircum{}",
        **{character: f"\\{character}" for character in "&%$#_{}"},
        "[": "{[}",  # after a line's end it would begin an option of that
    }
)


def _latex(text: str) -> str:
    return text.translate(_LATEX)


def print_report(
    results: Sequence[MetricResult],
    corpus: Corpus,
    files: Sequence[str],
    references: Sequence[str],
    *,
    segments: bool,
) -> None:
    """Prints everything that was found as JSON."""
    report = {
        "hypotheses": files[0],
        "references": list(references),
        "num_segments": results[0].segments,
        "metrics": _all_described(results, files),
    }
    if segments:
        headings, rows = _segment_table(results, corpus, files)
        report["segments"] = [dict(zip(headings, row, strict=True)) for row in rows]
    print_json(report)


def print_shard_report(
    results: Sequence[MetricResult], shards: Sequence[str], columns: Sequence[str]
) -> None:
    """Prints what was found in shards as JSON."""
    report = {
        "shards": list(shards),
        "num_segments": results[0].segments,
        "metrics": _all_described(results, columns),
    }
    print_json(report)


def _all_described(
    results: Sequence[MetricResult], files: Sequence[str]
) -> dict[str, Any]:
    return {result.name: _described(result, files) for result in results}


def _described(result: MetricResult, files: Sequence[str]) -> dict[str, Any]:
    own, *others = map(dataclasses.asdict, result.scores)
    own["higher_is_better"] = result.metric.higher_is_better
    if result.tests:
        own["paired"] = [
            {"hypotheses": file, **score, **_described_test(test)}
            for file, score, test in zip(files[1:], others, result.tests, strict=True)
        ]
    return own


def _described_test(test: "PairedTest") -> dict[str, Any]:
    return {
        "difference": test.difference,
        "p_value": test.p_value,
        "method": test.method,
        "trials": test.trials,
        "seed": test.seed,
    }


def print_segments(
    results: Sequence[MetricResult],
    corpus: Corpus,
    files: Sequence[str],
    write: NumberFormat,
) -> None:
    """Prints a line for each segment, with a number for each metric."""
    headings, rows = _segment_table(results, corpus, files)
    click.echo("\t".join(headings))
    for name, *scores in rows:
        click.echo("\t".join([str(name), *map(write, scores)]))


def _segment_table(
    results: Sequence[MetricResult], corpus: Corpus, files: Sequence[str]
) -> tuple[list[str], Iterator[tuple]]:
    """Headings, and a row for each segment: its name, and its scores."""
    headings = ["segment"]
    columns: list[Sequence[Any]] = [corpus.names]
    for result in results:
        headings += [result.name, *(f"{result.name}: {file}" for file in files[1:])]
        columns += result.segment_scores()
    return headings, zip(*columns, strict=True)
