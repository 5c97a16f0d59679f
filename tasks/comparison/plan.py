"""What a comparison trains, and where each run is kept."""

import dataclasses
import os
import pathlib
from collections.abc import Iterable, Sequence
from typing import Any

from ..contract.task import Task
from ..models.base import ModelConfig
from ..own_code import is_own
from ..registry import MODELS, TASKS, as_model
from ..runs.files import plain
from ..runs.run import Run
from ..runs.saved_config import saved_model
from ..training_options.training_config import TESTED, TrainingConfig
from .labels import folder_name, label_of, model_from_text

QUICK = 8  # a quick comparison has one part in so many of the sequences


@dataclasses.dataclass(frozen=True)
class Job:
    """One run of a comparison.

    Attributes:
        task: What it is trained on.
        model: What is trained.
        training: How, with every value resolved.
        path: The directory of the run.
    """

    task: Task
    model: ModelConfig
    training: TrainingConfig
    path: pathlib.Path

    @property
    def config(self) -> dict:
        """Task, model and training by name, as JSON gives them back."""
        return plain(
            {
                "task": {"name": self.task.name, **self.task.parameters},
                "model": {"name": self.model.name, **self.model.parameters},
                "training": dataclasses.asdict(self.training),
            }
        )

    def is_of(self, run: Run) -> bool:
        """Whether a run has the parameters of this job, whatever it is tested on."""
        asked = {name: getattr(self.training, name) for name in TESTED}
        training = dataclasses.replace(run.training, **asked)
        return Job(run.task, run.model, training, self.path).config == self.config


def make_plan(
    task: Task,
    models: Iterable[Any],
    seeds: Iterable[int],
    folder: str | os.PathLike[str],
    training: TrainingConfig,
    *,
    quick: bool = False,
    imports: Sequence[str] = (),
) -> list[Job]:
    """The runs of a comparison, all models of one seed after another.

    Args:
        task: The task.
        models: Models as `tasks.train` takes them, or texts with parameters such as
            `ntm-lstm:memory-size=64`.
        seeds: The seeds.
        folder: Directory of the comparison.
        training: How to train; its seed is replaced.
        quick: Whether to train each model with an eighth of its sequences.
        imports: The files or modules that register what is not of this package.
    Raises:
        ValueError: If a task or model is not registered, or a name is unknown.
    """
    _check_known("task", task.name, TASKS.get(task.name), imports)
    if TASKS[task.name] is not type(task):
        raise ValueError(_not_registered("task", task.name))
    chosen = {}
    for model in models:
        is_text = isinstance(model, str)
        config = model_from_text(model, task) if is_text else as_model(model, task)
        _check_model(config, imports)
        chosen[label_of(config, task)] = config
    plan = []
    for seed in dict.fromkeys(seeds):
        for label, model in chosen.items():
            own = dataclasses.replace(training, seed=seed)
            if quick:
                own = _quick(own, task, model)
            path = pathlib.Path(folder, folder_name(label, seed))
            plan.append(Job(task, model, own.resolved(task, model), path))
    return plan


def _quick(training: TrainingConfig, task: Task, model: ModelConfig) -> TrainingConfig:
    """A training with a quick budget. Where the budget goes by the data, its epochs are
    parts of it, and get shorter too: there would be one only."""
    whole = training.resolved(task, model)
    quick = with_quick_budget(training, task, model)
    if not whole.patience or training.epoch_steps is not None:
        return quick
    return dataclasses.replace(quick, epoch_steps=-(-whole.steps_per_epoch // QUICK))


def with_quick_budget(
    training: TrainingConfig, task: Task, model: ModelConfig
) -> TrainingConfig:
    """A training with one part in `QUICK` of its sequences.

    Values that follow from the budget are still to be resolved.
    """
    whole = training.resolved(task, model).sequences or 0
    sequences = max(1, whole // QUICK)
    return dataclasses.replace(training, sequences=sequences, passes=None)


def _check_model(model: ModelConfig, imports: Sequence[str]) -> None:
    name = model.name if model.name in MODELS else model.label
    _check_known("model", name, MODELS.get(name), imports)
    # A Keras model may have the name of a registered one and be another.
    if saved_model({"name": model.name, **model.parameters}) != model:
        raise ValueError(_not_registered("model", name))


def _check_known(kind: str, name: str, entry: Any, imports: Sequence[str]) -> None:
    """Each run has a process of its own, which must find the task and the model."""
    if entry is None:
        raise ValueError(_not_registered(kind, name))
    if is_own(entry) and not imports:
        raise ValueError(
            f"`imports` must name the file or module that registers the {kind} {name} "
            "(memnets --import FILE): each run has a process of its own."
        )


def _not_registered(kind: str, name: str) -> str:
    return (
        f"The {kind} {name} must be registered to be compared, with "
        f"tasks.register_{kind}: each run has a process of its own."
    )
