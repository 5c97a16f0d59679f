"""The experiments of Hochreiter and Schmidhuber (1997). docs/long_lags.md is made from
the runs that were kept.

    python benchmarks/evidence/long_lags.py train OUT --recipe modern --seeds 2001-2010
    python benchmarks/evidence/packs.py --add OUT --to hs97
    python benchmarks/evidence/long_lags.py guess --seeds 2001-2010
    python benchmarks/evidence/pages.py

`train` makes a folder a task in OUT, with a run a seed; runs that are there are not
repeated. `packs.py` keeps these runs. `guess` draws weights at random on 3a, which
solves it. `pages.py` makes the page from all kept runs.
"""

import json
import pathlib
import statistics
from collections.abc import Iterable

import click
from experiments_1997 import BY_KEY, EXPERIMENTS, GALLERY, IN_GALLERY
from not_run_1997 import NOT_RUN, OTHER_METHODS
from packs import PACKS, name_of, rounding_of, unpacked
from pages import markdown, percent, text_of

import tasks
from tasks.cli.compare import seeds_of
from tasks.comparison.finished_run import read

GUESSES = PACKS / "hs97-guesses.json"
RECIPES = ("modern", "classic", *GALLERY[1:])
# Triples in a sequence of temporal XOR.
SEGMENTS = tasks.get_task("temporal-xor").segments


def train(experiment, name, seeds, out):
    """Trains a recipe of an experiment with each seed, unless it has none."""
    parts = experiment.parts(name)
    if parts is None:
        return
    task, model, training = parts
    for seed in seeds:
        folder = out / name_of(task) / f"{model.label}-{seed}"
        if (folder / "summary.json").exists():
            continue
        result = tasks.train(
            *(task, model),
            out=folder,
            resume=True,
            seed=seed,
            progress=False,
            **training,
        )
        wrong = share_wrong(result.summary["evaluation"][0]["values"])
        click.echo(
            f"{experiment.key} {name} {seed}: solved after {result.solved_at}, "
            f"{wrong:.3%} wrong, {result.summary['seconds']:.0f} s"
        )


def runs_of(kept, experiment, name):
    """The runs of a recipe in the folder of the kept ones, by rounding and seed."""
    parts = experiment.parts(name)
    if parts is None:
        return []
    task, model, _ = parts
    folders = (kept / name_of(task)).glob(f"*/{model.label}-*")
    runs = [read(folder) for folder in sorted(folders)]
    return sorted(runs, key=lambda r: (rounding_of(r.run), r.run.training.seed))


def share_wrong(values):
    """The share of wrong test sequences; of temporal XOR, of third bits."""
    return values["wrong"] if "wrong" in values else values["third_bits"] / SEGMENTS


def wrong_of(run):
    """The share of test sequences that a run has wrong."""
    return share_wrong(run.results[0].values)


def row_of(kept, experiment, name):
    """What the runs of a recipe came to, or why a row of the paper has none; None if
    the row is not the paper's."""
    paper = [
        experiment.number,
        experiment.text,
        f"{experiment.sequences:,}" if experiment.sequences else "",
        share(experiment.wrong),
    ]
    runs = runs_of(kept, experiment, name)
    if not runs:
        why = NOT_RUN[name].get(experiment.key)
        return [*paper, f"not run: {why}", *[""] * 5] if why else None
    solved = [run.solved_at for run in runs if run.solved_at is not None]
    middle = f"{statistics.mean(solved):,.0f}" if solved else "-"
    spread = f"{min(solved):,} to {max(solved):,}" if solved else "-"
    wrong = [wrong_of(run) for run in runs]
    seconds = [seconds for run in runs if (seconds := run.seconds_to_solve) is not None]
    return [
        *paper,
        solved_of(runs, interval=True),
        *(middle, spread),
        *(share(statistics.median(wrong)), share(max(wrong))),
        f"{statistics.median(seconds):,.0f}" if seconds else "-",
    ]


def solved_of(runs, *, interval=False):
    """How many seeds solved a task on every rounding that they have, of how many. Two
    runs of a seed are not independent, and on some tasks the same."""
    seeds = {run.run.training.seed for run in runs}
    failed = {run.run.training.seed for run in runs if run.solved_at is None}
    solved, count = len(seeds - failed), len(seeds)
    return f"{solved} of {count}" + (f" ({percent(solved, count)})" * interval)


def share(value):
    """A share of sequences in percent."""
    return "" if value is None else f"{100 * value:.3g}%"


HEADINGS = [
    *("experiment", "", "1997: sequences", "wrong"),
    *("seeds solved (95% interval)", "mean sequences", "range"),
    *("wrong, median", "worst", "seconds"),
]


def table_of(kept, name):
    """A row an experiment of a recipe; headings first."""
    rows = [row_of(kept, experiment, name) for experiment in EXPERIMENTS]
    return [HEADINGS, *filter(None, rows)]


def table_of_each(kept, name):
    """A row an experiment and rounding with every run: sequences until it was solved,
    and how many of the test sequences were wrong; headings first."""
    rows = [["experiment", "", "rounding", "seed: solved after, wrong"]]
    for experiment in EXPERIMENTS:
        runs = runs_of(kept, experiment, name)
        for rounding in dict.fromkeys(rounding_of(run.run) for run in runs):
            each = [
                f"{run.run.training.seed}: "
                f"{'never' if run.solved_at is None else f'{run.solved_at:,}'}, "
                f"{share(wrong_of(run))}"
                for run in runs
                if rounding_of(run.run) == rounding
            ]
            rows.append([experiment.number, experiment.text, rounding, "; ".join(each)])
    return rows


def table_of_gallery(kept):
    """A row an experiment, a column a network: how many runs solved it, and the median
    of the sequences; or the median share of wrong sequences; headings first."""
    rows = [["experiment", "", *GALLERY]]
    for experiment in map(BY_KEY.get, IN_GALLERY):
        cells = [
            in_gallery(runs_of(kept, experiment, experiment.recipe_of(network)))
            for network in GALLERY
        ]
        rows.append([experiment.number, experiment.text, *cells])
    return rows


def in_gallery(runs):
    """What the runs of a network came to, in a few words."""
    solved = [run.solved_at for run in runs if run.solved_at is not None]
    if not runs:
        return "not run"
    if not solved:
        wrong = statistics.median(map(wrong_of, runs))
        return f"{solved_of(runs)}; {share(wrong)} wrong"
    return f"{solved_of(runs)}; {statistics.median(solved):,.0f}"


def table_of_others(kept):
    """The paper's rows of other methods with what was run here; headings first."""
    rows = [["experiment", "method", "solved", "sequences", "here"]]
    for *paper, here in OTHER_METHODS:
        if not isinstance(here, str):
            key, name = here
            experiment = BY_KEY[key]
            network = experiment.modern if name == "modern" else name
            here = f"`{network}`: {in_gallery(runs_of(kept, experiment, name))}"
        rows.append([*paper, here])
    return rows


def guess(informative, seeds):
    """Draws weights of a simple network of one unit until it solves 3a."""
    task = tasks.get_task("two-sequence", informative=informative, outputs="sigmoid")
    model = tasks.get_model("simple-rnn", units=1)
    for seed in seeds:
        found = tasks.guess_weights(task, model, seed=seed, max_guesses=10_000)
        yield {
            "informative": informative,
            "seed": seed,
            "guesses": found.guesses,
            "sequences": found.sequences,
            "solved": found.solved,
        }


def table_of_guesses():
    """A row a variant of 3a: how many guesses it took; headings first."""
    every = json.loads(GUESSES.read_text()) if GUESSES.exists() else []
    rows = [["experiment", "", "solved", "guesses, median", "range", "sequences"]]
    for informative in dict.fromkeys(one["informative"] for one in every):
        own = [one for one in every if one["informative"] == informative]
        counts = [one["guesses"] for one in own]
        rows.append(
            [
                *("3a", f"T = 100, N = {informative}"),
                f"{sum(one['solved'] for one in own)} of {len(own)}",
                f"{statistics.median(counts):,.0f}",
                f"{min(counts):,} to {max(counts):,}",
                f"{statistics.median(one['sequences'] for one in own):,.0f}",
            ]
        )
    return rows


def table_or_nothing(table):
    """A table, or a sentence if it has no rows."""
    return markdown(table) if table[1:] else "No run on these seeds is kept so far."


def page(kept):
    """The text of docs/long_lags.md."""
    tables = {
        name: {
            "rows": table_or_nothing(table_of(kept, name)),
            "each": table_or_nothing(table_of_each(kept, name)),
        }
        for name in ("modern", "classic")
    }
    guesses = markdown(table_of_guesses())
    gallery = markdown(table_of_gallery(kept))
    others = markdown(table_of_others(kept))
    return text_of(
        "long_lags.md", guesses=guesses, gallery=gallery, others=others, **tables
    )


def kept_page():
    """The same of all kept runs."""
    with unpacked("hs97") as kept:
        return page(kept)


@click.group()
def main():
    """The experiments of Hochreiter and Schmidhuber (1997)."""


@main.command("train")
@click.argument("out", type=click.Path(path_type=pathlib.Path))
@click.option("--recipe", type=click.Choice(RECIPES), default="modern")
@click.option("--experiments", default=",".join(BY_KEY), help="Keys, as 4-100,6a.")
@click.option("--seeds", default="1", help="Seeds, written as 1-10 or 1,2,5.")
def train_command(out: pathlib.Path, recipe: str, experiments: str, seeds: str):
    """Train experiments with the given seeds."""
    for experiment in _chosen(experiments.split(",")):
        train(experiment, recipe, seeds_of(seeds), out)


def _chosen(keys: Iterable[str]):
    unknown = [key for key in keys if key not in BY_KEY]
    if unknown:
        raise click.ClickException(
            f"There is no experiment {unknown[0]!r}: they are {', '.join(BY_KEY)}."
        )
    return [BY_KEY[key] for key in keys]


@main.command("guess")
@click.option("--seeds", default="1", help="Seeds, written as 1-10 or 1,2,5.")
def guess_command(seeds: str):
    """Draw weights at random until they solve 3a."""
    found = [one for n in (3, 1) for one in guess(n, seeds_of(seeds))]
    GUESSES.parent.mkdir(parents=True, exist_ok=True)
    GUESSES.write_text(json.dumps(found, indent=1) + "\n")


if __name__ == "__main__":
    main()
