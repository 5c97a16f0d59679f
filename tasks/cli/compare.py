"""`memnets compare`: several models on one task, or on several."""

import pathlib
import re
from typing import TYPE_CHECKING, Any

import click

from ..contract.parameters import parameter_types, text_of
from ..registry import MODELS, TASKS, compared_models
from ..training_options.training_config import TrainingConfig
from .command import BadInput, ListOption
from .keras_import import import_keras
from .many_runs import executor_at, jobs_option, scheduler_option
from .named import (
    named_task,
    task_groups,
    task_with,
    training_groups,
)
from .options_from_fields import Group, ParameterCommand, flag_of, given, take
from .output import json_option, print_json, print_table

if TYPE_CHECKING:
    from ..comparison.comparison import Comparison
    from ..comparison.several_tasks import TasksComparison


def _groups(words: dict[str, Any]) -> list[Group]:
    first, *others = words["tasks"] or (None,)
    names = words["models"] or compared_models(TASKS.get(first or ""))
    models = [text.partition(":")[0] for text in names]
    training = training_groups(named_task(first, words), models, without=("seed",))
    groups = task_groups(first)
    for name in others:  # only what all of them have
        known = parameter_types(TASKS.get(name))
        groups = [
            group._replace(
                heading=f"Task {', '.join(words['tasks'])}",
                without=tuple(parameter_types(group.owner).keys() - known.keys()),
            )
            for group in groups
        ]
    return [*training, *groups]


def is_model(word: str) -> bool:
    """Whether a word of the command line begins with the name of a model."""
    return word.partition(":")[0] in MODELS


@click.command(
    cls=ParameterCommand,
    examples=(
        "memnets compare copy --seeds 1-10",
        "memnets compare copy --models ntm-lstm lstm --jobs 2",
        "memnets compare copy --models ntm-lstm:memory-size=64 ntm-lstm",
        "memnets compare even-pairs reverse-string --models lstm stack",
    ),
    groups=_groups,
    hint="Options of a task: memnets compare TASK --help; parameters of a model: "
    "memnets train TASK --model MODEL --help.",
)
@click.argument("tasks", metavar="TASK...", nargs=-1, required=True)
@click.option(
    "--models",
    cls=ListOption,
    takes=is_model,
    metavar="MODEL...",
    help="Models to train, also with parameters: ntm-lstm:memory-size=64,word-size=10 "
    "[default: those of the task].",
)
@click.option(
    "--seeds", default="1", show_default=True, help="Seeds, written as 1-10 or 1,2,5."
)
@click.option("--quick", is_flag=True, help="An eighth of each model's sequences.")
@jobs_option
@scheduler_option
@click.option(
    "--out",
    type=click.Path(path_type=pathlib.Path),
    help="Directory of the comparison [default: runs/compare-TASK, of several tasks "
    "runs/compare-tasks; with --quick it ends with -quick].",
)
@json_option
@click.pass_obj
def compare(
    imports: tuple[str, ...] | None,
    tasks: tuple[str, ...],
    models: tuple[str, ...],
    seeds: str,
    quick: bool,
    jobs: int,
    scheduler: str | None,
    out: pathlib.Path | None,
    as_json: bool,
    **options: Any,
) -> None:
    """Train several models on each TASK and write one page.

    Of several tasks, the page has the tasks by class, and each task a page of its own.
    Runs that are there already are not repeated, and interrupted ones continue. Models
    see the same sequences in the same order; docs/comparison.md names the exceptions.
    """
    options = given(options)
    training = TrainingConfig(**take(options, TrainingConfig))
    for name in tasks:
        _refuse_model_options(name, options)
    chosen = [task_with(name, dict(options)) for name in tasks]
    numbers = seeds_of(seeds)
    import_keras()
    from ..comparison.comparison import compare as compare_models
    from ..comparison.several_tasks import compare_tasks
    from ..comparison.table import BRACKETS, WEIGHTS

    is_one = len(chosen) == 1
    result: Comparison | TasksComparison
    with executor_at(scheduler) as executor:
        arguments: dict[str, Any] = {
            "jobs": jobs,
            "executor": executor,
            "training": training,
            "quick": quick,
            "imports": imports or (),
        }
        if is_one:
            result = compare_models(
                chosen[0], models or None, numbers, out, **arguments
            )
        else:
            result = compare_tasks(chosen, models or None, numbers, out, **arguments)
    for failure in result.failures:
        click.echo(f"Error: {failure}", err=True)
    if as_json:
        print_json(_described(result))
    elif result.runs:
        # A column a model: there are more numbers than models.
        columns = [list(column) for column in zip(*result.table, strict=True)]
        print_table(columns if is_one else result.table)
        if is_one and len(numbers) > 1:
            click.echo(BRACKETS)
        if is_one:
            click.echo(WEIGHTS)
        click.echo(f"page: {result.page}")
    if result.failures:
        raise click.exceptions.Exit(1)


def _refuse_model_options(task: str, options: dict[str, Any]) -> None:
    known = parameter_types(TASKS.get(task))
    for model, owner in MODELS.items():
        for name in options:
            if name not in known and name in parameter_types(owner):
                flag = flag_of(name)
                raise BadInput(
                    f"`{flag}` is an option of a model: write it with the model, as "
                    f"--models {model}:{flag[2:]}={text_of(options[name])}."
                )


def _described(result: "Comparison | TasksComparison") -> dict[str, Any]:
    """Everything that was found, for JSON."""
    headings, *rows = result.table or [[]]
    return {
        "page": str(result.page) if result.page else None,
        "table": [dict(zip(headings, row, strict=True)) for row in rows],
        "runs": [
            {"run": str(run.run.path), "label": run.label, **run.summary}
            for run in result.runs
        ],
        "failures": [
            {"run": str(failure.path), "reason": failure.reason}
            for failure in result.failures
        ],
    }


def seeds_of(text: str, option: str = "--seeds") -> list[int]:
    """The seeds that `1-3,7` names.

    Args:
        text: The text.
        option: What it was given with.
    Raises:
        BadInput: If the text is not of that form.
    """
    seeds: list[int] = []
    for part in text.split(","):
        found = re.fullmatch(r"(\d+)(?:-(\d+))?", part.strip())
        if not found or (found[2] and int(found[2]) < int(found[1])):
            raise BadInput(f"`{option}` must be as 1-10 or 1,2,5. Received: {text!r}")
        seeds += range(int(found[1]), int(found[2] or found[1]) + 1)
    return list(dict.fromkeys(seeds))
