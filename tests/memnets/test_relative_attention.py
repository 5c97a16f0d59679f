"""Self-attention with relative positions, against a loop from the paper."""

import math
import re

import keras
import numpy as np
import pytest

from memnets.attention import RelativeAttention

HEADS, SIZE, FEATURES = 2, 3, 4


def attended(layer, inputs, visible):
    """What the paper says of one sequence `(T, features)`, term by term; `visible` is
    whether step i sees step j."""
    maps = {part.name: part.kernel.numpy() for part in layer._flatten_layers(False)}
    content, position = layer.content_bias.numpy(), layer.position_bias.numpy()
    width, steps = HEADS * SIZE, len(inputs)
    outputs = np.zeros((steps, width))
    for i in range(steps):
        for head in range(HEADS):
            part = slice(head * SIZE, (head + 1) * SIZE)
            query = (inputs[i] @ maps["queries"])[part]
            scores, values = [], []
            for j in filter(lambda j: visible(i, j), range(steps)):
                waves = [10_000 ** (-k / width) for k in range(0, width, 2)]
                sinusoid = [f((i - j) * w) for f in (math.sin, math.cos) for w in waves]
                distance = (np.array(sinusoid) @ maps["distances"])[part]
                score = (query + content[head]) @ (inputs[j] @ maps["keys"])[part]
                score += (query + position[head]) @ distance
                scores.append(math.exp(score / math.sqrt(SIZE)))
                values.append((inputs[j] @ maps["values"])[part])
            outputs[i, part] = np.average(values, axis=0, weights=scores)
    return outputs @ maps["outputs"]


def layer_and_inputs(**arguments):
    layer = RelativeAttention(HEADS, SIZE, **arguments)
    layer.build((None, None, FEATURES))
    rng = np.random.default_rng(3)
    layer.set_weights([rng.normal(size=w.shape) for w in layer.weights])
    return layer, rng.normal(size=(2, 5, FEATURES)).astype("float32")


@pytest.mark.parametrize("causal", [False, True])
def test_heads_attend_by_content_and_distance(causal):
    layer, inputs = layer_and_inputs(causal=causal)
    outputs = keras.ops.convert_to_numpy(layer(inputs))
    for one, sequence in zip(outputs, inputs, strict=True):
        expected = attended(layer, sequence, lambda i, j: j <= i or not causal)
        np.testing.assert_allclose(one, expected, atol=1e-4)  # sums of float32


def test_nobody_sees_a_masked_step():
    layer, inputs = layer_and_inputs()
    mask = np.ones((2, 5), bool)
    mask[:, 3:] = False
    outputs = keras.ops.convert_to_numpy(layer(inputs, mask=mask))
    expected = attended(layer, inputs[0], lambda i, j: j < 3)
    np.testing.assert_allclose(outputs[0], expected, atol=1e-4)
    shorter = keras.ops.convert_to_numpy(layer(inputs[:, :3]))
    np.testing.assert_allclose(outputs[:, :3], shorter, atol=1e-5)
    nothing = layer(inputs, mask=np.zeros((2, 5), bool))
    assert np.isfinite(keras.ops.convert_to_numpy(nothing)).all()


def test_a_saved_model_of_any_length_computes_the_same(tmp_path):
    layer, inputs = layer_and_inputs(dtype="mixed_bfloat16")
    sequences = keras.Input((None, FEATURES))
    model = keras.Model(sequences, layer(sequences))
    model.save(tmp_path / "model.keras")
    again = keras.saving.load_model(tmp_path / "model.keras")
    assert again.layers[-1].get_config() == layer.get_config()
    assert {weight.dtype for weight in layer.weights} == {"float32"}
    for steps in (1, 5):
        piece = inputs[:, :steps]
        found = model.predict_on_batch(piece)
        np.testing.assert_array_equal(found, again.predict_on_batch(piece))
        assert found.shape == piece.shape


@pytest.mark.once
def test_sizes_must_be_positive():
    message = "`head_size` must be a positive integer. Received: head_size=0"
    with pytest.raises(ValueError, match=f"^{re.escape(message)}$"):
        RelativeAttention(2, 0)
