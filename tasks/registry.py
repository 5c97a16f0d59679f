"""The tasks by name."""

from tasks.associative_recall import AssociativeRecall
from tasks.base import Task
from tasks.checks import lookup
from tasks.copy_task import Copy
from tasks.dynamic_ngrams import DynamicNGrams
from tasks.priority_sort import PrioritySort
from tasks.repeat_copy import RepeatCopy

_ALL = (Copy, RepeatCopy, AssociativeRecall, DynamicNGrams, PrioritySort)
TASKS = {task.name: task for task in _ALL}


def get_task(name: str, **parameters) -> Task:
    """The task of that name with the given parameters.

    Raises:
        ValueError: If there is no such task, or a parameter is out of its range.
    """
    return lookup("task", name, TASKS)(**parameters)
