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
  once; `fast_weights_rules` has its mathematics.
- `MemoryNetwork`: an end-to-end memory network, which looks several times at a list of
  texts to answer a question; `KeyValueMemory`, with keys and values of their own.
- `StackRNN`: stacks, queues, deques and lists; `StackCell` and `StackState`.
  `stack_rules` has their mathematics.
- `StackedLSTM`: the networks that memory networks are compared with. `MemoryRNN`: the
  loop over time for cells whose initial state is not zero. `cells`: recurrent cells.
- `readout`: the linear readout of a network that is not trained. `trees`: recursive
  networks.
- `decoders`: greedy search, beam search and sampling, for models that write.
- `seq2seq`: networks that read one sequence and write another.
- `StreamingModel`: a recurrent model that is called piece by piece.
- `addressing`, `access`, `heads`, for the DNC `allocation`, `linkage`, `dnc_heads`, for
  LRUA `least_used`, `lrua_heads`, for SAM `row_choice`, `hash_index`, `sparse_access`,
  `sam_heads`, and for memory networks `hops`: the mathematics, as pure functions of
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
    access,
    addressing,
    allocation,
    cells,
    companions,
    decoders,
    dnc_heads,
    fast_weights_rules,
    flow,
    hash_index,
    heads,
    hops,
    initializers,
    least_used,
    linkage,
    lrua_heads,
    native,
    readout,
    row_choice,
    sam_heads,
    seq2seq,
    sparse_access,
    stack_rules,
    trees,
)
from .baselines import StackedLSTM
from .dnc import DNC
from .dnc_cell import DNCCell
from .fast_weights import FastWeights
from .fast_weights_cell import FastWeightsCell, FastWeightsState
from .key_value_memory import KeyValueMemory
from .lrua import LRUA
from .lrua_cell import LRUACell
from .memory_network import MemoryNetwork
from .ntm import NTM
from .ntm_cell import NTMCell
from .rnn import MemoryRNN
from .sam import SAM
from .sam_cell import SAMCell
from .saving import LoadError, SaveError, load, save
from .stack import StackRNN
from .stack_cell import StackCell, StackState
from .state import DNCState, LRUAState, NTMState, SAMState
from .streaming import StreamingModel
from .tracing import HeadTrace, MemoryTrace, TraceableMemory
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
    "allocation",
    "cells",
    "decoders",
    "dnc_heads",
    "fast_weights_rules",
    "flow",
    "hash_index",
    "heads",
    "hops",
    "initializers",
    "least_used",
    "linkage",
    "load",
    "lrua_heads",
    "native",
    "readout",
    "row_choice",
    "sam_heads",
    "seq2seq",
    "save",
    "sparse_access",
    "stack_rules",
    "trees",
]

companions.install()


def __getattr__(name: str) -> types.ModuleType:
    if name in companions.NAMES:
        return importlib.import_module(f"{__name__}.{name}")
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted([*__all__, *companions.NAMES])
