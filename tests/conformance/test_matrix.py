"""The features of `keras.layers.RNN` for each layer and cell, on the backend in use.

Features that Keras itself does not support are marked with the reason."""

import functools

import keras
import numpy as np
import pytest
from conformance.descriptors import DESCRIPTORS, FEATURES
from keras import ops
from layer_weights import randomise

import memnets

# As many examples as rows of the memory: a mask of the wrong rank would broadcast
# without an error.
BATCH_SIZE, TIME = 4, 4
TOLERANCE = 1e-5
BACKEND = keras.backend.backend()
ROWS = {row.layer_class.__name__: row for row in reversed(DESCRIPTORS)}


def sequences():
    rng = np.random.default_rng(0)
    return rng.standard_normal((BATCH_SIZE, TIME, FEATURES)).astype("float32")


def build(layer):
    layer.build((BATCH_SIZE, None, FEATURES))
    randomise(layer)
    if getattr(layer, "stateful", False):
        # Its first state came from the weights before `randomise`.
        start = layer.get_initial_state(BATCH_SIZE)
        for variable, value in zip(layer.states, start, strict=True):
            variable.assign(value)
    return layer


def make(row, dtype=None, **loop):
    return build(row.make_layer(dtype, **loop))


def call(layer, inputs, mask=None):
    """A direct call; compiled on JAX, which takes a quarter of the time."""
    keywords = {} if mask is None else {"mask": mask}
    if BACKEND != "jax":
        return layer(inputs, **keywords)
    import jax

    weights = [
        [variable.value for variable in variables]
        for variables in (layer.trainable_variables, layer.non_trainable_variables)
    ]
    outputs, _ = jax.jit(layer.stateless_call)(*weights, inputs, **keywords)
    return outputs


@functools.cache
def output(name, reverse=False):
    """Output of the last step of a row, for reading only."""
    step = -1 if reverse else 1
    return last_step(call(make(ROWS[name]), sequences()[:, ::step]))


def last_step(outputs):
    outputs = np.asarray(ops.cast(outputs, "float32"))
    return outputs[:, -1] if outputs.ndim == 3 else outputs


def assert_close(actual, expected, tolerance=TOLERANCE):
    np.testing.assert_allclose(actual, expected, rtol=0, atol=tolerance)


def functional(layer, batch_size=None):
    inputs = keras.Input((None, FEATURES), batch_size=batch_size)
    return keras.Model(inputs, layer(inputs))


def functional_last(layer):
    inputs = keras.Input((TIME, FEATURES))
    outputs = layer(inputs)
    return keras.Model(inputs, outputs[:, -1] if outputs.ndim == 3 else outputs)


# Features


def masked(row, batch_size):
    """Compares sequences that have masked steps with the sequences without them."""
    shown = np.array(
        [
            [1, 1, 1, 1, 0, 0],
            [0, 0, 1, 1, 1, 1],
            [1, 0, 1, 0, 1, 1],
            [0, 1, 1, 0, 1, 1],
        ],
        bool,
    )[:batch_size]
    inputs = np.full((*shown.shape, FEATURES), 1e3, "float32")
    inputs[shown] = sequences()[:batch_size].reshape(-1, FEATURES)
    outputs = call(make(row), inputs, shown)
    assert_close(last_step(outputs), output(row.layer_class.__name__)[:batch_size])


def mask(row):
    masked(row, 3)


def batch_equal_to_memory_rows(row):
    masked(row, BATCH_SIZE)


def go_backwards(row):
    layer = make(row, go_backwards=True)
    expected = output(row.layer_class.__name__, reverse=True)
    assert_close(call(layer, sequences()), expected)


def unroll(row):
    layer = make(row, unroll=True)
    assert_close(call(layer, sequences()), output(row.layer_class.__name__))


def stateful_with_reset(row):
    layer = make(row, stateful=True)
    first = np.array(layer(sequences()[:, :2]))
    assert_close(layer(sequences()[:, 2:]), output(row.layer_class.__name__))
    layer.reset_state()
    assert_close(layer(sequences()[:, :2]), first)


def stateful_in_predict(row):
    layer = make(row, stateful=True)
    model = functional(layer, BATCH_SIZE)
    model.predict_on_batch(sequences()[:, :2])
    second = model.predict_on_batch(sequences()[:, 2:])
    assert_close(second, output(row.layer_class.__name__))


def stacked(row):
    """A layer above a layer of its class; a cell in one loop with another cell."""
    if row.is_cell:
        cells = [row.make(dtype=None), keras.layers.LSTMCell(2)]
        whole = build(keras.layers.RNN(cells))
        below = keras.layers.RNN(cells[0], return_sequences=True)
        above = keras.layers.RNN(cells[1])
        below.build((BATCH_SIZE, None, FEATURES))
        above.build((BATCH_SIZE, None, row.output_size))
    else:
        loop = {} if row.layer_class is memnets.StackedLSTM else LOOP
        below, above = row.make_layer(**loop), row.make_layer()
        whole = keras.Sequential([keras.Input((None, FEATURES)), below, above])
        randomise(whole)
    expected = call(above, call(below, sequences()))
    assert_close(last_step(call(whole, sequences())), last_step(expected))


LOOP = {"return_sequences": True}


def bidirectional(row):
    both = keras.layers.Bidirectional(row.make_layer())
    both.build((BATCH_SIZE, None, FEATURES))
    for layer in (both.forward_layer, both.backward_layer):
        randomise(layer)
    forward, backward = np.split(np.asarray(call(both, sequences())), 2, axis=-1)
    assert_close(forward, output(row.layer_class.__name__))
    assert_close(backward, output(row.layer_class.__name__, reverse=True))


def return_state(row):
    layer = make(row, return_state=True)
    model = functional(layer)
    _, *state = model.predict_on_batch(sequences()[:, :2])
    assert [part.shape[-1] for part in state] == keras.tree.flatten(layer.state_size)
    last, *_ = layer(sequences()[:, 2:], initial_state=state)
    assert_close(last, output(row.layer_class.__name__))


def jit_on_and_off(row):
    """A training step gives the same loss and weights with and without XLA, and changes
    every trainable weight."""
    model, losses, weights = functional_last(make(row)), [], []
    start, targets = model.get_weights(), np.ones((BATCH_SIZE, row.output_size))
    for jit_compile in (True, False):
        model.set_weights(start)
        before = [np.array(variable) for variable in model.trainable_variables]
        # On TensorFlow, a graph of these few steps takes longer than the steps.
        jit = {"jit_compile": jit_compile, "run_eagerly": not jit_compile}
        model.compile("sgd", "mse", **jit)
        losses.append(model.train_on_batch(sequences(), targets))
        weights.append(model.get_weights())
        for variable, value in zip(model.trainable_variables, before, strict=True):
            assert not np.array_equal(variable, value), variable.path
    # XLA orders the sums otherwise.
    np.testing.assert_allclose(*losses, rtol=1e-5)
    for with_jit, without in zip(*weights, strict=True):
        assert_close(with_jit, without)


def half_precision(row, dtype, tolerance):
    layer = make(row, dtype)
    outputs = call(layer, sequences())
    assert keras.backend.standardize_dtype(outputs.dtype) == (
        keras.DTypePolicy(dtype).compute_dtype
    )
    assert_close(last_step(outputs), output(row.layer_class.__name__), tolerance)


def mixed_float16(row):
    half_precision(row, "mixed_float16", 0.02)  # 11 digits


def mixed_bfloat16(row):
    half_precision(row, "mixed_bfloat16", 0.1)  # 8 digits


def exported_output(layer, folder):
    import tensorflow as tf

    functional(layer).export(folder / "model", verbose=False)
    loaded = tf.saved_model.load(folder / "model")
    return last_step(loaded.serve(tf.constant(sequences())))


def export(row, folder):
    outputs = exported_output(make(row), folder)
    assert_close(outputs, output(row.layer_class.__name__))


MATRIX = {
    "mask": mask,
    "batch equal to memory rows": batch_equal_to_memory_rows,
    "go_backwards": go_backwards,
    "unroll": unroll,
    "stateful with reset": stateful_with_reset,
    "stateful in predict": stateful_in_predict,
    "stacked": stacked,
    "Bidirectional": bidirectional,
    "return_state": return_state,
    "jit on and off": jit_on_and_off,
    "mixed_float16": mixed_float16,
    "mixed_bfloat16": mixed_bfloat16,
    "export": export,
}

ANY = ("tensorflow", "jax", "torch")
# Features that do not work, by feature and layer: the backends and the reason. The test
# fails if one works after all.
IMPOSSIBLE = {
    **{
        ("stateful with reset", name): (
            ANY,
            "keras.layers.RNN.reset_state() writes zeros, not the initial state of the "
            "cell; NTM and MemoryRNN restore it",
        )
        for name in ("NTMCell", "FirstStepRNNCell", "LearnedStart")
    },
    **{
        ("stateful in predict", name): (
            ("jax",),
            "Keras' fit, predict and evaluate drop the new state of a layer on JAX, of "
            "an LSTM too; NTM and MemoryRNN keep it",
        )
        for name, row in ROWS.items()
        if row.is_cell and name != "FeedforwardCell"
    },
    **{
        ("export", name): (
            ("torch",),
            "Keras exports a SavedModel from PyTorch through torch_xla, which needs "
            "another version of PyTorch",
        )
        for name in ROWS
    },
}
# Features that are not offered, by layer, and why.
NOT_OFFERED = {
    "StackedLSTM": (
        (
            *("go_backwards", "unroll", "stateful with reset", "stateful in predict"),
            *("Bidirectional", "return_state"),
        ),
        "it is a stack of layers, not a loop over one cell; "
        "MemoryRNN([LSTMCell(n), ...]) is one",
    ),
    "BalancedTree": (
        (
            *("go_backwards", "unroll", "stateful with reset", "stateful in predict"),
            *("stacked", "Bidirectional", "return_state"),
        ),
        "it has no loop over time: neither a direction nor a state nor an output at "
        "every step",
    ),
}
# Features that compile for seconds, and cells that have a layer of the package: the
# layer is the same loop. The kernel computes an NTM instead: its cell shows what XLA of
# TensorFlow makes of the loop.
COMPILED = ("jit on and off", "export")
IN_A_LAYER = (
    "NTMCell",
    "DNCCell",
    "LRUACell",
    "SAMCell",
    "StackCell",
    "TapeCell",
    "FastWeightsCell",
    "NeuralStackCell",
)
# Features of the loop over steps and flat states, whatever is computed in a step. They
# are left out for a row whose methods that the loop calls are all those of another row.
OF_THE_LOOP = (
    *("go_backwards", "unroll", "stateful with reset", "stateful in predict"),
    *("stacked", "Bidirectional"),
)
CALLED = ("__call__", "call", "get_initial_state", "inner_loop", "reset_state")
# The clockwork has two states of different sizes.
SAME_LOOP = {
    "SAM": "LRUA",
    **dict.fromkeys(("DNCCell", "LRUACell", "SAMCell", "NeuralStackCell"), "NTMCell"),
    **dict.fromkeys(
        (
            *("JordanCell", "LSTM1997Cell", "TensorRNNCell", "MultiplicativeRNNCell"),
            *("LeakyRNNCell", "DelayedRNNCell", "DeepTransitionRNNCell"),
        ),
        "ClockworkRNNCell",
    ),
}
# What test_exports.py does not export from TensorFlow: SAM with an index, and a memory
# outside of the package.
EXPORTED_HERE = ("SAM", "NeuralStack")
CELLS_OF_A_STEP = [
    name
    for name, row in ROWS.items()
    if row.layer_class.__module__.startswith("memnets.cells.")
]
NO_MEMORY = ("MemoryRNN", "StackedLSTM", "BalancedTree")


def is_left_out(feature, name):
    """Whether another cell of the matrix runs the same code, or it takes minutes: on
    PyTorch every step of a loop would be compiled."""
    if (feature, BACKEND) == ("jit on and off", "torch"):
        return True
    if BACKEND == "jax" and name in IN_A_LAYER and name != "NTMCell":
        return True  # JAX compiles each loop anew; their layers run the same steps
    if feature in COMPILED and name in IN_A_LAYER:
        return (feature, name, BACKEND) != ("jit on and off", "NTMCell", "tensorflow")
    if feature == "batch equal to memory rows":
        return name in CELLS_OF_A_STEP or name in NO_MEMORY
    if (feature, BACKEND) == ("export", "tensorflow"):
        return name not in EXPORTED_HERE
    if (feature, BACKEND) == ("export", "jax"):
        return name in CELLS_OF_A_STEP  # which are exported together
    if (feature, BACKEND) == ("jit on and off", "jax"):
        # JAX compiles every loop, on or off, and TensorFlow tells if a weight is not
        # trained.
        return SAME_LOOP.get(name) == "ClockworkRNNCell"
    return feature in OF_THE_LOOP and name in SAME_LOOP


@pytest.mark.parametrize(("name", "like"), SAME_LOOP.items())
def test_what_is_left_out_has_the_loop_of_another(name, like):
    assert like not in SAME_LOOP
    own, others = (ROWS[each].layer_class for each in (name, like))
    assert ROWS[name].is_cell == ROWS[like].is_cell
    for method in CALLED:
        assert getattr(own, method, None) is getattr(others, method, None), method


def cells_of_the_matrix():
    for feature in MATRIX:
        for name in ROWS:
            not_offered, _ = NOT_OFFERED.get(name, ((), ""))
            if feature in not_offered or is_left_out(feature, name):
                continue
            marks = []
            backends, reason = IMPOSSIBLE.get((feature, name), ((), ""))
            if BACKEND in backends:
                marks = [pytest.mark.xfail(reason=reason, strict=True)]
            yield pytest.param(feature, name, marks=marks, id=f"{feature} - {name}")


# Of Keras' own export.
@pytest.mark.filterwarnings("ignore:The .native_serialization:DeprecationWarning")
@pytest.mark.parametrize(("feature", "name"), list(cells_of_the_matrix()))
def test_matrix(feature, name, tmp_path):
    run, row = MATRIX[feature], ROWS[name]
    run(row, tmp_path) if feature == "export" else run(row)


@pytest.mark.only("jax", reason="TensorFlow: test_exports.py; PyTorch: as above")
@pytest.mark.filterwarnings("ignore:The .native_serialization:DeprecationWarning")
def test_cells_of_a_step_are_exported_together(tmp_path):
    """One above the other, which takes one export."""
    cells = [ROWS[name].make(dtype=None) for name in CELLS_OF_A_STEP]
    layer = build(keras.layers.RNN(cells))
    assert_close(exported_output(layer, tmp_path), call(layer, sequences()))
