"""Tapes: a ring of cells with a head that moves."""

from .cell import TapeCell
from .layer import TapeRNN
from .memory import TapeState

__all__ = ["TapeCell", "TapeRNN", "TapeState"]
