"""The values of a training that follow from its task and its model."""

import dataclasses
import math
from typing import TYPE_CHECKING, Any

from ..contract.length_ranges import check_test_lengths, lengths_of
from ..contract.splits import EPOCHS

if TYPE_CHECKING:
    from ..contract.task import Task
    from ..models.base import ModelConfig


# What holds where neither the user nor a task says otherwise.
DEFAULTS: dict[str, Any] = {
    "batch_size": 16,
    "optimizer": "adam",
    "schedule": "cosine",
    "epoch_steps": 100,
    "patience": 0,
    "starts": 1,
    "stateful": False,
}
# Learning rates of the papers of optimizers whose scale is another one than Adam's:
# Graves (2013) and Zeiler (2012).
RATES = {"rmsprop": 1e-4, "adadelta": 1.0}
# Tuned: the share of such a budget after which a training without a better validation
# ends, see docs/training.md.
PATIENCE_SHARE = 1 / 3
# Heuristic: scores of one epoch are noisy, in a short training above all.
LEAST_PATIENCE = 3
# Heuristic: how much shorter an epoch may get so that more of a budget is whole epochs.
SHORTEST = 3 / 4


def resolve(config: Any, task: "Task", model: "ModelConfig") -> Any:
    """A `TrainingConfig` with the task's or the model's own values where none were
    given.

    Args:
        config: What was given.
        task: What is trained on.
        model: What is trained.
    Raises:
        ValueError: If the task or the model cannot be trained so.
    """
    given, recipe = config, task.recipe
    defaults = {
        "sequences": model.sequences,
        "learning_rate": model.learning_rate,
        "clip_norm": model.clip_norm,
        "curriculum": recipe.curriculum,
        **DEFAULTS,
        "keep": "best" if recipe.validation_measure else "last",
        **recipe.training_parameters(type(model)),
        **_budget_in_passes(given, task),
        **_own_of_options(given),
    }
    missing = {k: v for k, v in defaults.items() if getattr(given, k) is None}
    config = dataclasses.replace(given, **missing)
    if given.epoch_steps is None and given.has_budget:
        config = _with_epochs_of_budget(config, task, model)
    config = _with_epochs_for_success(config, task, given.epoch_steps)
    if given.starts is None:
        config = dataclasses.replace(config, starts=_fitting_starts(config, model))
    # Whoever gives a budget wants all of it.
    if given.patience is None and not given.has_budget:
        config = dataclasses.replace(config, patience=_patience_of(config, task))
    _check_starts(config, model)
    if config.warmup is None:
        most = config.scheduled_steps // 10
        usual = 0 if config.schedule == "halving" else min(model.warmup, most)
        config = dataclasses.replace(config, warmup=usual)
    _check_suits(config, task)
    return config


def _own_of_options(given: Any) -> dict[str, Any]:
    """What follows from options that were given, whatever the task's own is."""
    own: dict[str, Any] = {}
    if given.optimizer in RATES:
        own["learning_rate"] = RATES[given.optimizer]
    if given.clip_value is not None:
        own["clip_norm"] = 0.0
    return own


def usual_epoch_steps(task: "Task", model: "ModelConfig") -> int:
    """Batches of an epoch where no budget is given."""
    own = task.recipe.training_parameters(type(model))
    return own.get("epoch_steps", DEFAULTS["epoch_steps"])


def _with_epochs_of_budget(config: Any, task: "Task", model: "ModelConfig") -> Any:
    """The same with epochs that suit a budget that was given. A task that is validated
    has as many of them as with its own budget, or `EPOCHS` if those are fewer. Every
    task has epochs so long that few sequences are left over.

    Args:
        config: A `TrainingConfig` with the budget resolved.
        task: The task.
        model: What is trained.
    """
    usual = usual_epoch_steps(task, model)
    steps = max(1, config.sequences // config.batch_size)
    if steps // usual >= EPOCHS:
        return config
    most = min(usual, steps)
    if task.recipe.validation_measure:
        own = task.recipe.training_parameters(type(model))
        batches = own.get("sequences", model.sequences) // config.batch_size
        epochs = min(EPOCHS, max(1, batches // usual))
        most = max(1, min(usual, steps // epochs))
    least = min(most, max(least_epoch_steps(config, task), math.ceil(SHORTEST * most)))
    # The longest of those that leave the fewest batches over.
    lengths = range(most, least - 1, -1)
    epoch_steps = min(lengths, key=lambda length: steps % length)
    return dataclasses.replace(config, epoch_steps=epoch_steps)


def least_epoch_steps(config: Any, task: "Task") -> int:
    """Batches that an epoch must have for a success of the task; 1 if the budget is too
    short for two such epochs, as no network is right in the first."""
    needed = task.success.epoch_sequences if task.success else 1
    if config.known("sequences") < 2 * needed:
        return 1
    return -(-needed // config.known("batch_size"))


def _with_epochs_for_success(config: Any, task: "Task", asked: int | None) -> Any:
    """The same with epochs that are long enough for a success, unless `asked` says how
    many steps they have."""
    least = least_epoch_steps(config, task)
    if config.known("epoch_steps") >= least:
        return config
    if asked is None:
        return dataclasses.replace(config, epoch_steps=least)
    needed = task.success.epoch_sequences if task.success else 1
    raise ValueError(
        f"`epoch_steps` must be at least {least} for the task {task.name} with "
        f"batches of {config.batch_size}, as its success takes an epoch of "
        f"{needed:,} sequences. Received: epoch_steps={asked}"
    )


def _budget_in_passes(config: Any, task: "Task") -> dict[str, int]:
    """The `sequences` that the `passes` of a configuration mean for a task; empty if
    they are not given.

    Args:
        config: A `TrainingConfig`.
        task: The task.
    Raises:
        ValueError: If the data of the task has no end, or `sequences` say otherwise.
    """
    if config.passes is None:
        return {}
    size = _pass_sequences(task)
    if size is None:
        raise ValueError(
            "`passes` must not be given for a task whose data has no end. "
            f"Received: passes={config.passes:g}, task {task.name}"
        )
    sequences = max(1, round(config.passes * size))
    if config.sequences not in (None, sequences):
        raise ValueError(
            "`passes` and `sequences` are both the budget: give one of them. "
            f"Received: passes={config.passes:g}, sequences={config.sequences}"
        )
    return {"sequences": sequences}


def _patience_of(config: Any, task: "Task") -> int:
    """The patience of a budget that goes by the data, in sequences; 0 for a task that
    is not validated, or whose data has no end.

    Args:
        config: A `TrainingConfig` with the budget resolved.
        task: The task.
    """
    if not task.recipe.validation_measure or _pass_sequences(task) is None:
        return 0
    share = round(PATIENCE_SHARE * config.trained_sequences)
    return max(share, LEAST_PATIENCE * config.sequences_per_epoch)


def _pass_sequences(task: "Task") -> int | None:
    """Only tasks with a corpus have passes, see `tasks.SplitTask`."""
    return getattr(task, "pass_sequences", None)


def _fitting_starts(config: Any, model: "ModelConfig") -> int:
    """The task's own number of starts, or as many as a training can have.

    Args:
        config: A `TrainingConfig` with the budget and the starts resolved.
        model: What is trained.
    """
    starts = config.starts or 1
    if config.stateful or not model.is_drawn or starts == 1:
        return 1
    most = config.epochs // (2 * config.start_epochs)
    return max(1, min(starts, most))


def _check_starts(config: Any, model: "ModelConfig") -> None:
    """Raises ValueError if a `TrainingConfig` cannot have its number of starts."""
    if config.starts in (None, 1):
        return
    if config.stateful:
        raise ValueError(
            "`starts` must be 1 for a training that is stateful. "
            f"Received: starts={config.starts}"
        )
    if not model.is_drawn:
        raise ValueError(
            "`starts` must be 1 for a Keras model that is given: its weights are "
            "there already. Pass a function that makes the model. "
            f"Received: starts={config.starts}"
        )
    if 2 * config.choosing_epochs > config.epochs:
        raise ValueError(
            "`starts` must leave half of the budget. Received: starts="
            f"{config.starts}, of {config.start_epochs} epochs each, of {config.epochs}"
        )


def _check_suits(config: Any, task: "Task") -> None:
    """Raises ValueError if a task cannot be trained so."""
    is_validated = bool(task.recipe.validation_measure)
    if config.stateful and not task.every_step:
        raise ValueError(
            "`stateful` must be False for a task with one answer a sequence. "
            f"Received: stateful=True, task {task.name}"
        )
    if config.test_lengths is not None:
        check_test_lengths(task, lengths_of(config.test_lengths))
    elif config.test_sequences is not None:
        raise ValueError("`test_sequences` needs `test_lengths`, such as 41-500:9.")
    if config.curriculum:
        task.stream.easier(0.0)  # raises if the task has no smaller sequences
    if config.keep == "best" and not is_validated:
        raise ValueError(
            "`keep` must be 'last' for a task that is not validated in training. "
            f"Received: keep='best', task {task.name}"
        )
    if config.patience and not is_validated:
        raise ValueError(
            "`patience` must be 0 for a task that is not validated in training. "
            f"Received: patience={config.patience}, task {task.name}"
        )
