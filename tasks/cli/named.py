"""The task and the model that a command names, with their options."""

import contextlib
import dataclasses
import pathlib
from typing import Any

import click

from ..contract.altered import altered
from ..contract.parameters import input_paths, parameter_types
from ..contract.task import Task
from ..models.base import ModelConfig
from ..registry import (
    MODELS,
    TASKS,
    default_model,
    get_model,
    loaded,
    model_class,
    task_class,
)
from ..runs.directory import open_run
from ..runs.files import RunError
from ..training_options.training_config import TrainingConfig
from .options_from_fields import (
    WORDS,
    Group,
    check_required,
    defaults_of,
    given,
    refuse,
    take,
)

# A file of text, or `-`, standard input; the command reads it with `tasks.plain_text`.
TEXT_FILE = click.Path(
    exists=True, dir_okay=False, allow_dash=True, path_type=pathlib.Path
)
task_argument = click.argument("task", metavar="TASK")
run_argument = click.argument(
    "run", metavar="RUN", type=click.Path(path_type=pathlib.Path)
)


class ModelOption(click.Option):
    """The option of a model's name, whose help says which one the task in the arguments
    has by default."""

    def get_help_record(self, ctx: click.Context) -> tuple[str, str] | None:
        record = super().get_help_record(ctx)
        if record is None:
            return None
        words = ctx.meta.get(WORDS, {})
        named = model_name(words.get("task"), None)
        default = named or "the task's own, see memnets list"
        return record[0], f"{record[1]} [default: {default}]"


def model_name(task: str | None, model: str | None) -> str | None:
    """The name of a model; if none is given, of the default one of a task; None if
    there is no task of that name."""
    if model is None and task in TASKS:
        return default_model(TASKS[task])
    return model


def task_with(
    name: str, options: dict[str, Any], *, without: tuple[Any, ...] = ()
) -> Task:
    """The task of that name, with its options taken out of `options`.

    Args:
        name: Its name.
        options: The options that were given.
        without: Dataclasses whose options may be left over.
    """
    owner = task_class(name)
    parameters = take(options, owner)
    others = {field for other in without for field in parameter_types(other)}
    refuse((o for o in options if o not in others), f"the task {name}")
    check_required(owner, parameters, f"the task {name}")
    return loaded(owner(**parameters))


def altered_task(task: Task, options: dict[str, Any]) -> Task:
    """The task of a run with other values of the options that were given; there must be
    no others than its own."""
    options = given(options)
    other = altered(task, **take(options, type(task)))
    refuse(options, f"the task {task.name}")
    return other


def run_groups(words: dict[str, Any]) -> list[Group]:
    """The options of the task of a run; none if there is no run."""
    with contextlib.suppress(RunError, TypeError):
        task = open_run(words["run"]).task
        return [Group(f"Task {task.name}", type(task), task.parameters)]
    return []


def model_with(name: str | None, task: Task, options: dict[str, Any]) -> ModelConfig:
    """The model of that name for a task, with its options; there must be no others. If
    no name is given, it is the task's default one."""
    name = name or default_model(task)
    owner = model_class(name)
    parameters = take(options, owner)
    refuse(options, f"the model {name}")
    for_task = task.recipe.model_parameters(owner)
    check_required(owner, {**for_task, **parameters}, f"the model {name}")
    return get_model(name, task, **parameters)


def named_task(name: str | None, words: dict[str, Any]) -> Task | None:
    """The task of that name with those of its options that were given, or without them
    if one of them is wrong. None if there is none, or if it has parameters without a
    default.

    Args:
        name: Its name.
        words: What was typed, read leniently.
    """
    task = None
    with contextlib.suppress(TypeError, ValueError, KeyError):
        owner = TASKS[name or ""]
        task = owner()
        if input_paths(owner):  # help reads no files
            return task
        return owner(**take(given(words), owner))
    return task


def task_groups(name: str | None) -> list[Group]:
    """The options of a task; none if there is no task of that name."""
    if name not in TASKS:
        return []
    owner = TASKS[name]
    return [Group(f"Task {name}", owner, defaults_of(owner))]


def model_groups(name: str | None, task: Task | None) -> list[Group]:
    """The options of a model, with the values that it has for a task."""
    if name is None or name not in MODELS or not parameter_types(MODELS[name]):
        return []
    values = get_model(name, task).parameters
    return [Group(f"Model {name}", MODELS[name], values)]


def training_groups(
    task: Task | None, models: list[str | None], without: tuple[str, ...] = ()
) -> list[Group]:
    """The options of training, with the values that they have for a task and models;
    where the models differ, a dictionary by model."""
    values: dict[str, Any] = dataclasses.asdict(TrainingConfig())
    known = [name for name in models if name is not None and name in MODELS]
    if task is not None and known:
        configs = {
            n: TrainingConfig().resolved(task, get_model(n, task)) for n in known
        }
        for field in values:
            each = {name: getattr(config, field) for name, config in configs.items()}
            same = len(set(each.values())) == 1
            values[field] = next(iter(each.values())) if same else each
    return [Group("Training", TrainingConfig, values, without)]
