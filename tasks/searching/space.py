"""The settings that a search varies, and what each may be."""

import dataclasses
import difflib
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, TypeVar

from ..checks import shorten
from ..contract.parameters import optional_parameters, parameter_types, text_of
from ..contract.task import Task
from ..models.base import ModelConfig
from ..training_options.resolving import least_epoch_steps, usual_epoch_steps
from ..training_options.training_config import TrainingConfig
from .axes import Axis, Field, Range, axis_of, axis_of_text
from .trial import PARTS

# A search sets them itself: the seeds of its trials, and the budget of each.
NOT_VARIED = ("seed", "sequences")
Part = TypeVar("Part", Task, ModelConfig, TrainingConfig)


@dataclasses.dataclass(frozen=True)
class Space:
    """What is searched: where it starts from, and the settings that vary.

    Attributes:
        task: The task.
        model: The model.
        training: How to train; its seed is not used.
        axes: By the name of a field of one of them, what it may be.
    """

    task: Task
    model: ModelConfig
    training: TrainingConfig
    axes: dict[str, Axis]

    def with_settings(
        self, settings: Mapping[str, Any]
    ) -> tuple[Task, ModelConfig, TrainingConfig]:
        """Task, model and training with these settings.

        Raises:
            ValueError: If one of them refuses a value.
        """

        def changed(part: Part) -> Part:
            own = {n: v for n, v in settings.items() if self._part(n) is part}
            return dataclasses.replace(part, **own)

        return changed(self.task), changed(self.model), changed(self.training)

    def trained_with(
        self, settings: Mapping[str, Any], seed: int = 1
    ) -> tuple[Task, ModelConfig, TrainingConfig]:
        """Task, model and training of a trial, with every value resolved.

        Raises:
            ValueError: If the settings do not go together.
        """
        task, model, training = self.with_settings(settings)
        training = dataclasses.replace(training, seed=seed)
        if training.epoch_steps is None:
            training = _with_an_epoch_a_part(training, task, model)
        return task, model, training.resolved(task, model)

    def _part(self, name: str) -> Any:
        """The training, the model or the task: what has a field."""
        owner = owner_of(name, self.task, self.model)
        parts = (self.training, self.model, self.task)
        return next(part for part in parts if type(part) is owner)

    @property
    def start(self) -> dict[str, Any]:
        """The settings before the search; those that lie outside of an axis are left
        out."""
        training = self.training.resolved(self.task, self.model)
        whole = dataclasses.replace(self, training=training)
        values = {name: getattr(whole._part(name), name) for name in self.axes}
        return {n: value for n, value in values.items() if value in self.axes[n]}


def _with_an_epoch_a_part(
    training: TrainingConfig, task: Task, model: ModelConfig
) -> TrainingConfig:
    """A trial is short: with the usual epochs it would be looked at once or twice."""
    # How many starts there is room for depends on the epochs, which are asked for here.
    resolved = dataclasses.replace(training, starts=1).resolved(task, model)
    steps = (resolved.sequences or 0) // (resolved.batch_size or 1) // PARTS
    steps = min(steps, usual_epoch_steps(task, model))
    steps = max(1, steps, least_epoch_steps(resolved, task))
    return dataclasses.replace(training, epoch_steps=steps)


def space_of(
    task: Task,
    model: ModelConfig,
    training: TrainingConfig,
    vary: Mapping[str, Range | Iterable[Any]],
) -> Space:
    """What `vary` says of a task, a model and a training.

    Raises:
        TypeError: If `vary` is no mapping.
        ValueError: If it is empty, names no parameter, or gives one no choice, values
            of another type, or values that it cannot have; if the task and the model
            cannot be trained so.
    """
    if not isinstance(vary, Mapping):
        raise TypeError(f"`vary` must be a mapping. Received: vary={shorten(vary)}")
    if not vary:
        raise ValueError("`vary` must name a setting. Received: vary={}")
    axes = {
        name: axis_of(value, field_of(name, task, model))
        for name, value in vary.items()
    }
    space = Space(task, model, training, axes)
    space.trained_with({})  # raises if there is nothing to start from
    for name in axes:
        _check_values(space, name)
    return space


def axes_of(texts: Sequence[str], task: Task, model: ModelConfig) -> dict[str, Axis]:
    """What texts such as `learning_rate=1e-4:1e-2:log` say, as `space_of` takes it.

    A text is NAME=LOW:HIGH, NAME=LOW:HIGH:log or NAME=VALUE,VALUE,...; numbers are
    whole where the setting is.

    Raises:
        ValueError: If a text has another form, names no parameter, or a value does not
            suit it.
    """
    axes: dict[str, Axis] = {}
    for text in texts:
        name, _, given = text.partition("=")
        name = name.strip().lstrip("-").replace("-", "_")
        if not given:
            raise ValueError(
                "`vary` must be as learning_rate=1e-4:1e-2:log or "
                f"controller_size=50,100. Received: {text!r}"
            )
        axes[name] = axis_of_text(given, field_of(name, task, model))
    return axes


def field_of(name: str, task: Task, model: ModelConfig) -> Field:
    """The field of a task, a model or a training that a name means.

    Raises:
        ValueError: If none has it, or a search sets it itself.
    """
    _check_varies(name, task, model)
    owner = owner_of(name, task, model)
    kind = parameter_types(owner)[name]
    return Field(name, kind, name in optional_parameters(owner))


def owner_of(name: str, task: Task, model: ModelConfig) -> Any:
    """The class that has a field, None if none has."""
    owners = (TrainingConfig, type(model), type(task))
    return next((owner for owner in owners if name in parameter_types(owner)), None)


def _check_varies(name: str, task: Task, model: ModelConfig) -> None:
    if name in NOT_VARIED:
        raise ValueError(
            f"`vary` must not name {name}: every trial has a seed of its own and the "
            "same number of sequences."
        )
    if owner_of(name, task, model) is not None:
        return
    owners = (TrainingConfig, type(model), type(task))
    known = [
        n for owner in owners for n in parameter_types(owner) if n not in NOT_VARIED
    ]
    near = difflib.get_close_matches(name, known, n=3) or known
    raise ValueError(
        f"`vary` must name a setting of the training, of {model.label} or of "
        f"{task.name}, such as {', '.join(near)}. Received: {name}"
    )


def _check_values(space: Space, name: str) -> None:
    """Raises ValueError if a setting cannot have one of its values, or an end of its
    range: neither beside the start nor beside a value of another setting."""
    others = [
        {other: value}
        for other, axis in space.axes.items()
        for value in axis.extremes
        if other != name
    ]
    for value in space.axes[name].extremes:
        reason = _refusal(space, {name: value})
        if reason and all(_refusal(space, {name: value, **other}) for other in others):
            raise ValueError(
                f"`vary` must give {name} values that it can have. Received: "
                f"{name}={text_of(value)} ({reason.partition('. Received')[0]})"
            )


def _refusal(space: Space, settings: Mapping[str, Any]) -> str:
    """Why a trial cannot have these settings; empty if it can."""
    try:
        space.trained_with(settings)
    except (ValueError, TypeError) as error:
        return str(error)
    return ""
