"""Recurrent cells, one a file; their contract is in `memnets.cells.base`."""

from .base import Cell
from .clipped_lstm import ClippedLSTMCell
from .feedforward import FeedforwardCell

__all__ = ["Cell", "ClippedLSTMCell", "FeedforwardCell"]
