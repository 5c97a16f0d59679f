"""Keras layers with memory."""

from memnets import access, addressing, cells
from memnets.baselines import StackedLSTM
from memnets.ntm import NTM, NTMCell, NTMState
from memnets.rnn import MemoryRNN

__version__ = "0.1.0"

__all__ = [
    "NTM",
    "MemoryRNN",
    "NTMCell",
    "NTMState",
    "StackedLSTM",
    "access",
    "addressing",
    "cells",
]
