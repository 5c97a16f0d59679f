"""Recurrent cells, one a file."""

from .feedforward import FeedforwardCell

__all__ = ["FeedforwardCell"]
