"""Lengths as a text: `41-500`, `41-500:9` in steps of 9, or several as `20,40,80`."""

import re
from typing import TYPE_CHECKING

from .of_few_tasks import least_length

if TYPE_CHECKING:
    from .task import Task

# Heuristic: more take days to evaluate.
MOST = 10_000


def lengths_of(text: str, name: str = "lengths") -> list[int]:
    """The lengths that a text names, from the shortest to the longest.

    Args:
        text: The text.
        name: What messages call it.
    Raises:
        ValueError: If it is not of that form.
    Example:
        >>> lengths_of("41-70:10,100")
        [41, 51, 61, 100]
    """
    lengths: set[int] = set()
    for part in str(text).split(","):
        found = re.fullmatch(r"(\d{1,9})(?:-(\d{1,9})(?::(\d{1,9}))?)?", part.strip())
        first, last, step = found.groups() if found else ("0", None, None)
        own = range(int(first), int(last or first) + 1, int(step or 1) or 1)
        if not found or step in ("0",) or not own or int(first) < 1:
            raise ValueError(
                f"`{name}` must be lengths from 1 on, as 41-500, 41-500:9 or 20,40,80. "
                f"Received: {name}={text!r}"
            )
        lengths |= set(own[:MOST])
        if len(own) > MOST or len(lengths) > MOST:
            raise ValueError(
                f"`{name}` must name at most {MOST:,} lengths. Received: {text!r}"
            )
    return sorted(lengths)


def text_of_lengths(lengths: list[int]) -> str:
    """The shortest text that names sorted lengths.

    Example:
        >>> text_of_lengths([41, 51, 61]), text_of_lengths([20, 40, 80])
        ('41-61:10', '20,40,80')
    """
    steps = {b - a for a, b in zip(lengths, lengths[1:], strict=False)}
    if len(steps) != 1 or len(lengths) < 3:
        return ",".join(map(str, lengths))
    (step,) = steps
    return f"{lengths[0]}-{lengths[-1]}" + (f":{step}" if step > 1 else "")


def check_test_lengths(task: "Task", lengths: list[int]) -> list[int]:
    """Returns sorted lengths that a score of a task can be of.

    Raises:
        ValueError: If one is too short, or the task has no such test.
    """
    for length in (lengths[0], lengths[-1]):
        task.evaluation.at_length(length)  # raises if the task has none of it
    if task.evaluation.score_measure is None:
        raise ValueError(
            f"`test_lengths` must not be given for the task {task.name}, "
            "whose answers are not right or wrong at a length."
        )
    if lengths[0] < least_length(task):
        raise ValueError(
            f"`test_lengths` must be at least {least_length(task)} for the task "
            f"{task.name}. Received: {lengths[0]}"
        )
    return lengths
