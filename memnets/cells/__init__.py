"""Recurrent cells, one a file."""

from memnets.cells.feedforward import FeedforwardCell

__all__ = ["FeedforwardCell"]
