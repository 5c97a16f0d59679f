"""A row for every public layer of the package. What every layer promises runs over the
rows, see `test_layers.py`; a new layer or cell needs a row here and nothing there."""

from collections.abc import Callable
from typing import NamedTuple

import keras

import memnets

FEATURES = 3


class Descriptor(NamedTuple):
    """How to make one layer.

    Attributes:
        name: Name of the row.
        layer_class: The public class.
        make: Makes a layer of the class; takes the keywords of `keras.layers.Layer`.
        output_size: Size of the last axis of its output.
        is_cell: Whether it is a recurrent cell, which runs inside `keras.layers.RNN`.
    """

    name: str
    layer_class: type
    make: Callable
    output_size: int
    is_cell: bool = False

    def make_layer(self, dtype=None):
        """A layer that takes sequences `(B, T, features)`."""
        made = self.make(dtype=dtype)
        return keras.layers.RNN(made, dtype=dtype) if self.is_cell else made


def _ntm(**arguments):
    # As many rows as the batches of the tests have examples: masks of the wrong rank
    # broadcast there without an error.
    arguments = {
        "memory_size": 4,
        "word_size": 3,
        "controller_size": 6,
        "initial_memory": "random",
        "initial_weightings": "uniform",
        "initial_reads": "zeros",
        **arguments,
    }
    return lambda **keywords: memnets.NTM(5, **arguments, **keywords)


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
        "NTMCell",
        memnets.NTMCell,
        lambda **keywords: memnets.NTMCell(
            5,
            memory_size=4,
            word_size=3,
            num_write_heads=2,
            controller=keras.layers.GRUCell(6, dtype=keywords["dtype"]),
            initial_memory="constant-trainable",
            initial_weightings="one-hot",
            **keywords,
        ),
        5,
        is_cell=True,
    ),
    Descriptor(
        "MemoryRNN",
        memnets.MemoryRNN,
        lambda **keywords: memnets.MemoryRNN(
            keras.layers.LSTMCell(5, dtype=keywords["dtype"]), **keywords
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
]
