"""The settings that a search varies, and what each may be."""

import dataclasses
import difflib
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, TypeVar

from ..checks import shorten
from ..contract.parameters import (
    FLAGS,
    NONE,
    numbers,
    optional_parameters,
    parameter_types,
    text_of,
)
from ..contract.task import Task
from ..models.base import ModelConfig
from ..runs.training_config import TrainingConfig
from .axis import Axis, Range
from .trial import PARTS

# A search sets them itself: the seeds of its trials, and the budget of each.
NOT_VARIED = ("seed", "sequences")


_KINDS: dict[Any, Any] = {bool: bool, int: int, float: (int, float), str: str}
_NUMBERS = (int, float, numbers)

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
        owner = _owner(name, self.task, self.model)
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
    steps = min(steps, resolved.steps_per_epoch)
    steps = max(1, steps, resolved.least_epoch_steps(task))
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
    axes: dict[str, Axis] = {}
    for name, axis in vary.items():
        _check_varies(name, task, model)
        kind = parameter_types(_owner(name, task, model))[name]
        if isinstance(axis, Range):
            axes[name] = _range_of(name, axis, kind)
            continue
        is_list = isinstance(axis, Iterable) and not isinstance(axis, str)
        values = tuple(axis) if is_list else ()
        if len(values) < 2:
            raise ValueError(
                f"`vary` must give {name} a Range or at least two values. "
                f"Received: {shorten(axis)}"
            )
        for value in values:
            _check_kind(name, value, kind)
        axes[name] = values
    space = Space(task, model, training, axes)
    space.trained_with({})  # raises if there is nothing to start from
    for name in axes:
        _check_values(space, name)
    return space


def _check_values(space: Space, name: str) -> None:
    """Raises ValueError if a setting cannot have one of its values, or an end of its
    range: neither beside the start nor beside a value of another setting."""
    others = [
        {other: value}
        for other, axis in space.axes.items()
        for value in _ends(axis)
        if other != name
    ]
    for value in _ends(space.axes[name]):
        reason = _refusal(space, {name: value})
        if reason and all(_refusal(space, {name: value, **other}) for other in others):
            raise ValueError(
                f"`vary` must give {name} values that it can have. Received: "
                f"{name}={text_of(value)} ({reason.partition('. Received')[0]})"
            )


def _ends(axis: Axis) -> tuple[Any, ...]:
    """The values of a setting, or the ends of its range."""
    return (axis.low, axis.high) if isinstance(axis, Range) else axis


def _refusal(space: Space, settings: Mapping[str, Any]) -> str:
    """Why a trial cannot have these settings; empty if it can."""
    try:
        space.trained_with(settings)
    except (ValueError, TypeError) as error:
        return str(error)
    return ""


def _range_of(name: str, axis: Range, kind: Callable[[str], Any]) -> Range:
    """The range in the numbers of a setting: of an integer in integers, of another
    number in real ones."""
    if kind not in _NUMBERS:
        raise ValueError(f"`vary` must give {name} values: only numbers have a range.")
    for end in (axis.low, axis.high):
        _check_kind(name, int(end) if end == int(end) else end, kind)
    number = int if kind is int else float
    return Range(number(axis.low), number(axis.high), axis.log)


def _check_kind(name: str, value: Any, kind: Callable[[str], Any]) -> None:
    is_flag = isinstance(value, bool)
    suits = kind not in _KINDS or isinstance(value, _KINDS[kind])
    if value is not None and (not suits or (is_flag and kind is not bool)):
        raise ValueError(
            f"`vary` must give {name} values of type {kind.__name__}. "
            f"Received: {shorten(value)}"
        )


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
        _check_varies(name, task, model)
        axes[name] = _axis(name, given, _owner(name, task, model))
    return axes


def _axis(name: str, given: str, owner: Any) -> Axis:
    kind = parameter_types(owner)[name]
    ends = given.split(":")
    try:
        if len(ends) == 1:
            or_none = name in optional_parameters(owner)
            values = tuple(_value(word, kind, or_none) for word in given.split(","))
            if len(set(values)) < 2:
                raise ValueError("it names only one value")
            return values
        if len(ends) > 3 or ends[2:] not in ([], ["log"]):
            raise ValueError("a range is LOW:HIGH or LOW:HIGH:log")
        if kind not in _NUMBERS:
            raise ValueError("only numbers have a range")
        low, high = (_value(word, kind) for word in ends[:2])
        return Range(low, high, log=len(ends) == 3)
    except (ValueError, TypeError, KeyError) as error:
        reason = (
            str(error).replace("`low`", "the lowest").replace("`high`", "the highest")
        )
        raise ValueError(
            f"`vary` must give {name} values that it can have. Received: "
            f"{name}={given} ({reason.partition('. Received')[0]})"
        ) from None


def _value(word: str, kind: Callable[[str], Any], or_none: bool = False) -> Any:
    word = word.strip()
    if or_none and word == NONE:
        return None
    if kind is bool:
        return FLAGS[word.lower()]
    if kind is int and re.fullmatch(r"\d+e\d+", word):  # 1e3 is a whole number too
        return int(float(word))
    return kind(word)


def _owner(name: str, task: Task, model: ModelConfig) -> Any:
    """The class that has a field, None if none has."""
    owners = (TrainingConfig, type(model), type(task))
    return next((owner for owner in owners if name in parameter_types(owner)), None)


def _check_varies(name: str, task: Task, model: ModelConfig) -> None:
    if name in NOT_VARIED:
        raise ValueError(
            f"`vary` must not name {name}: every trial has a seed of its own and the "
            "same number of sequences."
        )
    if _owner(name, task, model) is not None:
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
