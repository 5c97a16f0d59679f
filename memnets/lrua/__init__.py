"""A memory whose heads write to the least recently used row, or where they read."""

from .cell import LRUACell
from .layer import LRUA
from .memory import LRUAState

__all__ = ["LRUA", "LRUACell", "LRUAState"]
