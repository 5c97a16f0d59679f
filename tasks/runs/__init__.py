"""A training run on disk: configuration, history, checkpoint, model."""

import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from ..training_options.training_config import TrainingConfig as TrainingConfig
    from .directory import create_run as create_run
    from .directory import open_run as open_run
    from .directory import resume_run as resume_run
    from .files import RunError as RunError
    from .history import History as History
    from .lock import in_use as in_use
    from .lock import locked as locked
    from .run import Run as Run

# Imported at their first use: text metrics write JSON as runs do, and need no tasks.
_MODULES = {
    "History": ".history",
    "Run": ".run",
    "RunError": ".files",
    "TrainingConfig": "..training_options.training_config",
    "create_run": ".directory",
    "in_use": ".lock",
    "locked": ".lock",
    "open_run": ".directory",
    "resume_run": ".directory",
}

__all__ = [*_MODULES]


def __getattr__(name: str) -> Any:
    if name in _MODULES:
        return getattr(importlib.import_module(_MODULES[name], __name__), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
