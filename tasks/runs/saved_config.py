"""The task and the model of a configuration that a run has kept."""

from ..contract.earlier import renamed, upgraded
from ..contract.task import Task
from ..models.base import ModelConfig
from ..models.keras_model import KerasModel
from ..registry import MODELS, model_class, task_class


def saved_task(saved: dict) -> Task:
    """The task of a configuration that a run has kept.

    Raises:
        ValueError: If there is no such task, or a parameter is out of its range.
    """
    parameters = dict(renamed(saved))
    name = parameters.pop("name")
    task = task_class(name)
    return task(**upgraded(task, parameters))


def saved_model(saved: dict) -> ModelConfig:
    """The model of a configuration that a run has kept.

    Raises:
        ValueError: If there is no such model, or a parameter is out of its range.
    """
    parameters = dict(saved)
    name = parameters.pop("name")
    if name == KerasModel.name:
        own = KerasModel(**parameters)
        registered = MODELS.get(own.model_name)
        # Another model may have the name that Keras gave to this one.
        if registered is not None and (found := registered()) == own:
            return found
        return own
    model = model_class(name)
    return model(**model.upgrade(parameters))
