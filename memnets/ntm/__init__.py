"""The Neural Turing Machine."""

from .cell import NTMCell
from .layer import NTM
from .memory import NTMState

__all__ = ["NTM", "NTMCell", "NTMState"]
