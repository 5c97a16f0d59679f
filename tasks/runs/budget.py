"""Budgets of trainings on a corpus, which go by the size of its data."""

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from ..contract.task import Task


# Tuned: the share of such a budget after which a training without a better validation
# ends, see docs/training.md.
PATIENCE_SHARE = 1 / 3
# Heuristic: scores of one epoch are noisy, in a short training above all.
LEAST_PATIENCE = 3


def budget_in_passes(config: Any, task: "Task") -> dict[str, int]:
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


def patience_of(config: Any, task: "Task") -> int:
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
