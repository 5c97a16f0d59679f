"""The tasks by name."""

from .algorithmic.associative_recall import AssociativeRecall
from .algorithmic.copy_task import Copy
from .algorithmic.dynamic_ngrams import DynamicNGrams
from .algorithmic.priority_sort import PrioritySort
from .algorithmic.repeat_copy import RepeatCopy
from .base import Task
from .batch_checks import lookup

_ALL = (Copy, RepeatCopy, AssociativeRecall, DynamicNGrams, PrioritySort)
TASKS = {task.name: task for task in _ALL}


def get_task(name: str, **parameters) -> Task:
    """The task of that name with the given parameters.

    Raises:
        ValueError: If there is no such task, or a parameter is out of its range.
    """
    return lookup("task", name, TASKS)(**parameters)
