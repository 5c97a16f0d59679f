"""Names of models in a comparison: a model with the parameters that were set."""

import re

from ..contract.parameters import text_of, value_from_text
from ..contract.task import Task
from ..models.base import ModelConfig
from ..registry import MODELS, get_model, model_class


def model_from_text(text: str, task: Task) -> ModelConfig:
    """The model that a text names, such as `ntm-lstm:memory-size=64,word-size=10`.

    Parameters that are not named are those that the task or the model has itself.

    Raises:
        ValueError: If there is no such model or parameter, or a value does not suit it.
    """
    name, _, assignments = text.partition(":")
    owner = model_class(name)
    parameters = {}
    for assignment in assignments.split(",") if assignments else ():
        parameter, equals, value = assignment.partition("=")
        if not equals:
            raise ValueError(
                "Parameters of a model must be as ntm-lstm:memory-size=64,word-size=10."
                f" Received: {text!r}"
            )
        field = parameter.strip().replace("-", "_")
        parameters[field] = value_from_text(owner, field, value.strip())
    return get_model(name, task, **parameters)


def label_of(model: ModelConfig, task: Task) -> str:
    """The name of a model, with the parameters in which it differs from what it has by
    default for the task; `model_from_text` reads it."""
    if model.name not in MODELS:
        return model.label
    default = get_model(model.name, task).parameters
    changed = [
        f"{name.replace('_', '-')}={text_of(value)}"
        for name, value in model.parameters.items()
        if value != default.get(name)
    ]
    return f"{model.label}:{','.join(changed)}" if changed else model.label


def folder_name(label: str, seed: int) -> str:
    """The name of a run's folder, of characters that are safe in file names."""
    return re.sub(r"[^\w.,=+-]", ",", f"{label}-{seed}")
