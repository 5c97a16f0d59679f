"""Models in other formats compute what they compute here: the table of exports in
docs/formats.md, made by trying each of them."""

import functools
import inspect
import pathlib
import re
from collections.abc import Callable
from typing import NamedTuple

import keras
import numpy as np
import pytest
from conformance.descriptors import DESCRIPTORS
from layer_weights import randomise

import memnets
from memnets import seq2seq

pytestmark = [
    pytest.mark.once,
    pytest.mark.only("tensorflow", reason="Keras exports from TensorFlow"),
    # Of Keras' own export, of tf2onnx and of LiteRT.
    pytest.mark.filterwarnings("ignore"),
]
FEATURES, TOKENS = 3, 9
PAGE = pathlib.Path(__file__).parents[2] / "docs" / "formats.md"
FORMATS = ("ONNX", "SavedModel", "LiteRT")
# Batch and steps. A chunk of FastWeights has three steps.
SIZES = ((1, 1), (4, 5), (2, 3))
# LiteRT has no loops without further operations: all steps are in its graph.
UNROLLED = (2, 2)
PICTURE = (4, 4, 3)
MAX_LENGTH = 4


def sequences(rng, batch_size, steps):
    return [rng.standard_normal((batch_size, steps, FEATURES)).astype("float32")]


def tokens(rng, *shape):
    """The first one is no padding, as in a text that has a word."""
    drawn = rng.integers(0, TOKENS, shape, "int32")
    drawn[..., 0] = 1
    return drawn


def entries_and_question(rng, batch_size, steps):
    return [tokens(rng, batch_size, steps, 2), tokens(rng, batch_size, 4)]


def keys_values_and_question(rng, batch_size, steps):
    keys, question = entries_and_question(rng, batch_size, steps)
    return [keys, tokens(rng, batch_size, steps, 1), question]


def trees(rng, batch_size, steps):
    """Each parent combines the node before it and a leaf, so all of them count."""
    last = np.arange(1, steps)
    pairs = np.stack([np.where(last == 1, 0, steps + last - 2), last], -1)
    children = np.tile(pairs.astype("int32"), (batch_size, 1, 1))
    return [*sequences(rng, batch_size, steps), children]


def sources_and_targets(rng, batch_size, steps):
    return [tokens(rng, batch_size, steps), tokens(rng, batch_size, steps + 1)]


def sources(rng, batch_size, steps):
    return [tokens(rng, batch_size, steps)]


def sources_and_uniforms(rng, batch_size, steps):
    drawn = rng.uniform(size=(batch_size, MAX_LENGTH)).astype("float32")
    return [tokens(rng, batch_size, steps), drawn]


def captions_and_pictures(rng, batch_size, steps):
    pictures = rng.uniform(0, 255, (batch_size, *PICTURE)).astype("float32")
    return [tokens(rng, batch_size, steps), pictures]


def sequence_to_sequence(**loop):
    return seq2seq.SequenceToSequence(
        TOKENS,
        TOKENS,
        [keras.layers.GRU(3, **loop)],
        [keras.layers.GRU(4, **loop)],
        embedding_size=4,
        scheduled_sampling=seq2seq.ScheduledSampling(),
    )


def captioner(**loop):
    return seq2seq.Captioner(
        PICTURE,
        TOKENS,
        seq2seq.PictureCells((4,)),
        [keras.layers.GRU(4, **loop)],
        embedding_size=4,
        attention="additive",
    )


def network_that_writes(**loop):
    network = seq2seq.SequenceToSequence(
        TOKENS,
        TOKENS,
        [keras.layers.GRU(3, **loop)],
        [keras.layers.GRU(4, **loop)],
        embedding_size=4,
        attention="none",
        bidirectional=False,
    )
    pair = tokens(np.random.default_rng(0), 2, 2, 3)
    network({"source": pair[0], "target": pair[1]})
    return network


def writer(**loop):
    return seq2seq.Writer(network_that_writes(**loop), 1, 2, MAX_LENGTH, beam_size=2)


def sampler(**loop):
    return seq2seq.Sampler(network_that_writes(**loop), 1, 2, MAX_LENGTH)


class Row(NamedTuple):
    """A row of the table.

    Attributes:
        make: Makes the layer; takes arguments of a loop over time.
        arrays: Makes the inputs of a batch size and a number of steps.
        names: The names of the inputs, in alphabetical order, of a layer that is given
            a dict.
    """

    make: Callable
    arrays: Callable = sequences
    names: tuple = ()

    def argument(self, values):
        """Inputs as the layer is called with them."""
        if self.names:
            return dict(zip(self.names, values, strict=True))
        return values if len(values) > 1 else values[0]


def every_cell(**loop):
    """All of `memnets.cells`, one above the other, which takes one export."""
    classes = {row.layer_class: row for row in DESCRIPTORS if row.is_cell}
    cells = [
        row.make(dtype=None)
        for cell, row in classes.items()
        if cell.__name__ in memnets.cells.__all__
    ]
    return keras.layers.RNN(cells, **loop)


MEMORY = {"memory_size": 4, "word_size": 3, "controller_size": 5}
LAYERS = {
    "NTM": Row(lambda **loop: memnets.NTM(2, **MEMORY, **loop)),
    "DNC": Row(
        lambda **loop: memnets.DNC(2, controller="feedforward", **MEMORY, **loop)
    ),
    "LRUA": Row(lambda **loop: memnets.LRUA(2, num_read_heads=2, **MEMORY, **loop)),
    "SAM": Row(
        lambda **loop: memnets.SAM(
            2, num_rows_read=2, controller="feedforward", **MEMORY, **loop
        )
    ),
    "FastWeights": Row(
        lambda **loop: memnets.FastWeights(
            2, key_size=3, rule="gated-delta", chunk_size=3, **loop
        )
    ),
    "StackRNN": Row(
        lambda **loop: memnets.StackRNN(
            2, depth=4, controller_size=5, round_actions=True, **loop
        )
    ),
    "TapeRNN": Row(
        lambda **loop: memnets.TapeRNN(
            2,
            writer_sizes=(4,),
            jumps=True,
            length_features=2,
            round_moves=True,
            **MEMORY,
            **loop,
        )
    ),
    "attention.RelativeAttention": Row(
        lambda unroll=False: memnets.attention.RelativeAttention(2, 3, causal=True)
    ),
    "MemoryRNN": Row(
        lambda **loop: memnets.MemoryRNN(keras.layers.LSTMCell(4), **loop)
    ),
    "cells": Row(every_cell),
    "StackedLSTM": Row(lambda unroll=False: memnets.StackedLSTM(2, layer_sizes=(4, 3))),
    "MemoryNetwork": Row(
        lambda unroll=False: memnets.MemoryNetwork(TOKENS, 4, max_entries=5),
        entries_and_question,
    ),
    "KeyValueMemory": Row(
        lambda unroll=False: memnets.KeyValueMemory(TOKENS, 4),
        keys_values_and_question,
    ),
    "trees.BalancedTree": Row(lambda unroll=False: memnets.trees.BalancedTree(2)),
    "trees.TreeRNN": Row(lambda unroll=False: memnets.trees.TreeRNN(2), trees),
    "seq2seq.SequenceToSequence": Row(
        sequence_to_sequence, sources_and_targets, ("source", "target")
    ),
    "seq2seq.Captioner": Row(captioner, captions_and_pictures, ("caption", "picture")),
    "seq2seq.Writer": Row(writer, sources),
    "seq2seq.Sampler": Row(sampler, sources_and_uniforms),
}


def arrays(row, batch_size, steps):
    return row.arrays(np.random.default_rng(steps), batch_size, steps)


def model_of(name, steps=None, **loop):
    """A model with one layer, for so many steps, or any number of them if None."""
    row = LAYERS[name]
    layer = row.make(**loop)
    known = arrays(row, *UNROLLED)
    longer = arrays(row, UNROLLED[0], UNROLLED[1] + 1)
    inputs = []
    for number, (array, other) in enumerate(zip(known, longer, strict=True)):
        sizes = zip(array.shape[1:], other.shape[1:], strict=True)
        shape = [size if steps or size == other else None for size, other in sizes]
        inputs.append(keras.Input(shape, dtype=array.dtype, name=f"input_{number}"))
    argument = row.argument(inputs)
    model = keras.Model(argument, keras.tree.flatten(layer(argument)))
    randomise(layer)
    for weight in layer.weights:
        if "variance" in weight.path:
            weight.assign(abs(weight))
    return model


def called(model, row, given):
    outputs = keras.tree.flatten(model(row.argument(given)))
    return [np.asarray(value) for value in outputs]


@functools.cache
def model_and_outputs(name):
    """A model for any number of steps, and what it computes for each of `SIZES`. Keras
    asks for a call before an export."""
    model, row = model_of(name), LAYERS[name]
    return model, [called(model, row, arrays(row, *size)) for size in SIZES]


def onnx_session(model, path):
    """A session of onnxruntime that runs a model. Where an optimizer of tf2onnx fails,
    so does the export: to go on without it, tf2onnx would copy the graph before each
    of them, which takes half of the time."""
    optimizer = pytest.importorskip("tf2onnx.optimizer")
    runtime = pytest.importorskip("onnxruntime")
    optimize = optimizer.optimize_graph

    def strict(graph, catch_errors, **options):
        return optimize(graph, catch_errors=False, **options)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(optimizer, "optimize_graph", strict)
        model.export(path, format="onnx", verbose=False)
    return runtime.InferenceSession(path)


def onnx(name, folder):
    model, outputs = model_and_outputs(name)
    session = onnx_session(model, folder / "model.onnx")
    names = sorted(argument.name for argument in session.get_inputs())
    for size, expected in zip(SIZES, outputs, strict=True):
        given = arrays(LAYERS[name], *size)
        results = session.run(None, dict(zip(names, given, strict=True)))
        yield results, expected


def saved_model(name, folder):
    import tensorflow as tf

    model, outputs = model_and_outputs(name)
    model.export(folder / "model", verbose=False)
    loaded = tf.saved_model.load(folder / "model")
    for size, expected in zip(SIZES, outputs, strict=True):
        given = arrays(LAYERS[name], *size)
        tensors = LAYERS[name].argument([tf.constant(array) for array in given])
        yield keras.tree.flatten(loaded.serve(tensors)), expected


def litert(name, folder):
    runtime = pytest.importorskip("ai_edge_litert.interpreter")
    model, row = model_of(name, UNROLLED[1], unroll=True), LAYERS[name]
    given = arrays(row, *UNROLLED)
    expected = called(model, row, given)
    model.export(folder / "model.tflite", format="litert", verbose=False)
    run = runtime.Interpreter(str(folder / "model.tflite")).get_signature_runner()
    results = run(**dict(zip(sorted(run.get_input_details()), given, strict=True)))
    yield [results[key] for key in sorted(results)], expected


TRIALS = dict(zip(FORMATS, (onnx, saved_model, litert), strict=True))


def table():
    """What the page says, by layer and format."""
    rows = re.findall(
        r"^\| `([^`]+)` \| (\w+) \| (\w+) \| (\w+) \|$", PAGE.read_text(), re.M
    )
    return {name: dict(zip(FORMATS, says, strict=True)) for name, *says in rows}


def public_layers(module=memnets):
    """Every public Keras layer of the package."""
    for member in (getattr(module, name) for name in module.__all__):
        if inspect.ismodule(member) and hasattr(member, "__all__"):
            yield from public_layers(member)
        elif inspect.isclass(member) and issubclass(member, keras.layers.Layer):
            yield member


def test_table_has_every_row():
    assert list(table()) == list(LAYERS)


def test_every_public_layer_is_exported():
    """By itself, or in another one, as a cell or an attention is."""
    exported = {
        type(part) for row in LAYERS.values() for part in row.make()._flatten_layers()
    }
    # A network of Keras' own, and not a small one.
    exported.add(seq2seq.ApplicationCells)
    assert set(public_layers()) <= exported


@pytest.mark.parametrize("name", LAYERS)
# Conversions to ONNX take up to ten seconds each.
@pytest.mark.parametrize(
    "kind", [pytest.param("ONNX", marks=pytest.mark.slow), *FORMATS[1:]]
)
def test_table_says_what_runs(kind, name, tmp_path):
    says = table()[name][kind]
    assert says in ("yes", "no")
    try:
        results = list(TRIALS[kind](name, tmp_path))
    except Exception as error:  # of a converter or of a runtime, of any kind
        assert says == "no", error
        return
    assert says == "yes"
    for values, expected in results:
        for value, right in zip(values, expected, strict=True):
            np.testing.assert_allclose(value, right, atol=1e-5)


def exported(model, x, folder):
    """A session of onnxruntime that runs a model, and the name of its input."""
    model(x)
    session = onnx_session(model, folder / "model.onnx")
    return session, session.get_inputs()[0].name


@pytest.mark.slow
@pytest.mark.parametrize("masking", ["Embedding", "Masking"])
def test_masks_are_in_onnx(masking, tmp_path):
    """As the page says: padding changes nothing."""
    rng = np.random.default_rng(1)
    if masking == "Embedding":
        x = rng.integers(1, TOKENS, (2, 5)).astype("int32")
        inputs = keras.Input((None,), dtype="int32")
        hidden = keras.layers.Embedding(TOKENS, FEATURES, mask_zero=True)(inputs)
    else:
        x = rng.normal(size=(2, 5, FEATURES)).astype("float32")
        inputs = keras.Input((None, FEATURES))
        hidden = keras.layers.Masking()(inputs)
    x[0, 3:] = 0
    model = keras.Model(inputs, memnets.NTM(2, **MEMORY)(hidden))
    session, name = exported(model, x, tmp_path)
    [results] = session.run(None, {name: x})
    [short] = session.run(None, {name: x[:1, :3]})
    np.testing.assert_allclose(results, model(x), atol=1e-5)
    np.testing.assert_allclose(short, results[:1], atol=1e-5)


@pytest.mark.slow
def test_a_stateful_layer_begins_anew_in_onnx_and_not_in_a_saved_model(tmp_path):
    """As the page says."""
    import tensorflow as tf

    inputs = keras.Input(batch_shape=(1, 1, FEATURES))
    masked = keras.layers.Masking()(inputs)
    model = keras.Model(inputs, memnets.NTM(2, stateful=True, **MEMORY)(masked))
    x = np.ones((1, 1, FEATURES), "float32")
    session, name = exported(model, x, tmp_path)
    first, second = (session.run(None, {name: x})[0] for _ in range(2))
    np.testing.assert_array_equal(first, second)
    model.export(tmp_path / "saved", verbose=False)
    loaded = tf.saved_model.load(tmp_path / "saved")
    assert np.abs(loaded.serve(x) - loaded.serve(x)).max() > 1e-5


@pytest.mark.slow
def test_hashing_has_no_onnx(tmp_path):
    """As the page says."""
    runtime = pytest.importorskip("onnxruntime")
    arguments = {**MEMORY, "controller": "feedforward", "num_rows_read": 1}
    inputs = keras.Input((None, FEATURES))
    layer = memnets.SAM(2, search="hashing", **arguments)
    model = keras.Model(inputs, layer(inputs))
    failures = runtime.capi.onnxruntime_pybind11_state
    with pytest.raises((failures.InvalidGraph, failures.Fail), match="Loop"):
        exported(model, np.ones((1, 1, FEATURES), "float32"), tmp_path)
