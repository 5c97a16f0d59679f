"""A task of a run with other values of some parameters."""

import dataclasses
from typing import Any

from ..checks import shorten
from .corpus_task import CorpusTask
from .splits import WHOLE, SplitTask
from .task import Task


def altered(task: Task, **parameters: Any) -> Task:
    """The same task with other parameters, on the same split: what options of the task
    do in `memnets evaluate RUN`.

    The vocabulary, which a network has, stays: no parameter of `learned_with` may
    change. Of a parameter in `found_in`, another value lets the task find anew what it
    found there. If that is other data, nothing of it was trained on: the task is then
    on all of it, if it has such a split.

    Args:
        task: The task, such as `run.task`.
        **parameters: Those that are to be others.
    Raises:
        ValueError: If the vocabulary would be another one, or as the task.
    Example:
        >>> altered(tasks.get_task("copy"), min_length=5).min_length
        5
    """
    changed = {k for k, v in parameters.items() if getattr(task, k, None) != v}
    for name in getattr(task, "learned_with", ()):
        if name in changed:
            raise ValueError(
                f"`{name}` must be {getattr(task, name)!r}, with which the vocabulary "
                f"was learned. Received: {name}={shorten(parameters[name])}"
            )
    found: dict[str, str] = getattr(task, "found_in", {})
    anew = {name: "" for source, name in found.items() if source in changed}
    other: Any = dataclasses.replace(task, **{**anew, **parameters})
    if isinstance(task, SplitTask):
        is_new = any(getattr(other, name) != getattr(task, name) for name in anew)
        other = other.on(WHOLE if is_new and WHOLE in other.splits else task.split)
    return other.load() if isinstance(other, CorpusTask) else other
