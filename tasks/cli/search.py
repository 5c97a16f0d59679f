"""`memnets search`: settings with which a model learns a task."""

import dataclasses
import pathlib
from typing import TYPE_CHECKING, Any

import click

from ..registry import MODELS
from ..training_options.training_config import TrainingConfig
from .command import BadInput, ListOption
from .compare import seeds_of
from .keras_import import import_keras
from .many_runs import executor_at, jobs_option, scheduler_option
from .named import (
    ModelOption,
    model_groups,
    model_name,
    model_with,
    named_task,
    task_argument,
    task_groups,
    task_with,
    training_groups,
)
from .options_from_fields import Group, ParameterCommand, given, take
from .output import json_option, print_json, print_table

if TYPE_CHECKING:
    from ..searching.result import Search


SHOWN = 5  # trials that are printed
# Options that are arguments of `tasks.search` by the same names.
OWN = ("trials", "finalists", "out", "seed", "final_sequences", "jobs", "together")


def _groups(words: dict[str, Any]) -> list[Group]:
    task = named_task(words["task"], words)
    model = model_name(words["task"], words["model"])
    training = training_groups(task, [model], without=("seed", "sequences"))
    groups = [*training, *task_groups(words["task"])]
    return [*groups, *(model_groups(model, task) if groups[1:] else [])]


@click.command(
    cls=ParameterCommand,
    examples=(
        "memnets search copy --vary learning-rate=1e-4:1e-2:log",
        "memnets search copy --vary controller-size=50,100 --trials 20",
    ),
    groups=_groups,
    hint="Options of a task and a model, all of which can be varied: memnets search "
    "TASK --model MODEL --help.",
)
@task_argument
@click.option("--model", cls=ModelOption, help="The model.")
@click.option(
    "--vary",
    cls=ListOption,
    takes=lambda word: "=" in word and not word.startswith("-"),
    required=True,
    metavar="SETTING...",
    help="What varies: learning-rate=1e-4:1e-2:log clip-norm=0.01:10 "
    "controller-size=50,100,200.",
)
@click.option(
    "--trials",
    type=click.IntRange(1),
    default=50,
    show_default=True,
    help="How many settings are tried.",
)
@click.option(
    "--sequences",
    type=click.IntRange(1),
    help="Budget of a trial [default: an eighth of the model's own].",
)
@click.option(
    "--finalists",
    type=click.IntRange(1),
    default=4,
    show_default=True,
    help="Best trials that are trained again with four further seeds, to choose one.",
)
@click.option(
    "--final-sequences",
    type=click.IntRange(1),
    help="Budget of the runs on fresh seeds [default: the model's own].",
)
@click.option(
    "--fresh-seeds",
    default="2001-2005",
    show_default=True,
    help="Seeds to train the best settings with, written as 1-10 or 1,2,5.",
)
@click.option(
    "--seed",
    type=click.IntRange(0),
    default=1,
    show_default=True,
    help="Seed of what is proposed; trial n has the seed n + 1.",
)
@jobs_option
@click.option(
    "--together",
    type=click.IntRange(1),
    help="Trials that are proposed together, and trained at the same time: as many as "
    "a --scheduler has workers for [default: as many as --jobs].",
)
@scheduler_option
@click.option(
    "--out",
    type=click.Path(path_type=pathlib.Path),
    help="Directory of the search [default: runs/search-TASK-MODEL].",
)
@json_option
@click.pass_obj
def search(
    imports: tuple[str, ...] | None,
    task: str,
    model: str | None,
    vary: tuple[str, ...],
    fresh_seeds: str,
    sequences: int | None,
    scheduler: str | None,
    as_json: bool,
    **options: Any,
) -> None:
    """Find settings with which a model learns TASK.

    Trials are proposed by Optuna, which must be installed (pip install -e '.[search]'
    in a checkout). Bad ones are stopped early, and the best settings are trained on
    fresh seeds. The same command continues a search that was stopped.
    """
    own = {name: options.pop(name) for name in OWN}
    options = given(options)
    training = TrainingConfig(sequences=sequences, **take(options, TrainingConfig))
    chosen_task = task_with(task, options, without=tuple(MODELS.values()))
    chosen_model = model_with(model, chosen_task, options)
    seeds = seeds_of(fresh_seeds, "--fresh-seeds")
    import_keras()
    from ..searching.search import search as search_settings
    from ..searching.space import axes_of, space_of

    try:
        axes = axes_of(vary, chosen_task, chosen_model)
        space_of(chosen_task, chosen_model, training, axes)
    except ValueError as error:
        raise BadInput(str(error).replace("`vary`", "`--vary`")) from error
    with executor_at(scheduler) as executor:
        result = search_settings(
            chosen_task,
            chosen_model,
            vary=axes,
            fresh_seeds=seeds,
            executor=executor,
            training=training,
            imports=imports or (),
            **own,
        )
    for failure in result.failures:
        click.echo(f"Error: {failure}", err=True)
    if as_json:
        print_json(_described(result))
    else:
        _print(result)
    if result.best is None or result.failures:
        raise click.exceptions.Exit(1)


def _print(result: "Search") -> None:
    from ..searching.page import summary_of, table_of

    print_table(table_of(result)[: SHOWN + 1])
    click.echo(summary_of(result))
    click.echo(f"page: {result.page}")


def _described(result: "Search") -> dict[str, Any]:
    """Everything that was found, for JSON."""
    return {
        "page": str(result.page),
        "command": result.command,
        "best": result.best and result.best.number,
        "means": result.means,
        "importances": result.importances,
        "trials": [dataclasses.asdict(trial) for trial in result.trials],
        "runs": [{"run": str(r.run.path), **r.summary} for r in result.runs],
        "failures": [
            {"run": str(failure.path), "reason": failure.reason}
            for failure in result.failures
        ],
    }
