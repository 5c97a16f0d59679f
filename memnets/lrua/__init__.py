"""A memory whose heads write to the least recently used row, or where they read."""

from .cell import LRUACell, LRUAState
from .layer import LRUA

__all__ = ["LRUA", "LRUACell", "LRUAState"]
