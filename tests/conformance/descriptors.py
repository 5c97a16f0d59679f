"""A row for every layer of the package that is registered with Keras.

The tests of `test_layers.py` and `test_matrix.py` run over the rows: a new layer or
cell needs a row here and nothing there.
"""

from collections.abc import Callable
from typing import NamedTuple

import keras
import own_memory

import memnets
from memnets import seq2seq
from memnets.importing import companions
from memnets.seq2seq.attentive_cell import AttentiveCell
from memnets.seq2seq.bridge import Bridge
from memnets.seq2seq.readout import MaxoutReadout, TiedReadout

FEATURES = 3


def registered_layer_classes():
    """Every layer class of the package that is registered with Keras."""
    others = tuple(f"memnets.{name}." for name in companions.NAMES)
    for name, member in sorted(keras.saving.get_custom_objects().items()):
        if (
            name.startswith("memnets>")
            and issubclass(member, keras.layers.Layer)
            and member.__module__.startswith("memnets.")
            and not member.__module__.startswith(others)
        ):
            yield member


class Descriptor(NamedTuple):
    """How to make one layer.

    Attributes:
        name: Name of the row.
        layer_class: The public class.
        make: Makes a layer of the class; takes the keywords of `keras.layers.Layer`.
        output_size: Size of the last axis of its output.
        is_cell: Whether it is a recurrent cell, which runs inside `keras.layers.RNN`.
        draws: Whether its output in training is random.
    """

    name: str
    layer_class: type
    make: Callable
    output_size: int
    is_cell: bool = False
    draws: bool = False

    def make_layer(self, dtype=None, **loop):
        """A layer that takes sequences `(B, T, features)`; `loop` are arguments of
        `keras.layers.RNN`."""
        if self.is_cell:
            return keras.layers.RNN(self.make(dtype=dtype), dtype=dtype, **loop)
        return self.make(dtype=dtype, **loop)


def cell_dtype(dtype):
    """The policy for one of Keras' own cells in a layer with the given policy.

    Keras' cells overflow in float16, and on TensorFlow they cannot initialise LSTM
    weights in bfloat16.
    """
    return {
        "float16": "float32",
        "mixed_float16": "float32",
        "bfloat16": "mixed_bfloat16",
    }.get(dtype, dtype)


def _ntm(**arguments):
    # As many rows as examples in a batch: masks of the wrong rank would broadcast
    # without an error.
    arguments = {
        "memory_size": 4,
        "word_size": 3,
        "controller_size": 6,
        "initial_memory": "random",
        "initial_weightings": "uniform",
        "initial_reads": "zeros",
        **arguments,
    }
    return lambda **keywords: memnets.NTM(5, **{**arguments, **keywords})


def _dnc(layer_class=memnets.DNC, **arguments):
    arguments = {
        "memory_size": 4,
        "word_size": 3,
        "controller_size": 6,
        "usage_gradient": True,  # a stopped gradient is no central difference
        **arguments,
    }
    return lambda **keywords: layer_class(5, **{**arguments, **keywords})


def _stack(layer_class=memnets.StackRNN, **arguments):
    arguments = {"depth": 4, "element_size": 3, "controller_size": 6, **arguments}
    return lambda **keywords: layer_class(5, **{**arguments, **keywords})


def _lrua(layer_class=memnets.LRUA, **arguments):
    sizes = {
        "memory_size": 4,
        "word_size": 3,
        "num_read_heads": 2,
        "controller_size": 6,
        **arguments,
    }
    return lambda **keywords: layer_class(5, **{**sizes, **keywords})


def _sam(layer_class=memnets.SAM, **arguments):
    sizes = {
        "memory_size": 6,
        "word_size": 3,
        "num_read_heads": 2,
        "num_rows_read": 2,
        "controller_size": 6,
        **arguments,
    }
    return lambda **keywords: layer_class(5, **{**sizes, **keywords})


def _tape(layer_class=memnets.TapeRNN, **arguments):
    sizes = {"memory_size": 4, "word_size": 3, "writer_sizes": (5,), **arguments}
    return lambda **keywords: layer_class(5, **{**sizes, **keywords})


OWN_MEMORY = {"memory_size": 4, "word_size": 3, "controller_size": 6}


def _cell(cell_class, arguments, label=""):
    """The row of a cell of five outputs."""
    return Descriptor(
        f"{cell_class.__name__}{label}",
        cell_class,
        lambda **keywords: cell_class(**{**arguments, **keywords}),
        5,
        is_cell=True,
    )


RECURRENT_CELLS = [
    (memnets.cells.FirstStepRNNCell, {"units": 5}),
    (memnets.cells.ElmanCell, {"units": 5}),
    (
        memnets.cells.ElmanCell,
        {"units": 5, "diagonal": True},
        ", diagonal",
    ),
    (memnets.cells.JordanCell, {"units": 4, "outputs": 5}),
    (memnets.cells.LSTM1997Cell, {"blocks": 5, "truncated": False}),
    (
        memnets.cells.LSTM1997Cell,
        {
            "blocks": 1,
            "block_size": 5,
            "output_gate": False,
            "recurrent": False,
            "biased": "none",
            "weight_range": 0.5,
            "g": "sigmoid",
            "h": "linear",
        },
        ", simple",
    ),
    (
        memnets.cells.PeepholeLSTMCell,
        {"units": 5, "peephole_initializer": "random_normal"},
    ),
    (memnets.cells.TensorRNNCell, {"units": 5}),
    (memnets.cells.MultiplicativeRNNCell, {"units": 5, "factors": 4}),
    (memnets.cells.LeakyRNNCell, {"units": 5, "time_constants": (1, 2, 3, 4, 5)}),
    (
        memnets.cells.LeakyRNNCell,
        {"units": 5, "time_constants": ("log-uniform", 2, 9), "learned": True},
        ", learned",
    ),
    (memnets.cells.ClockworkRNNCell, {"units": 5, "periods": (1, 2, 3, 5, 7)}),
    (memnets.cells.DelayedRNNCell, {"units": 5}),
    (memnets.cells.DeepTransitionRNNCell, {"units": 5, "depth": 3, "skip": True}),
]


DESCRIPTORS = [
    Descriptor("NTM, LSTM", memnets.NTM, _ntm(controller="lstm"), 5),
    Descriptor(
        "NTM, feedforward, many heads, learned state, sequences",
        memnets.NTM,
        _ntm(
            controller="feedforward",
            controller_size=(6, 5),
            num_read_heads=2,
            num_write_heads=2,
            initial_memory="learned",
            initial_weightings="learned",
            initial_reads="learned",
            return_sequences=True,
        ),
        5,
    ),
    Descriptor(
        "NTM, memory randomized",
        memnets.NTM,
        _ntm(controller="feedforward", initial_memory="randomized"),
        5,
        draws=True,
    ),
    Descriptor(
        "NTM, gradients bounded, sequences",
        memnets.NTM,
        # Not reached: gradients are compared with central differences.
        _ntm(gradient_bound=1e6, initial_memory="learned", return_sequences=True),
        5,
    ),
    Descriptor(
        "NTMCell",
        memnets.NTMCell,
        lambda **keywords: memnets.NTMCell(
            5,
            memory_size=4,
            word_size=3,
            num_write_heads=2,
            controller=keras.layers.GRUCell(6, dtype=cell_dtype(keywords["dtype"])),
            initial_memory="constant-trainable",
            initial_weightings="one-hot",
            **keywords,
        ),
        5,
        is_cell=True,
    ),
    Descriptor("DNC, LSTM", memnets.DNC, _dnc(), 5),
    Descriptor(
        "DNC, feedforward, many heads, every option, sequences",
        memnets.DNC,
        _dnc(
            controller="feedforward",
            controller_size=(6, 5),
            num_read_heads=2,
            num_write_heads=2,
            deallocate=True,
            masks=True,
            sharpen_links=True,
            initial_memory="learned",
            return_sequences=True,
        ),
        5,
    ),
    Descriptor(
        "DNC, without links, memory randomized",
        memnets.DNC,
        _dnc(links=False, initial_memory="randomized"),
        5,
        draws=True,
    ),
    Descriptor(
        "DNCCell",
        memnets.DNCCell,
        _dnc(memnets.DNCCell, controller="feedforward", masks=True),
        5,
        is_cell=True,
    ),
    Descriptor("LRUA, LSTM", memnets.LRUA, _lrua(initial_memory="learned"), 5),
    Descriptor(
        "LRUA, feedforward, every option, sequences",
        memnets.LRUA,
        _lrua(
            controller="feedforward",
            strengths=True,
            separate_add=True,
            return_sequences=True,
        ),
        5,
    ),
    Descriptor(
        "LRUACell",
        memnets.LRUACell,
        _lrua(memnets.LRUACell, initial_memory="random"),
        5,
        is_cell=True,
    ),
    Descriptor(
        "SAM, LSTM, by an index",
        memnets.SAM,
        _sam(memory_size=200, search="hashing", initial_memory="learned"),
        5,
    ),
    Descriptor(
        "SAM, feedforward, every row, memory randomized, sequences",
        memnets.SAM,
        _sam(
            controller="feedforward",
            memory_size=4,
            num_rows_read=4,
            initial_memory="randomized",
            return_sequences=True,
        ),
        5,
        draws=True,
    ),
    Descriptor(
        "SAMCell",
        memnets.SAMCell,
        _sam(memnets.SAMCell, initial_memory="random"),
        5,
        is_cell=True,
    ),
    Descriptor(
        "FastWeights, delta",
        memnets.FastWeights,
        lambda **keywords: memnets.FastWeights(
            5, **{"key_size": 4, "chunk_size": 2, **keywords}
        ),
        5,
    ),
    Descriptor(
        "FastWeights, gated, two heads, step by step",
        memnets.FastWeights,
        lambda **keywords: memnets.FastWeights(
            5,
            **{"key_size": 3, "value_size": 2, "num_heads": 2, **keywords},
            rule="gated-delta",
            chunk_size=None,
        ),
        5,
    ),
    _cell(
        memnets.FastWeightsCell,
        {"units": 5, "key_size": 4, "rule": "additive", "num_heads": 2},
    ),
    Descriptor(
        "StackRNN, feedforward",
        memnets.StackRNN,
        _stack(read_depth=1, controller="feedforward"),
        5,
    ),
    Descriptor(
        "StackRNN, deque, LSTM, noise, sequences",
        memnets.StackRNN,
        _stack(kind="deque", controller="lstm", noise=1.0, return_sequences=True),
        5,
        draws=True,
    ),
    Descriptor(
        "StackCell, list",
        memnets.StackCell,
        _stack(memnets.StackCell, kind="list"),
        5,
        is_cell=True,
    ),
    Descriptor("TapeRNN", memnets.TapeRNN, _tape(controller_size=6), 5),
    Descriptor(
        "TapeRNN, LSTM, jumps, sequences",
        memnets.TapeRNN,
        _tape(
            controller="lstm",
            controller_size=(6, 5),
            jumps=True,
            return_sequences=True,
        ),
        5,
    ),
    Descriptor(
        "TapeCell",
        memnets.TapeCell,
        _tape(memnets.TapeCell, controller="feedforward", controller_size=6),
        5,
        is_cell=True,
    ),
    # A memory outside of the package.
    Descriptor(
        "NeuralStack",
        own_memory.NeuralStack,
        lambda **keywords: own_memory.NeuralStack(5, **{**OWN_MEMORY, **keywords}),
        5,
    ),
    _cell(own_memory.NeuralStackCell, {"units": 5, **OWN_MEMORY}),
    Descriptor(
        "MemoryRNN",
        memnets.MemoryRNN,
        lambda **keywords: memnets.MemoryRNN(
            keras.layers.LSTMCell(5, dtype=cell_dtype(keywords["dtype"])), **keywords
        ),
        5,
    ),
    Descriptor(
        "StackedLSTM",
        memnets.StackedLSTM,
        lambda **keywords: memnets.StackedLSTM(5, layer_sizes=(6, 4), **keywords),
        5,
    ),
    Descriptor(
        "FeedforwardCell",
        memnets.cells.FeedforwardCell,
        lambda **keywords: memnets.cells.FeedforwardCell(
            5, activation="relu", **keywords
        ),
        5,
        is_cell=True,
    ),
    Descriptor(
        "ClippedLSTMCell",
        memnets.cells.ClippedLSTMCell,
        lambda **keywords: memnets.cells.ClippedLSTMCell(5, cell_clip=0.3, **keywords),
        5,
        is_cell=True,
    ),
    Descriptor(
        "LearnedStart",
        memnets.cells.LearnedStart,
        lambda **keywords: memnets.cells.LearnedStart(
            keras.layers.GRUCell(5, dtype=cell_dtype(keywords["dtype"])), **keywords
        ),
        5,
        is_cell=True,
    ),
    *(_cell(cell_class, *arguments) for cell_class, *arguments in RECURRENT_CELLS),
    Descriptor(
        "BalancedTree",
        memnets.trees.BalancedTree,
        lambda **keywords: memnets.trees.BalancedTree(5, **keywords),
        5,
    ),
]

# Layers that take something else than sequences: where their promises are tested.
OTHER_INPUTS = {
    memnets.trees.TreeRNN: "tests/memnets/test_tree_rnn.py",
    memnets.attention.RelativeAttention: "tests/memnets/test_relative_attention.py",
    **dict.fromkeys(
        (memnets.MemoryNetwork, memnets.KeyValueMemory),
        "tests/memnets/test_memory_network.py",
    ),
    **dict.fromkeys(
        (
            *(seq2seq.SequenceToSequence, seq2seq.GeneralAttention),
            *(seq2seq.AdditiveAttention, AttentiveCell, Bridge),
            *(TiedReadout, MaxoutReadout, seq2seq.ScheduledSampling),
        ),
        "tests/memnets/test_seq2seq.py",
    ),
    **dict.fromkeys(
        (seq2seq.Captioner, seq2seq.PictureCells, seq2seq.ApplicationCells),
        "tests/memnets/test_captioner.py",
    ),
}
