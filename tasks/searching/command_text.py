"""The command line that trains a model with given settings."""

import dataclasses
import shlex
from collections.abc import Sequence
from typing import Any

from ..contract.parameters import parameter_types, text_of
from ..contract.task import Task
from ..models.base import ModelConfig
from ..registry import get_model
from ..training_options.training_config import TrainingConfig


def command_of(
    task: Task,
    model: ModelConfig,
    training: TrainingConfig,
    imports: Sequence[str] = (),
) -> str:
    """The `memnets train` of a task, a model and a training, in one line. It names what
    differs from what the command does by itself, and the files that register what is
    not of this package."""
    words = ["memnets", *(word for name in imports for word in ("--import", name))]
    words += ["train", task.name, "--model", model.label]
    parts = (
        (training, dataclasses.asdict(TrainingConfig(seed=training.seed))),
        (model, get_model(model.label, task).parameters),
        (task, _defaults(task)),
    )
    for part, usual in parts:
        for name in parameter_types(type(part)):
            value = getattr(part, name)
            if value != usual.get(name):
                words += _option(name, value)
    return shlex.join(words)


def _option(name: str, value: Any) -> list[str]:
    flag = name.replace("_", "-")
    if isinstance(value, bool):
        return [f"--{flag}" if value else f"--no-{flag}"]
    return [f"--{flag}", text_of(value)]


def _defaults(task: Task) -> dict[str, Any]:
    return {
        field.name: field.default
        for field in dataclasses.fields(task)
        if field.default is not dataclasses.MISSING
    }
