"""Algorithmic tasks, training on them, and reports."""

import importlib

from tasks.associative_recall import AssociativeRecall
from tasks.base import Batch, Task
from tasks.copy_task import Copy
from tasks.dynamic_ngrams import DynamicNGrams
from tasks.models import MODELS, ModelConfig
from tasks.pretrained import load_pretrained
from tasks.priority_sort import PrioritySort
from tasks.registry import TASKS
from tasks.repeat_copy import RepeatCopy
from tasks.runs import Run, RunError, open_run
from tasks.training_config import TrainingConfig

# What needs Keras is imported at its first use, so that listing the tasks is quick.
_LAZY = {
    "LengthResult": "tasks.evaluation",
    "Training": "tasks.training",
    "TrainingDiverged": "tasks.training",
    "evaluate": "tasks.evaluation",
    "train": "tasks.training",
    "write_report": "tasks.report",
}

__all__ = [
    "MODELS",
    "TASKS",
    "AssociativeRecall",
    "Batch",
    "Copy",
    "DynamicNGrams",
    "ModelConfig",
    "PrioritySort",
    "RepeatCopy",
    "Run",
    "RunError",
    "Task",
    "TrainingConfig",
    "load_pretrained",
    "open_run",
    *_LAZY,
]


def __getattr__(name):
    if name in _LAZY:
        return getattr(importlib.import_module(_LAZY[name]), name)
    raise AttributeError(f"module 'tasks' has no attribute {name!r}")
