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
- `TapeRNN`: a ring of cells with a head that moves; `TapeCell` and `TapeState`.
- `StackedLSTM`: the networks that memory networks are compared with. `MemoryRNN`: the
  loop over time for cells whose initial state is not zero. `cells`: recurrent cells.
- `attention`: self-attention with relative positions.
- `readout`: the linear readout of a network that is not trained. `trees`: recursive
  networks.
- `decoders`: greedy search, beam search and sampling, for models that write.
- `seq2seq`: networks that read one sequence and write another.
- `StreamingModel`: a recurrent model that is called piece by piece.
- `addressing`, `access`, and in `ntm`, `dnc`, `lrua`, `sam`, `stacks`, `tapes`,
  `fast_weights`, `memory_networks` what is particular to each: the mathematics, as pure
  functions of tensors.
- `save`, `load`: model files that are written completely or not at all, and checked
  before they are loaded.
- `TraceableMemory`, `MemoryTrace`, `HeadTrace`: the memory at every step, for pictures.
- `flow`: how gradients flow back through time.
- `native`: the compiled kernel, which these layers use automatically; `accelerate`: for
  the LSTM and GRU layers of Keras too.
- `memnets.tasks` and `memnets.metrics`: tasks with training and reports, and text
  metrics; imported when they are first used.
"""

import importlib
import sys
from typing import TYPE_CHECKING, Any

from .importing import companions, moved, registration
from .version import __version__ as __version__

if TYPE_CHECKING:
    import metrics as metrics
    import tasks as tasks

    from . import attention as attention
    from . import cells as cells
    from . import decoders as decoders
    from . import dnc as dnc
    from . import fast_weights as fast_weights
    from . import flow as flow
    from . import initializers as initializers
    from . import lrua as lrua
    from . import memory_networks as memory_networks
    from . import native as native
    from . import ntm as ntm
    from . import sam as sam
    from . import seq2seq as seq2seq
    from . import stacks as stacks
    from . import tapes as tapes
    from . import trees as trees
    from .dnc import DNC as DNC
    from .dnc import DNCCell as DNCCell
    from .dnc import DNCState as DNCState
    from .fast_weights import FastWeights as FastWeights
    from .fast_weights import FastWeightsCell as FastWeightsCell
    from .fast_weights import FastWeightsState as FastWeightsState
    from .lrua import LRUA as LRUA
    from .lrua import LRUACell as LRUACell
    from .lrua import LRUAState as LRUAState
    from .memory import access as access
    from .memory import addressing as addressing
    from .memory.tracing import HeadTrace as HeadTrace
    from .memory.tracing import MemoryTrace as MemoryTrace
    from .memory.tracing import TraceableMemory as TraceableMemory
    from .memory_networks import KeyValueMemory as KeyValueMemory
    from .memory_networks import MemoryNetwork as MemoryNetwork
    from .ntm import NTM as NTM
    from .ntm import NTMCell as NTMCell
    from .ntm import NTMState as NTMState
    from .recurrent import readout as readout
    from .recurrent.acceleration import accelerate as accelerate
    from .recurrent.rnn import MemoryRNN as MemoryRNN
    from .recurrent.stacked_lstm import StackedLSTM as StackedLSTM
    from .recurrent.streaming import StreamingModel as StreamingModel
    from .sam import SAM as SAM
    from .sam import SAMCell as SAMCell
    from .sam import SAMState as SAMState
    from .saving.loader import LoadError as LoadError
    from .saving.loader import load as load
    from .saving.saver import SaveError as SaveError
    from .saving.saver import save as save
    from .stacks import StackCell as StackCell
    from .stacks import StackRNN as StackRNN
    from .stacks import StackState as StackState
    from .tapes import TapeCell as TapeCell
    from .tapes import TapeRNN as TapeRNN
    from .tapes import TapeState as TapeState

# The modules of the names. They load Keras, which `memnets.metrics` does not need.
_MODULES = {
    "DNC": ".dnc",
    "DNCCell": ".dnc",
    "DNCState": ".dnc",
    "FastWeights": ".fast_weights",
    "FastWeightsCell": ".fast_weights",
    "FastWeightsState": ".fast_weights",
    "HeadTrace": ".memory.tracing",
    "KeyValueMemory": ".memory_networks",
    "LRUA": ".lrua",
    "LRUACell": ".lrua",
    "LRUAState": ".lrua",
    "LoadError": ".saving.loader",
    "MemoryNetwork": ".memory_networks",
    "MemoryRNN": ".recurrent.rnn",
    "MemoryTrace": ".memory.tracing",
    "NTM": ".ntm",
    "NTMCell": ".ntm",
    "NTMState": ".ntm",
    "SAM": ".sam",
    "SAMCell": ".sam",
    "SAMState": ".sam",
    "SaveError": ".saving.saver",
    "StackCell": ".stacks",
    "StackRNN": ".stacks",
    "StackState": ".stacks",
    "StackedLSTM": ".recurrent.stacked_lstm",
    "StreamingModel": ".recurrent.streaming",
    "TapeCell": ".tapes",
    "TapeRNN": ".tapes",
    "TapeState": ".tapes",
    "TraceableMemory": ".memory.tracing",
    "accelerate": ".recurrent.acceleration",
    "load": ".saving.loader",
    "save": ".saving.saver",
}
_SUBMODULES = {
    "access": ".memory.access",
    "addressing": ".memory.addressing",
    "attention": ".attention",
    "cells": ".cells",
    "decoders": ".decoders",
    "dnc": ".dnc",
    "fast_weights": ".fast_weights",
    "flow": ".flow",
    "initializers": ".initializers",
    "lrua": ".lrua",
    "memory_networks": ".memory_networks",
    "native": ".native",
    "ntm": ".ntm",
    "readout": ".recurrent.readout",
    "sam": ".sam",
    "seq2seq": ".seq2seq",
    "stacks": ".stacks",
    "tapes": ".tapes",
    "trees": ".trees",
}
# Rooms that have no public name of their own.
_ROOMS = ("backends", "checks", "cores", "memory", "numerics", "recurrent", "saving")

# Losses, measures and optimizers that a compiled model may be saved with.
_OF_TASKS = (
    ".tasks.algorithmic.measures",
    ".tasks.long_lags.grammar_measures",
    ".tasks.long_lags.measures",
    ".tasks.losses.smoothed_loss",
    ".tasks.losses.symbol_measures",
    ".tasks.relations.stories.measures",
    ".tasks.text.characters.measures",
    ".tasks.text.measures",
    ".tasks.training.guarded",
)
__all__ = ["__version__", *_MODULES, *_SUBMODULES]

companions.install()
moved.install()
registration.install(__name__, {*_MODULES.values(), *_SUBMODULES.values(), *_OF_TASKS})


def __getattr__(name: str) -> Any:
    if name in companions.NAMES or name in _ROOMS:
        return importlib.import_module(f"{__name__}.{name}")
    if name in moved.MOVED:
        return moved.moved_module(name)
    if name not in _SUBMODULES and name not in _MODULES:
        # With the module, Python names the nearest of its attributes.
        message = f"module {__name__!r} has no attribute {name!r}"
        raise AttributeError(message, name=name, obj=sys.modules[__name__])
    # First, and all layers with it: other threads that import Keras would wait for a
    # module of this package that imports it.
    importlib.import_module("keras")
    value: Any = importlib.import_module((_SUBMODULES | _MODULES)[name], __name__)
    if name in _MODULES:
        value = getattr(value, name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted([*__all__, *companions.NAMES])
