"""The Differentiable Neural Computer."""

from .cell import DNCCell, DNCState
from .layer import DNC

__all__ = ["DNC", "DNCCell", "DNCState"]
