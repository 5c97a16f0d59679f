"""`memnets compare`: several models on one task, or on several."""

import pathlib
import re
from typing import TYPE_CHECKING, Any

import click

from ..contract.parameters import nearest, parameter_types, text_of
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
from .output import json_option, print_json

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
@click.option(
    "--latex",
    is_flag=True,
    help="Print the table for LaTeX with the package booktabs.",
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
    latex: bool,
    as_json: bool,
    **options: Any,
) -> None:
    """Train several models on each TASK and write one page.

    Of several tasks, the page has the tasks by class, and each task a page of its own.
    Beside a page is its table as table.csv.
    Runs that are there already are not repeated, and interrupted ones continue. Models
    see the same sequences in the same order; docs/comparison.md names the exceptions.
    """
    if latex and as_json:
        raise BadInput("`--latex` does not go with `--json`.")
    options = given(options)
    training = TrainingConfig(**take(options, TrainingConfig))
    for name in tasks:
        _check_is_task(name, tasks, models)
        _refuse_model_options(name, options)
    chosen = [task_with(name, dict(options)) for name in tasks]
    numbers = seeds_of(seeds)
    import_keras()
    from ..comparison.comparison import compare as compare_models
    from ..comparison.several_tasks import compare_tasks
    from .compare_output import described, print_comparison, print_latex

    result: Comparison | TasksComparison
    with executor_at(scheduler) as executor:
        arguments: dict[str, Any] = {
            "jobs": jobs,
            "executor": executor,
            "training": training,
            "quick": quick,
            "imports": imports or (),
        }
        if len(chosen) == 1:
            result = compare_models(
                chosen[0], models or None, numbers, out, **arguments
            )
        else:
            result = compare_tasks(chosen, models or None, numbers, out, **arguments)
    for failure in result.failures:
        click.echo(f"Error: {failure}", err=True)
    if as_json:
        print_json(described(result))
    elif result.runs:
        (print_latex if latex else print_comparison)(result)
    if result.failures:
        raise click.exceptions.Exit(1)


def _check_is_task(name: str, tasks: tuple[str, ...], models: tuple[str, ...]) -> None:
    """Raises `BadInput` where a task is a model: one without `--models`, or one that is
    mistyped, which is not taken for a value of that option."""
    if name in TASKS:
        return
    if is_model(name) and not models:
        others = " ".join(each for each in tasks if not is_model(each)) or "TASK"
        raise BadInput(f"`{name}` is a model: memnets compare {others} --models {name}")
    if models and name != tasks[0]:
        word = name.partition(":")[0]
        near = nearest(word, MODELS) or nearest(word, TASKS) or "."
        raise BadInput(f"`{word}` is neither a model nor a task{near}")


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
