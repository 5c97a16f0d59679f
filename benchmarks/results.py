"""Writes docs/results.md from the runs under benchmarks/runs.

    python benchmarks/results.py [--keep runs/compare-copy ...]

benchmarks/runs/TASK holds the runs of `memnets compare TASK`: `config.json`,
`history.csv` and `summary.json` of each. `--keep` takes those of a comparison over, in
place of what was there of the same models and seeds. Then tables and pictures are made
of all of them.
"""

import pathlib
import shutil

import click
import jinja2

from tasks.comparison.comparison import by_model, read, table_of, unit_of
from tasks.comparison.page import draw_learning, draw_sizes
from tasks.registry import TASKS
from tasks.training.rollback import outcome

ROOT = pathlib.Path(__file__).parent.parent
RUNS = ROOT / "benchmarks" / "runs"
IMAGES = ROOT / "docs" / "images"
FILES = ("config.json", "history.csv", "summary.json")
TEMPLATE = """\
# Results

Written by `python benchmarks/results.py` from the runs under `benchmarks/runs`, each of
which is `memnets train TASK --model MODEL --seed S` with default settings; their
`config.json` names every value. Models of one table saw the same sequences in the same
order, seed by seed, unless it says that one has a curriculum. Numbers are the median
over the seeds, in brackets the worst; each run is in a table of its own below. *Solved*
is the first epoch, mostly of 1,600 sequences, below the bound that is named with the
table; after *settled*, every epoch to the end was. *Seconds* are without the start-up.
Errors by size are those of the network at the end, on fresh sequences of the task. Of
repeat copy and associative recall, what is said of epochs is of the sequences trained
with, some of which ask for more than the task does. Of repeat copy, *in end marker* is
also what is missing where the marker came too early; an NTM, whose inputs are clipped
there, cannot tell 12 repeats from 20 and misses it (docs/tasks.md). A run that diverges
leaves nothing to show: of dynamic n-grams, a second seed of the feedforward controller
did (docs/recipes.md). Under each model stand the numbers of Graves, Wayne, Danihelka
(2014), read off its figures.
{% for task in tasks %}
## {{ task.name }}

Solved: {{ task.bound }}. {{ task.seeds }}. Cores a run: {{ task.cores }}.
{%- if task.grown %} With a curriculum: {{ task.grown }}.{% endif %}

{{ task.table }}

Each run; *no error* is the first epoch without a wrong bit, *last* the wrong bits per
sequence of the last epoch that was kept:

{{ task.each }}
{% for name, text in task.pictures %}
![{{ text }}](images/{{ name }})
{% endfor %}
`{{ task.signature }}`; {{ task.versions }}
{% endfor -%}
"""


def keep(folder):
    """Takes the runs of a comparison over."""
    for source in sorted(path.parent for path in folder.glob("*/summary.json")):
        run = read(source).run
        target = RUNS / run.task.name / source.name
        target.mkdir(parents=True, exist_ok=True)
        for name in FILES:
            shutil.copyfile(source / name, target / name)


def describe(folder):
    """What the template says of a task, and its pictures drawn."""
    runs = [read(path) for path in sorted(folder.iterdir(), key=_model_and_seed)]
    task = runs[0].run.task
    for run in runs:
        if run.sizes != runs[0].sizes:
            raise click.ClickException(
                f"`{run.run.path}` was evaluated on {run.sizes}, `{runs[0].run.path}` "
                f"on {runs[0].sizes}: evaluate it again with memnets compare."
            )
    measure, below = task.success
    pictures = []
    for kind, draw, text in (
        ("learning", draw_learning, "Bits per sequence against sequences seen"),
        ("sizes", draw_sizes, "Errors against the size of the sequences"),
    ):
        name = f"results-{task.name}-{kind}.png"
        draw(runs).savefig(IMAGES / name, dpi=100)
        pictures.append((name, f"{text}, {task.name}"))
    seeds = [f"{len(own)} of {model}" for model, own in by_model(runs).items()]
    return {
        "name": task.name,
        "bound": f"{measure.replace('_', ' ')} under {below:g} over an epoch",
        "seeds": f"Seeds: {', '.join(seeds)}",
        "cores": ", ".join(sorted({str(r.summary["cores"]) for r in runs})),
        "grown": ", ".join(
            sorted({r.run.model.name for r in runs if r.run.training.curriculum})
        ),
        "table": markdown(table_of(runs)),
        "each": markdown(table_of_each(runs)),
        "pictures": pictures,
        "signature": task.signature,
        "versions": "; ".join(
            sorted(
                {", ".join(f"{k} {v}" for k, v in r.run.versions.items()) for r in runs}
            )
        ),
    }


def table_of_each(runs):
    """A row a run, headings first."""
    unit, said = unit_of(runs[0].run.task)
    headings = ["run", "solved", "settled", "no error", "last"]
    headings += [f"{said} at {size}" for size in runs[0].sizes]
    rows = [headings]
    for run in runs:
        flawless = [r["sequences"] for r in run.history if r["bit_errors"] == 0]
        reached = (run.solved_at, run.settled_at, next(iter(flawless), None))
        row = [run.run.path.name]
        row += ["never" if n is None else f"{n:,.0f}" for n in reached]
        row.append(f"{outcome(run.history)['bit_errors']:.4f}")
        for result in run.summary["lengths"]:
            parts = result["part_errors"].items()
            more = [f"{part} {errors:.3f}" for part, errors in parts]
            row.append("; ".join([f"{result[unit]:.3f}", *more]))
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
    help="Directory of a comparison whose runs to take over.",
)
def main(comparisons):
    """Write docs/results.md."""
    for folder in comparisons:
        keep(folder)
    folders = [RUNS / name for name in TASKS if (RUNS / name).is_dir()]
    environment = jinja2.Environment(undefined=jinja2.StrictUndefined, autoescape=False)
    page = environment.from_string(TEMPLATE).render(tasks=map(describe, folders))
    (ROOT / "docs" / "results.md").write_text(page, encoding="utf-8")
    click.echo(f"docs/results.md: {', '.join(folder.name for folder in folders)}")


if __name__ == "__main__":
    main()
