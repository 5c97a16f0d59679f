"""The Differentiable Neural Computer."""

from .cell import DNCCell
from .layer import DNC
from .memory import DNCState

__all__ = ["DNC", "DNCCell", "DNCState"]
