"""A sparse access memory, whose heads touch a few of many rows."""

from .cell import SAMCell
from .layer import SAM
from .memory import SAMState

__all__ = ["SAM", "SAMCell", "SAMState"]
