"""Keras layers with memory.

- `NTM`: the Neural Turing Machine, a layer that is used as `keras.layers.LSTM` is;
  `NTMCell` is one step of it and `NTMState` its state.
- `DNC`: the Differentiable Neural Computer, which allocates free rows and follows links
  between them; `DNCCell` and `DNCState`.
- `LRUA`: a memory whose heads write to the least recently used row, or to the rows that
  they have just read; `LRUACell` and `LRUAState`.
- `SAM`: a sparse access memory, whose heads touch a few of many rows; `SAMCell` and
  `SAMState`.
- `FastWeights`: a matrix that is written at keys and read at queries, many steps at
  once.
- `MemoryNetwork`: an end-to-end memory network, which looks several times at a list of
  texts to answer a question; `KeyValueMemory`, with keys and values of their own.
- `StackRNN`: stacks, queues, deques and lists; `StackCell` and `StackState`.
- `StackedLSTM`: the networks that memory networks are compared with. `MemoryRNN`: the
  loop over time for cells whose initial state is not zero. `cells`: recurrent cells.
- `readout`: the linear readout of a network that is not trained. `trees`: recursive
  networks.
- `decoders`: greedy search, beam search and sampling, for models that write.
- `seq2seq`: networks that read one sequence and write another.
- `StreamingModel`: a recurrent model that is called piece by piece.
- `addressing`, `access`, and in `ntm`, `dnc`, `lrua`, `sam`, `stacks`, `fast_weights`,
  `memory_networks` what is particular to each: the mathematics, as pure functions of
  tensors.
- `save`, `load`: model files that are written completely or not at all, and checked
  before they are loaded.
- `TraceableMemory`, `MemoryTrace`, `HeadTrace`: the memory at every step, for pictures.
- `flow`: how gradients flow back through time.
- `native`: the compiled kernel, which `NTM`, `DNC` and `LRUA` use automatically.
- `memnets.tasks` and `memnets.metrics`: tasks with training and reports, and text
  metrics; imported when they are first used.
"""

import importlib
import types

from . import (
    cells,
    companions,
    decoders,
    dnc,
    fast_weights,
    flow,
    initializers,
    lrua,
    memory_networks,
    moved,
    native,
    ntm,
    sam,
    seq2seq,
    stacks,
    trees,
)
from .dnc import DNC, DNCCell, DNCState
from .fast_weights import FastWeights, FastWeightsCell, FastWeightsState
from .lrua import LRUA, LRUACell, LRUAState
from .memory import access, addressing
from .memory.tracing import HeadTrace, MemoryTrace, TraceableMemory
from .memory_networks import KeyValueMemory, MemoryNetwork
from .ntm import NTM, NTMCell, NTMState
from .recurrent import readout
from .recurrent.rnn import MemoryRNN
from .recurrent.stacked_lstm import StackedLSTM
from .recurrent.streaming import StreamingModel
from .sam import SAM, SAMCell, SAMState
from .saving import LoadError, SaveError, load, save
from .stacks import StackCell, StackRNN, StackState
from .version import __version__

__all__ = [
    "DNC",
    "LRUA",
    "NTM",
    "SAM",
    "DNCCell",
    "DNCState",
    "FastWeights",
    "FastWeightsCell",
    "FastWeightsState",
    "HeadTrace",
    "KeyValueMemory",
    "LRUACell",
    "LRUAState",
    "LoadError",
    "MemoryNetwork",
    "MemoryRNN",
    "MemoryTrace",
    "NTMCell",
    "NTMState",
    "SAMCell",
    "SAMState",
    "SaveError",
    "StackCell",
    "StackRNN",
    "StackState",
    "StackedLSTM",
    "StreamingModel",
    "TraceableMemory",
    "__version__",
    "access",
    "addressing",
    "cells",
    "decoders",
    "dnc",
    "fast_weights",
    "flow",
    "initializers",
    "load",
    "lrua",
    "memory_networks",
    "native",
    "ntm",
    "readout",
    "sam",
    "save",
    "seq2seq",
    "stacks",
    "trees",
]

companions.install()
moved.install()


def __getattr__(name: str) -> types.ModuleType:
    if name in companions.NAMES:
        return importlib.import_module(f"{__name__}.{name}")
    if name in moved.MOVED:
        return moved.moved_module(name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted([*__all__, *companions.NAMES])
