"""Models in other formats compute what they compute here: the table of exports in
docs/layers.md, made by trying each of them."""

import pathlib
import re

import keras
import numpy as np
import pytest
from layer_weights import randomise

import memnets

pytestmark = [
    pytest.mark.once,
    pytest.mark.slow,
    pytest.mark.skipif(
        keras.backend.backend() != "tensorflow", reason="Keras exports from TensorFlow"
    ),
    # Of Keras' own export, of tf2onnx and of LiteRT.
    pytest.mark.filterwarnings("ignore"),
]
FEATURES = 3
PAGE = pathlib.Path(__file__).parents[2] / "docs" / "layers.md"
FORMATS = ("ONNX", "SavedModel", "LiteRT")
# Batch and steps. A chunk of FastWeights has four steps.
SIZES = ((1, 1), (4, 5), (3, 12))
# LiteRT has no loops without further operations: all steps are in its graph.
UNROLLED_STEPS = 3
MEMORY = {"memory_size": 4, "word_size": 3, "controller_size": 5}
LAYERS = {
    "NTM": lambda **loop: memnets.NTM(2, **MEMORY, **loop),
    "DNC": lambda **loop: memnets.DNC(2, **MEMORY, **loop),
    "LRUA": lambda **loop: memnets.LRUA(2, num_read_heads=2, **MEMORY, **loop),
    "SAM": lambda **loop: memnets.SAM(2, num_read_heads=2, **MEMORY, **loop),
    "FastWeights": lambda **loop: memnets.FastWeights(
        2, key_size=3, rule="gated-delta", chunk_size=4, **loop
    ),
    "StackRNN": lambda **loop: memnets.StackRNN(
        2, depth=4, controller_size=5, round_actions=True, **loop
    ),
    "MemoryRNN": lambda **loop: memnets.MemoryRNN(keras.layers.LSTMCell(4), **loop),
    "StackedLSTM": lambda unroll=False: memnets.StackedLSTM(2, layer_sizes=(4, 3)),
    "trees.BalancedTree": lambda unroll=False: memnets.trees.BalancedTree(2),
}


def sequences(batch_size, steps):
    rng = np.random.default_rng(steps)
    return rng.standard_normal((batch_size, steps, FEATURES)).astype("float32")


def model_of(name, steps=None, **loop):
    layer = LAYERS[name](**loop)
    inputs = keras.Input((steps, FEATURES))
    model = keras.Model(inputs, layer(inputs))
    randomise(layer)
    model(sequences(2, steps or 5))  # Keras asks for a call before an export.
    return model


def onnx(name, folder):
    pytest.importorskip("tf2onnx")
    runtime = pytest.importorskip("onnxruntime")
    model, path = model_of(name), str(folder / "model.onnx")
    model.export(path, format="onnx", verbose=False)
    session = runtime.InferenceSession(path)
    (argument,) = session.get_inputs()
    for size in SIZES:
        yield session.run(None, {argument.name: sequences(*size)})[0], model, size


def saved_model(name, folder):
    import tensorflow as tf

    model = model_of(name)
    model.export(folder / "model", verbose=False)
    loaded = tf.saved_model.load(folder / "model")
    for size in SIZES:
        yield loaded.serve(tf.constant(sequences(*size))), model, size


def litert(name, folder):
    runtime = pytest.importorskip("ai_edge_litert.interpreter")
    model, path = model_of(name, UNROLLED_STEPS, unroll=True), folder / "model.tflite"
    model.export(path, format="litert", verbose=False)
    interpreter = runtime.Interpreter(str(path))
    (argument,), (result,) = (
        interpreter.get_input_details(),
        interpreter.get_output_details(),
    )
    size = (2, UNROLLED_STEPS)
    interpreter.resize_tensor_input(argument["index"], (*size, FEATURES))
    interpreter.allocate_tensors()
    interpreter.set_tensor(argument["index"], sequences(*size))
    interpreter.invoke()
    yield interpreter.get_tensor(result["index"]), model, size


TRIALS = dict(zip(FORMATS, (onnx, saved_model, litert), strict=True))


def table():
    """What the page says, by layer and format."""
    rows = re.findall(
        r"^\| `([\w.]+)` \| (\w+) \| (\w+) \| (\w+) \|$", PAGE.read_text(), re.M
    )
    return {name: dict(zip(FORMATS, says, strict=True)) for name, *says in rows}


def test_table_has_every_layer():
    assert list(table()) == list(LAYERS)


@pytest.mark.parametrize("name", LAYERS)
@pytest.mark.parametrize("kind", FORMATS)
def test_table_says_what_runs(kind, name, tmp_path):
    says = table()[name][kind]
    assert says in ("yes", "no")
    try:
        results = list(TRIALS[kind](name, tmp_path))
    except Exception as error:  # of a converter or of a runtime, of any kind
        assert says == "no", error
        return
    assert says == "yes"
    for value, model, size in results:
        np.testing.assert_allclose(value, model(sequences(*size)), atol=1e-5)
