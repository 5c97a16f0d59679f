"""A training run on disk: configuration, history, checkpoint, model."""

from .directory import create_run, open_run, resume_run
from .files import RunError
from .history import History
from .lock import in_use, locked
from .run import Run
from .training_config import TrainingConfig

__all__ = [
    "History",
    "Run",
    "RunError",
    "TrainingConfig",
    "create_run",
    "in_use",
    "locked",
    "open_run",
    "resume_run",
]
