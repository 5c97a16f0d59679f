"""The recipe of a task: what is set for it unless the user says otherwise."""

from collections.abc import Callable, Iterable, Mapping
from typing import Any

# Parameters by the class of the model that they are for.
Settings = Mapping[type, dict[str, Any]]


class Recipe:
    """Settings of models and of training for a task.

    Settings of a class of models are for its subclasses too, unless they have their
    own. Those of `ModelConfig` are for every model.

    Args:
        task: The task.
    """

    # Names of the models that a comparison trains. A training takes the first.
    compared_models: tuple[str, ...] = ("ntm-lstm", "ntm-feedforward", "lstm")
    # Names of models that solve the task with these settings: with nine of ten fresh
    # seeds, at least three, of runs that are kept or that docs/tasks.md has.
    solved_by: tuple[str, ...] = ()
    # The value of `validator` by which training keeps its best epoch: the highest one,
    # or the lowest if `columns` says that less is better.
    validation_measure: str | None = None

    def __init__(self, task: Any) -> None:
        self.task = task

    @property
    def models(self) -> Settings:
        """Parameters of models, where their own do not suit the task."""
        return {}

    @property
    def training(self) -> Settings:
        """Training parameters, by the class of the model."""
        return {}

    @property
    def curriculum(self) -> float:
        """Share of the budget over which sequences grow."""
        return 0.0

    @property
    def chance_loss(self) -> float | None:
        """Loss of a predictor that ignores its inputs, such as a uniform guess, which
        is not the best where answers are not uniform. Roll-back takes its bounds as
        shares of it, and is off if it is None."""
        return None

    def places_needed(self, lengths: Iterable[int] | None = None) -> int | None:
        """The places of a memory that holds one symbol a place; None if the task does
        not tell.

        Args:
            lengths: Lengths of the strings; those of a training, with its validation,
                if None.
        """
        return None

    def model_parameters(self, kind: Callable[..., Any]) -> dict[str, Any]:
        """The parameters of `models` for a class of models, or none for a function that
        makes one."""
        return _settings_for(kind, self.models)

    def training_parameters(self, kind: type) -> dict[str, Any]:
        """The parameters of `training` for a class of models."""
        return _settings_for(kind, self.training)


def _settings_for(kind: Any, settings: Settings) -> dict[str, Any]:
    """The settings of the nearest class along the method resolution order."""
    known = (base for base in getattr(kind, "__mro__", ()) if base in settings)
    nearest = next(known, None)
    return settings[nearest] if nearest else {}
