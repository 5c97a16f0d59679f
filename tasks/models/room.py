"""Whether a memory has room for the sequences of an evaluation."""

from collections.abc import Iterable

from ..contract.task import Task
from .base import ModelConfig


def room_note(
    task: Task, model: ModelConfig, lengths: Iterable[int] | None = None
) -> str | None:
    """What to say of a memory that holds one symbol a place and has too few of them.

    Args:
        task: The task.
        model: The model.
        lengths: Lengths of the strings; those of an evaluation if None.
    Returns:
        A sentence, or None where there are enough places, or neither the task nor the
        model has a number of them.
    """
    name, needed = model.places, task.recipe.places_needed(lengths)
    if name is None or needed is None or getattr(model, name) >= needed:
        return None
    return (
        f"`{name}` should be at least {needed}, the symbols of the longest string of "
        f"the evaluation: the model {model.name} holds one symbol a place. "
        f"Received: {name}={getattr(model, name)}"
    )
