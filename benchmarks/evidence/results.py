"""The pages of results and their pictures, from the kept runs of `memnets compare`.

`pages.py` writes them. `runs_page` is the text of the page that lists every run, which
is made when the site is built.
"""

import dataclasses
import re
import statistics
from typing import NamedTuple

import click
from bars import BARS
from packs import name_of, rounding_of, unpacked
from pages import markdown, rate, text_of
from side_by_side import kept_rows, pictured, section

from tasks.comparison.finished_run import FinishedRun, by_label, read
from tasks.comparison.labels import label_of
from tasks.comparison.page import draw_comparison
from tasks.comparison.table import further_values, median_and_worst, number
from tasks.registry import MODELS, TASKS, get_model
from tasks.runs import open_run
from tasks.training_options.training_config import TrainingConfig

# Earlier seeds are those of settings of before, which were chosen on some of them.
FIRST_REPORTED_SEED = 2_001


class Group(NamedTuple):
    """The runs of one model on one rounding; of failed ones, by seed a text."""

    label: str
    rounding: str
    finished: list[FinishedRun]
    failed: dict[int, str]

    @property
    def count(self):
        return len(self.finished) + len(self.failed)

    @property
    def failed_seeds(self):
        return set(self.failed)

    @property
    def seeds(self):
        return {run.run.training.seed for run in self.finished} | self.failed_seeds


def groups_of(folder):
    """All runs of a task, by model and rounding."""
    paths = sorted(path.parent for path in folder.glob("*/*/config.json"))
    finished = [read(path) for path in paths if (path / "summary.json").exists()]
    failed = [open_run(p) for p in paths if not (p / "summary.json").exists()]
    if not finished:
        raise click.ClickException(f"`{folder}` holds no finished run.")
    for run in finished:
        if run.sizes != finished[0].sizes:
            raise click.ClickException(
                f"`{run.run.path}` was evaluated on {run.sizes}, "
                f"`{finished[0].run.path}` on {finished[0].sizes}: evaluate it again "
                "with memnets compare."
            )
    finished.sort(key=lambda run: run.run.training.seed)
    groups = {
        key: Group(*key, [], {}) for key in sorted(map(_key, map(open_run, paths)))
    }
    for run in finished:
        groups[_key(run.run)].finished.append(run)
    for run in failed:
        groups[_key(run)].failed[run.training.seed] = _failure(run)
    return list(groups.values())


def _key(run):
    return label_of(run.model, run.task), rounding_of(run)


def _failure(run):
    history = run.read_history()
    after = f"{history.rows[-1]['sequences']:,.0f}" if history else "0"
    return f"{run.path.parent.name}/{run.path.name}, after {after} sequences"


def kept_groups():
    """The kept runs of each task: its name, and their groups."""
    with unpacked() as kept:
        folders = [path for name in TASKS for path in sorted(kept.glob(f"{name}*"))]
        return {folder.name: groups_of(folder) for folder in folders}


def results_pages(kept):
    """The texts of the pages of results, by their files."""
    described = [describe(name, groups) for name, groups in kept.items()]
    return {
        "docs/results.md": text_of("results.md", tasks=described),
        "docs/results_by_size.md": text_of("results_by_size.md", tasks=described),
        "docs/networks.md": text_of("networks.md", **section(kept_rows(kept))),
    }


def draw_pictures(kept):
    """The pictures of these pages, each with its file's name."""
    rows = kept_rows(kept)
    for name, groups in kept.items():
        if name in rows:
            runs = pictured(rows[name])
        else:
            runs = by_label(finished_of(groups))
        yield picture_of(finished_of(groups)[0].run.task), draw_comparison(runs)


def runs_page(kept):
    """The text of the page that lists every run."""
    described = [
        {
            "name": name,
            "failed": failures(groups),
            "each": markdown(table_of_each(finished_of(groups))),
        }
        for name, groups in kept.items()
    ]
    return text_of("runs.md", tasks=described)


def finished_of(groups):
    """The finished runs of a task."""
    return [run for group in groups for run in group.finished]


def failures(groups):
    """The runs of a task that failed."""
    return ", ".join(text for group in groups for text in group.failed.values())


def describe(name, groups):
    """What the results page says of a task."""
    runs = finished_of(groups)
    task = runs[0].run.task
    versions = {", ".join(f"{k} {v}" for k, v in r.run.versions.items()) for r in runs}
    published = published_table(runs)
    return {
        "name": name,
        "bound": f"{task.success} over an epoch" if task.success else "no bound",
        "earlier": min(r.run.training.seed for r in runs) < FIRST_REPORTED_SEED,
        "cores": ", ".join(sorted({str(r.summary["cores"]) for r in runs})),
        "curriculum": ", ".join(
            sorted({r.label for r in runs if r.run.training.curriculum})
        ),
        "changed": "; ".join(changes_since(runs)),
        "failed": failures(groups),
        "rates": markdown(table_of_rates(groups, BARS[name])),
        "times": markdown(table_of_times(groups)),
        "published": markdown(published) if published[1:] else "",
        "source": runs[0].published.source if runs[0].published else "",
        "sizes": markdown(table_of_sizes(runs)),
        "picture": picture_of(task),
        "signature": task.signature,
        "versions": "; ".join(sorted(versions)),
    }


def changes_since(runs):
    """For each model whose recipe was changed after its runs, what is other today."""
    for label, own in by_label(runs).items():
        run, task = own[0].run, own[0].run.task
        if label not in MODELS:
            continue
        model = get_model(label, task)
        config = TrainingConfig(seed=run.training.seed).resolved(task, model)
        today = {**dataclasses.asdict(config), **model.parameters}
        then = {**dataclasses.asdict(run.training), **run.model.parameters}
        changed = [
            f"{name} {_plain(value)} (was {_plain(then.get(name))})"
            for name, value in today.items()
            # Whether XLA compiles a step is about its speed.
            if name != "jit_compile" and value != then.get(name)
        ]
        if changed:
            yield f"{label}: {', '.join(changed)}"


def _plain(value):
    return "none" if value is None else f"{value:,}" if type(value) is int else value


def picture_of(task):
    """The file of the picture of a task."""
    return f"results-{re.sub('[,=]', '-', name_of(task))}.png"


def table_of_rates(groups, bars):
    """A row a model and rounding, and one a model: how many runs reach each bar, of all
    that are kept; headings first.

    The row of all roundings counts seeds, not runs: two runs of a seed begin with the
    same weights and see the same data. A seed has reached what all of its runs have.
    """
    rows = [["model", "rounding", "runs", *(bar.text for bar in bars)]]
    for label in dict.fromkeys(group.label for group in groups):
        own = [group for group in groups if group.label == label]
        for group in own:
            reached = [sum(map(bar.reached, group.finished)) for bar in bars]
            rows.append(
                [label, group.rounding, str(group.count)]
                + [rate(successes, group.count) for successes in reached]
            )
        if len(own) > 1:
            seeds = set().union(*(group.seeds for group in own))
            reached = [len(seeds - seeds_below(own, bar)) for bar in bars]
            rows.append(
                [label, "all", f"{len(seeds)} seeds"]
                + [rate(successes, len(seeds)) for successes in reached]
            )
    return rows


def seeds_below(groups, bar):
    """The seeds that have a run which failed or is below a bar."""
    below = {
        run.run.training.seed
        for group in groups
        for run in group.finished
        if not bar.reached(run)
    }
    return below.union(*(group.failed_seeds for group in groups))


def table_of_times(groups):
    """A row a model and rounding: when the task was solved, and at what cost; headings
    first."""
    headings = ["model", "rounding", "weights"]
    for measure in ("solved after", "seconds", "settled"):
        headings += [measure, "worst"]
    rows = [[*headings, "seconds in all", "seconds to start"]]
    for group in groups:
        own = group.finished
        if not own:
            continue  # all have failed
        row = [group.label, group.rounding, f"{own[0].summary['weights']:,}"]
        for values in (
            [run.solved_at for run in own],
            [run.seconds_to_solve for run in own],
            [run.settled_at for run in own],
        ):
            row += [number(value, ",.0f") for value in median_and_worst(values)]
        for name in ("seconds", "startup_seconds"):
            middle = statistics.median(run.summary[name] for run in own)
            row.append(number(middle, ",.0f"))
        rows.append(row)
    return rows


def published_table(runs):
    """A row a model: what the paper has; headings first."""
    paper = runs[0].published
    rows = [["model", "weights", "sequences", "bits", "size"]]
    if paper is None:
        return rows
    for model, count in paper.weights.items():
        weights = f"{count:,}"
        for seen, value in paper.learning.get(model, [])[-1:]:
            rows.append([model, weights, f"{seen:,}", f"{value:g}", ""])
        for size, value in paper.sizes.get(model, {}).items():
            rows.append([model, weights, "", f"{value:g}", size])
    # A column that is empty in every row says nothing.
    kept = [n for n, _ in enumerate(rows[0]) if any(row[n] for row in rows[1:])]
    return [[row[n] for n in kept] for row in rows]


def table_of_sizes(runs):
    """A row a model and size, the median and the worst of each value; headings
    first."""
    task = runs[0].run.task
    names = [runs[0].headline, *further_values(runs[0])]
    best = f"best_{runs[0].headline}"
    has_best = best in runs[0].results[0].values
    headings = ["model", "size"]
    for name in names:
        headings += [task.presentation.column(name).label, "worst"]
    rows = [headings + ([task.presentation.column(best).label] if has_best else [])]
    for label, own in by_label(runs).items():
        for place, size in enumerate(own[0].sizes):
            row = [label, size]
            for name in names:
                column = task.presentation.column(name)
                values = [run.results[place].values[name] for run in own]
                pair = median_and_worst(
                    values, higher_is_better=column.higher_is_better
                )
                row += [number(value, column.form) for value in pair]
            if has_best:
                value = own[0].results[place].values[best]
                row.append(number(value, task.presentation.column(best).form))
            rows.append(row)
    return rows


def table_of_each(runs):
    """A row a run; headings first."""
    task, name = runs[0].run.task, runs[0].headline
    column = task.presentation.column(name)
    headings = ["model", "rounding", "seed", "solved", "settled", "no error", "last"]
    rows = [headings + [f"{column.label} at {size}" for size in runs[0].sizes]]
    for run in runs:
        flawless = [r["sequences"] for r in run.history if r["bit_errors"] == 0]
        reached = (run.solved_at, run.settled_at, next(iter(flawless), None))
        row = [run.label, rounding_of(run.run), str(run.run.training.seed)]
        row += [number(n, ",.0f") for n in reached]
        row.append(f"{run.history.final['bit_errors']:.4f}")
        row += [number(result.values[name], column.form) for result in run.results]
        rows.append(row)
    return rows
