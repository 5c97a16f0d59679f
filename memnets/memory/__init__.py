"""What all memories share: the contract of a kind, the cell and the layer that run any
kind."""

from .base import Memory
from .cell import MemoryCell
from .layer import MemoryLayer
from .tracing import row_trace

__all__ = ["Memory", "MemoryCell", "MemoryLayer", "row_trace"]
