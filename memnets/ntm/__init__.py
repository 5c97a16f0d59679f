"""The Neural Turing Machine."""

from .cell import NTMCell, NTMState
from .layer import NTM

__all__ = ["NTM", "NTMCell", "NTMState"]
