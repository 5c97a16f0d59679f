"""What only few tasks say of themselves, and what holds for all others."""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from .parts import Batch
    from .task import Task


def is_read_whole(task: "Task") -> bool:
    """Whether nothing of an answer comes in, and steps without an input are padding, so
    that a model may see the whole input at every step."""
    return getattr(task, "is_read_whole", False)


def least_length(task: "Task") -> int:
    """The shortest length that a score may be of."""
    return getattr(task, "least_length", 1)


def mastered_epochs(task: "Task") -> int:
    """Consecutive epochs after which a training ends, as its validation, a share, was 1
    in all of them; 0 for never."""
    return getattr(task.recipe, "mastered_epochs", 0)


def evaluated_things(task: "Task") -> str:
    """What an evaluation counts, the heading of its column."""
    return getattr(task.presentation, "evaluated", "sequences")


def staged_batch(
    task: "Task", share: float, index: int, size: int, seed: int
) -> "Batch | None":
    """`batch` of the stream of a task, `share` < 1 of the way through a curriculum.

    Raises:
        ValueError: If batches are drawn whole, and none of them is easier.
    """
    if staged := getattr(task.stream, "staged_batch", None):
        batch: Batch = staged(share, index, size, seed)
        return batch
    if task.stream.batch(index, size, seed) is not None:
        raise task.stream.no_easier()
    return None
