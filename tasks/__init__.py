"""Algorithmic tasks, training on them, and reports."""

import importlib

from tasks.base import Batch, Task
from tasks.copy_task import Copy
from tasks.priority_sort import PrioritySort

TASKS = {task.name: task for task in (Copy, PrioritySort)}

# Whatever needs Keras is imported when it is first used, so that listing the tasks does
# not.
_LAZY = {
    "train": "tasks.training",
    "TrainingConfig": "tasks.training",
    "evaluate": "tasks.training",
}

__all__ = ["TASKS", "Batch", "Copy", "PrioritySort", "Task", *_LAZY]


def __getattr__(name):
    if name in _LAZY:
        return getattr(importlib.import_module(_LAZY[name]), name)
    raise AttributeError(f"module 'tasks' has no attribute {name!r}")
