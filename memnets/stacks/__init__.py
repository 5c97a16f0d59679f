"""Stacks, queues, deques and lists."""

from .cell import StackCell, StackState
from .layer import StackRNN

__all__ = ["StackCell", "StackRNN", "StackState"]
