"""Stacks, queues, deques and lists."""

from .cell import StackCell
from .layer import StackRNN
from .memory import StackState

__all__ = ["StackCell", "StackRNN", "StackState"]
