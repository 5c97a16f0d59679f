"""Writes docs/results.md from the runs under benchmarks/runs.

    python benchmarks/results.py [--keep runs/compare-copy ...]

benchmarks/runs/TASK holds the runs of `memnets compare TASK`: `config.json`,
`history.csv` and `summary.json` of each. `--keep` copies those of a comparison there,
in place of earlier ones of the same models and seeds. A run that has no `summary.json`
did not finish, mostly because it diverged; it is copied too, and listed as failed. Then
tables and pictures are made of all of them.
"""

import pathlib
import shutil

import click
import jinja2

from tasks.comparison.finished_run import by_label, read
from tasks.comparison.page import draw_learning, draw_sizes
from tasks.comparison.table import further_values, median_and_worst, number
from tasks.registry import TASKS
from tasks.runs import RunError, open_run

ROOT = pathlib.Path(__file__).parent.parent
RUNS = ROOT / "benchmarks" / "runs"
IMAGES = ROOT / "docs" / "images"
FILES = ("config.json", "history.csv", "summary.json")
TEMPLATE = """\
# Results

Written by `python benchmarks/results.py` from the runs under `benchmarks/runs`.

- Each run is `memnets train TASK --model MODEL --seed S` with default settings; its
  `config.json` names every value.
- Models of one table saw the same sequences in the same order, seed by seed, unless
  the page says that one has a curriculum.
- Numbers are the median over the seeds, and *worst* is the worst seed. Each run is in
  a table of its own.
- *Solved* is the first epoch, mostly of 1,600 sequences, beyond the bound named with
  the table. After *settled*, every epoch to the end was. Both are in sequences.
- *Seconds* are those of training until solved, without the start-up.
- Values by size are those of the network at the end, on fresh sequences of the task.
- The epochs of repeat copy and associative recall are about the sequences of training,
  some of which ask for more than the task does.
- Of repeat copy, *wrong in end marker* also counts the vectors that are missing because
  the marker came too early. An NTM whose inputs are clipped cannot tell 12 repeats from
  20 (docs/tasks.md).
- Failed runs are named; they are in no table.
{% for task in tasks %}
## {{ task.name }}

- Solved: {{ task.bound }}.
- Seeds: {{ task.seeds }}.
- Cores a run: {{ task.cores }}.
{%- if task.grown %}
- With a curriculum: {{ task.grown }}.
{%- endif %}
{%- if task.failed %}
- Failed: {{ task.failed }}.
{%- endif %}

{{ task.table }}
{% if task.published %}
{{ task.source }}, read off the figures:

{{ task.published }}
{% endif %}
By size, after training:

{{ task.sizes }}

Each run; *no error* is the first epoch without a wrong bit, *last* the wrong bits per
sequence of the last accepted epoch:

{{ task.each }}
{% for name, text in task.pictures %}
![{{ text }}](images/{{ name }})
{% endfor %}
`{{ task.signature }}`; {{ task.versions }}
{% endfor -%}
"""


def keep(folder):
    """Copies the runs of a comparison, also those that failed."""
    for source in sorted(path.parent for path in folder.glob("*/history.csv")):
        run = open_run(source)
        target = RUNS / run.task.name / source.name
        shutil.rmtree(target, ignore_errors=True)
        target.mkdir(parents=True)
        for name in FILES:
            if (source / name).exists():
                shutil.copyfile(source / name, target / name)


def runs_of(folder):
    """The finished runs under a folder, and those that failed."""
    finished, failed = [], []
    for path in sorted(folder.iterdir(), key=_model_and_seed):
        has_ended = (path / "summary.json").exists()
        (finished if has_ended else failed).append(path)
    return [read(path) for path in finished], [open_run(path) for path in failed]


def describe(folder):
    """What the template says of a task, and its pictures drawn."""
    runs, failed = runs_of(folder)
    if not runs:
        raise click.ClickException(f"`{folder}` holds no finished run.")
    task = runs[0].run.task
    for run in runs:
        if run.sizes != runs[0].sizes:
            raise click.ClickException(
                f"`{run.run.path}` was evaluated on {run.sizes}, `{runs[0].run.path}` "
                f"on {runs[0].sizes}: evaluate it again with memnets compare."
            )
    seeds = [f"{len(own)} of {label}" for label, own in by_label(runs).items()]
    versions = {", ".join(f"{k} {v}" for k, v in r.run.versions.items()) for r in runs}
    published = published_table(runs)
    return {
        "name": task.name,
        "bound": f"{task.success} over an epoch" if task.success else "no bound",
        "seeds": ", ".join(seeds),
        "cores": ", ".join(sorted({str(r.summary["cores"]) for r in runs})),
        "grown": ", ".join(
            sorted({r.label for r in runs if r.run.training.curriculum})
        ),
        "failed": ", ".join(map(_failure, failed)),
        "table": markdown(table_of_models(runs)),
        "published": markdown(published) if published[1:] else "",
        "source": task.published.source if task.published else "",
        "sizes": markdown(table_of_sizes(runs)),
        "each": markdown(table_of_each(runs)),
        "pictures": pictures(task, runs),
        "signature": task.signature,
        "versions": "; ".join(sorted(versions)),
    }


def pictures(task, runs):
    """Draws the pictures of a task: their files, and what each shows."""
    drawn = []
    for kind, draw, text in (
        ("learning", draw_learning, "Learning curves"),
        ("sizes", draw_sizes, "Errors against the size of the sequences"),
    ):
        name = f"results-{task.name}-{kind}.png"
        draw(runs).savefig(IMAGES / name, dpi=100)
        drawn.append((name, f"{text}, {task.name}"))
    return drawn


def _failure(run):
    history = run.read_history()
    after = f"{history.rows[-1]['sequences']:,.0f}" if history else "0"
    return f"{run.path.name}, after {after} sequences"


def table_of_models(runs):
    """A row a model: when the task was solved, and at what cost; headings first."""
    headings = ["model", "weights", "solved"]
    for measure in ("after", "seconds", "settled", "start-up seconds"):
        headings += [measure, "worst"]
    rows = [headings]
    for label, own in by_label(runs).items():
        solved = sum(run.solved_at is not None for run in own)
        row = [label, f"{own[0].summary['weights']:,}", f"{solved} of {len(own)}"]
        for values in (
            [run.solved_at for run in own],
            [run.seconds_to_solve for run in own],
            [run.settled_at for run in own],
            [run.summary["startup_seconds"] for run in own],
        ):
            row += [number(value, ",.0f") for value in median_and_worst(values)]
        rows.append(row)
    return rows


def published_table(runs):
    """A row a model: what the paper has; headings first."""
    task = runs[0].run.task
    rows = [["model", "weights", "sequences", "bits", "size"]]
    if task.published is None:
        return rows
    for model in by_label(runs):
        weights = f"{task.published.weights[model]:,}"
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
    headings = ["run", "solved", "settled", "no error", "last"]
    rows = [headings + [f"{column.label} at {size}" for size in runs[0].sizes]]
    for run in runs:
        flawless = [r["sequences"] for r in run.history if r["bit_errors"] == 0]
        reached = (run.solved_at, run.settled_at, next(iter(flawless), None))
        row = [run.run.path.name, *(number(n, ",.0f") for n in reached)]
        row.append(f"{run.history.final['bit_errors']:.4f}")
        row += [number(result.values[name], column.form) for result in run.results]
        rows.append(row)
    return rows


def markdown(table):
    """Rows of cells as a table, the first column to the left; headings first."""
    headings, *rows = table
    lines = [headings, ["---"] + ["---:"] * (len(headings) - 1), *rows]
    return "\n".join(f"| {' | '.join(cells)} |" for cells in lines)


def _model_and_seed(path):
    model, _, seed = path.name.rpartition("-")
    return model, int(seed)


@click.command()
@click.option(
    "--keep",
    "comparisons",
    multiple=True,
    type=click.Path(path_type=pathlib.Path, exists=True),
    help="Directory of a comparison whose runs to copy.",
)
def main(comparisons):
    """Write docs/results.md."""
    try:
        for folder in comparisons:
            keep(folder)
        folders = [RUNS / name for name in TASKS if (RUNS / name).is_dir()]
        described = [describe(folder) for folder in folders]
    except RunError as error:
        raise click.ClickException(str(error)) from error
    environment = jinja2.Environment(undefined=jinja2.StrictUndefined, autoescape=False)
    page = environment.from_string(TEMPLATE).render(tasks=described)
    (ROOT / "docs" / "results.md").write_text(page, encoding="utf-8")
    click.echo(f"docs/results.md: {', '.join(folder.name for folder in folders)}")


if __name__ == "__main__":
    main()
