"""Keras layers with memory."""

from . import access, addressing, cells
from .baselines import StackedLSTM
from .ntm import NTM, NTMCell, NTMState
from .rnn import MemoryRNN
from .saving.saving import LoadError, SaveError, load, save
from .version import __version__

__all__ = [
    "NTM",
    "LoadError",
    "MemoryRNN",
    "NTMCell",
    "NTMState",
    "SaveError",
    "StackedLSTM",
    "__version__",
    "access",
    "addressing",
    "cells",
    "load",
    "save",
]
