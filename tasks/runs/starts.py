"""Several draws of the first weights: how many a training can have."""

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from ..models.base import ModelConfig


def fitting_starts(config: Any, model: "ModelConfig") -> int:
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


def check_starts(config: Any, model: "ModelConfig") -> None:
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
