"""A sparse access memory, whose heads touch a few of many rows."""

from .cell import SAMCell, SAMState
from .layer import SAM

__all__ = ["SAM", "SAMCell", "SAMState"]
