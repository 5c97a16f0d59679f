"""Writes docs/results.md and docs/runs.md from the runs under benchmarks/runs.

    python benchmarks/results.py [--keep runs/copy-avx2 ...]

benchmarks/runs/TASK/ROUNDING holds runs of `memnets compare TASK`: `config.json`,
`history.csv` and `summary.json` of each. TASK also names the parameters of the task
that are not its own, as in `priority-sort,num-outputs=20`. `--keep` copies those of a
comparison there, in place of earlier ones of the same models and seeds. A run that has
no `summary.json` did not finish, mostly because it diverged; it is copied too, and
counted as failed. Then tables and pictures are made of all of them.
"""

import dataclasses
import pathlib
import re
import shutil
import statistics
from typing import NamedTuple

import click
import jinja2
from bars import BARS

from tasks.comparison.finished_run import FinishedRun, by_label, read
from tasks.comparison.labels import label_of
from tasks.comparison.page import draw_learning, draw_sizes
from tasks.comparison.rate import interval
from tasks.comparison.table import further_values, median_and_worst, number
from tasks.registry import MODELS, TASKS, get_model
from tasks.runs import Run, RunError, in_use, open_run
from tasks.runs.files import write_history
from tasks.runs.training_config import TrainingConfig

ROOT = pathlib.Path(__file__).parent.parent
RUNS = ROOT / "benchmarks" / "runs"
IMAGES = ROOT / "docs" / "images"
TEMPLATES = pathlib.Path(__file__).parent
# Earlier seeds are those of settings of before, which were chosen on some of them.
FIRST_REPORTED_SEED = 2_001
# Digits of the histories that are kept: all runs together must stay small.
DIGITS = 6


class Group(NamedTuple):
    """The runs of one model on one rounding."""

    label: str
    rounding: str
    finished: list[FinishedRun]
    failed: list[Run]

    @property
    def count(self):
        return len(self.finished) + len(self.failed)


def rounding_of(run):
    """What decides the order in which a run added its numbers."""
    versions = run.versions
    rounding = f"{versions['backend']}-{versions.get('kernel', 'unknown')}"
    return f"{rounding}-{versions['device']}" if "device" in versions else rounding


def name_of(task):
    """The name of a task with the parameters that are not its own."""
    default = dataclasses.asdict(type(task)())
    changed = {
        name: value
        for name, value in dataclasses.asdict(task).items()
        if value != default[name]
    }
    given = (f"{name.replace('_', '-')}={value}" for name, value in changed.items())
    return ",".join([task.name, *given])


def keep(folder, root=RUNS, most_rows=None):
    """Copies the runs of a comparison, also those that failed; of a longer history so
    many rows, and the first that is a success."""
    sources = sorted(path.parent for path in folder.glob("*/history.csv"))
    # Half a run would count as a failure.
    training = [source.name for source in sources if in_use(source)]
    if training:
        raise click.ClickException(
            f"The runs of `{folder}` must have ended. These train: "
            f"{', '.join(training)}"
        )
    for source in sources:
        run = open_run(source)
        rounding = rounding_of(run).lower().replace(" ", "-")
        target = root / name_of(run.task) / rounding / source.name
        shutil.rmtree(target, ignore_errors=True)
        target.mkdir(parents=True)
        for name in ("config.json", "summary.json"):
            if (source / name).exists():
                shutil.copyfile(source / name, target / name)
        rows = thinned(list(run.read_history()), run.task.success, most_rows)
        rows = [shortened(row, run.task.success) for row in rows]
        write_history(target / "history.csv", rows)


def thinned(rows, success, most):
    """At most so many rows, evenly, and the first that is a success."""
    if most is None or len(rows) <= most:
        return rows
    places = {round(n * (len(rows) - 1) / (most - 1)) for n in range(most)}
    if success is not None:
        reached = (n for n, row in enumerate(rows) if success.reached(row))
        places |= {next(reached, len(rows) - 1)}
    return [rows[place] for place in sorted(places)]


def shortened(row, success):
    """An epoch with fewer digits, unless they decide whether it is a success."""
    short = {name: float(f"{value:.{DIGITS}g}") for name, value in row.items()}
    same = success is None or success.reached(short) == success.reached(row)
    return short if same else row


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
        key: Group(*key, [], []) for key in sorted(map(_key, map(open_run, paths)))
    }
    for run in finished:
        groups[_key(run.run)].finished.append(run)
    for run in failed:
        groups[_key(run)].failed.append(run)
    return list(groups.values())


def _key(run):
    return label_of(run.model, run.task), rounding_of(run)


def describe(folder):
    """What the templates say of a task, and its pictures drawn."""
    groups = groups_of(folder)
    runs = [run for group in groups for run in group.finished]
    task = runs[0].run.task
    versions = {", ".join(f"{k} {v}" for k, v in r.run.versions.items()) for r in runs}
    published = published_table(runs)
    return {
        "name": folder.name,
        "bound": f"{task.success} over an epoch" if task.success else "no bound",
        "earlier": min(r.run.training.seed for r in runs) < FIRST_REPORTED_SEED,
        "cores": ", ".join(sorted({str(r.summary["cores"]) for r in runs})),
        "curriculum": ", ".join(
            sorted({r.label for r in runs if r.run.training.curriculum})
        ),
        "changed": "; ".join(changes_since(runs)),
        "failed": ", ".join(_failure(run) for group in groups for run in group.failed),
        "rates": markdown(table_of_rates(groups, BARS[folder.name])),
        "times": markdown(table_of_times(groups)),
        "published": markdown(published) if published[1:] else "",
        "source": task.published.source if task.published else "",
        "sizes": markdown(table_of_sizes(runs)),
        "each": markdown(table_of_each(runs)),
        "pictures": pictures(task, runs),
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


def pictures(task, runs):
    """Draws the pictures of a task: their files, and what each shows."""
    drawn = []
    for kind, draw, text in (
        ("learning", draw_learning, "Learning curves"),
        ("sizes", draw_sizes, "Errors against the size of the sequences"),
    ):
        name = f"results-{re.sub('[,=]', '-', name_of(task))}-{kind}.png"
        draw(runs).savefig(IMAGES / name, dpi=100)
        drawn.append((name, f"{text}, {name_of(task)}"))
    return drawn


def _failure(run):
    history = run.read_history()
    after = f"{history.rows[-1]['sequences']:,.0f}" if history else "0"
    return f"{run.path.parent.name}/{run.path.name}, after {after} sequences"


def table_of_rates(groups, bars):
    """A row a model and rounding, and one a model: how many runs reach each bar, of all
    that were begun; headings first."""
    rows = [["model", "rounding", "runs", *(bar.text for bar in bars)]]
    for label in dict.fromkeys(group.label for group in groups):
        own = [group for group in groups if group.label == label]
        pooled = Group(
            label,
            "all",
            [run for group in own for run in group.finished],
            [run for group in own for run in group.failed],
        )
        for group in own if len(own) == 1 else [*own, pooled]:
            reached = [sum(map(bar.reached, group.finished)) for bar in bars]
            rows.append(
                [label, group.rounding, str(group.count)]
                + [rate(successes, group.count) for successes in reached]
            )
    return rows


def rate(successes, count):
    """A number of runs with the 95% interval of the rate."""
    low, high = (f"{100 * bound:.0f}" for bound in interval(successes, count))
    return f"{successes} ({low} to {high}%)"


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
    task = runs[0].run.task
    rows = [["model", "weights", "sequences", "bits", "size"]]
    if task.published is None:
        return rows
    for model, count in task.published.weights.items():
        weights = f"{count:,}"
        for seen, value in task.published.learning.get(model, [])[-1:]:
            rows.append([model, weights, f"{seen:,}", f"{value:g}", ""])
        for size, value in task.published.sizes.get(model, {}).items():
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
        headings += [task.column(name).label, "worst"]
    rows = [headings + ([task.column(best).label] if has_best else [])]
    for label, own in by_label(runs).items():
        for place, size in enumerate(own[0].sizes):
            row = [label, size]
            for name in names:
                column = task.column(name)
                values = [run.results[place].values[name] for run in own]
                pair = median_and_worst(
                    values, higher_is_better=column.higher_is_better
                )
                row += [number(value, column.form) for value in pair]
            if has_best:
                value = own[0].results[place].values[best]
                row.append(number(value, task.column(best).form))
            rows.append(row)
    return rows


def table_of_each(runs):
    """A row a run; headings first."""
    task, name = runs[0].run.task, runs[0].headline
    column = task.column(name)
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


def markdown(table):
    """Rows of cells as a table, the first column to the left; headings first."""
    headings, *rows = table
    lines = [headings, ["---"] + ["---:"] * (len(headings) - 1), *rows]
    return "\n".join(f"| {' | '.join(cells)} |" for cells in lines)


@click.command()
@click.option(
    "--keep",
    "comparisons",
    multiple=True,
    type=click.Path(path_type=pathlib.Path, exists=True),
    help="Directory of a comparison whose runs to copy.",
)
def main(comparisons):
    """Write docs/results.md and docs/runs.md."""
    try:
        for folder in comparisons:
            keep(folder)
        folders = [f for name in TASKS for f in sorted(RUNS.glob(f"{name}*"))]
        described = [describe(folder) for folder in folders]
    except RunError as error:
        raise click.ClickException(str(error)) from error
    environment = jinja2.Environment(
        loader=jinja2.FileSystemLoader(TEMPLATES),
        undefined=jinja2.StrictUndefined,
        autoescape=False,
    )
    for name in ("results.md", "runs.md"):
        page = environment.get_template(f"{name}.jinja").render(tasks=described)
        (ROOT / "docs" / name).write_text(page.rstrip() + "\n", encoding="utf-8")
    names = ", ".join(folder.name for folder in folders)
    click.echo(f"docs/results.md, docs/runs.md: {names}")


if __name__ == "__main__":
    main()
