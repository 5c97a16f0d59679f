"""Networks that look several times at a list of texts."""

from .key_value_memory import KeyValueMemory
from .memory_network import MemoryNetwork

__all__ = ["KeyValueMemory", "MemoryNetwork"]
