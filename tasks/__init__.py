"""Algorithmic tasks, training on them, and reports."""

import importlib

from .algorithmic.associative_recall import AssociativeRecall
from .algorithmic.copy_task import Copy
from .algorithmic.dynamic_ngrams import DynamicNGrams
from .algorithmic.priority_sort import PrioritySort
from .algorithmic.repeat_copy import RepeatCopy
from .base import Batch, Task
from .models import MODELS, ModelConfig
from .pretrained import load_pretrained
from .registry import TASKS
from .runs.run import Run, RunError, open_run
from .runs.training_config import TrainingConfig

# What needs Keras is imported at its first use, so that listing the tasks is quick.
_LAZY = {
    "LengthResult": ".evaluation",
    "Training": ".training.training",
    "TrainingDiverged": ".training.training",
    "evaluate": ".evaluation",
    "train": ".training.training",
    "write_report": ".report.report",
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
        return getattr(importlib.import_module(_LAZY[name], __name__), name)
    raise AttributeError(f"module 'tasks' has no attribute {name!r}")
