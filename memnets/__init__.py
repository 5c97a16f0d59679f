"""Keras layers with memory."""

from memnets import access, addressing, cells
from memnets.baselines import StackedLSTM
from memnets.ntm import NTM, NTMCell, NTMState
from memnets.rnn import MemoryRNN
from memnets.saving import LoadError, SaveError, load, save
from memnets.version import __version__

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
