"""`memnets compare`: several models on one task."""

import dataclasses
import pathlib
import re

import click

from ..models import MODELS, get_model
from ..registry import TASKS
from ..runs.training_config import TrainingConfig
from .click_options import BadInput, Command, ListOption, json_option, print_json
from .task_options import given, options_of, print_table, take, task_argument, task_with


@click.command(cls=Command)
@task_argument
@click.option(
    "--models",
    cls=ListOption,
    type=click.Choice(list(MODELS)),
    help="Models to train [default: all].",
)
@click.option("--seeds", default="1", show_default=True, help="As 1-10, or 1,2,5.")
@click.option("--quick", is_flag=True, help="An eighth of each model's sequences.")
@click.option("--jobs", type=click.IntRange(1), default=1, help="Runs at a time.")
@click.option(
    "--out",
    type=click.Path(path_type=pathlib.Path),
    help="Directory of the comparison [default: runs/compare-TASK, or with --quick "
    "runs/compare-TASK-quick].",
)
@options_of(TrainingConfig, *TASKS.values(), without=("seed",))
@json_option
def compare(task, models, seeds, quick, jobs, out, as_json, **options):
    """Train several models on TASK, with the same seeds, and write one page.

    Runs that are there already are not repeated, what was interrupted goes on. Models
    see the same sequences in the same order, unless they grow by a curriculum.
    """
    options = given(options)
    training = take(options, TrainingConfig)
    task = task_with(task, options)
    out = out or pathlib.Path("runs", f"compare-{task.name}{'-quick' * quick}")
    plan = []
    for seed in seeds_of(seeds):
        for name in dict.fromkeys(models or MODELS):
            model = get_model(name, task)
            config = TrainingConfig(**{**training, "seed": seed}).resolved(task, model)
            if quick:
                sequences = max(1, config.sequences // 8)
                config = dataclasses.replace(config, sequences=sequences)
            plan.append((task, model, config))

    from ..comparison.comparison import table_of, train_all
    from ..comparison.page import write_comparison
    from ..comparison.progress import show_runs

    with show_runs(plan) as on_progress:
        runs, failures = train_all(plan, out, jobs=jobs, on_progress=on_progress)
    for failure in failures:
        click.echo(f"Error: {failure}", err=True)
    if not runs:
        raise click.exceptions.Exit(1)
    page = write_comparison(out, runs)
    table = table_of(runs)
    if as_json:
        headings, *rows = table
        print_json(
            {
                "page": str(page),
                "table": [dict(zip(headings, row, strict=True)) for row in rows],
                "runs": [{"run": str(r.run.path), **r.summary} for r in runs],
            }
        )
    else:
        # A column a model: there are more numbers than models.
        print_table([list(column) for column in zip(*table, strict=True)])
        click.echo(f"page: {page}")
    if failures:
        raise click.exceptions.Exit(1)


def seeds_of(text):
    """The seeds that `1-3,7` names."""
    seeds = []
    for part in text.split(","):
        found = re.fullmatch(r"(\d+)(?:-(\d+))?", part.strip())
        if not found or (found[2] and int(found[2]) < int(found[1])):
            raise BadInput(f"`--seeds` must be as 1-10 or 1,2,5. Received: {text!r}")
        seeds += range(int(found[1]), int(found[2] or found[1]) + 1)
    return list(dict.fromkeys(seeds))
