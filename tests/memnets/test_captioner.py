"""Networks that look at a picture and write a text."""

import itertools
import pathlib

import keras
import numpy as np
import pytest
from text_networks import log_probs_of, outputs_of, written

import memnets
from memnets.seq2seq import Captioner, PictureCells, Writer

GOLDEN = pathlib.Path(__file__).parents[1] / "golden"
# Of packed_captioning.keras: the first logits of the first caption.
EARLIER_LOGITS = [
    [0.10728958, -0.02975035, 0.19029137],
    [0.04948657, 0.03781190, 0.36727330],
    [0.14878023, -0.01801515, 0.38915950],
]
START, END, TOKENS, STEPS = 2, 3, 7, 4
SHAPE = (8, 6, 3)


def ntm():
    return memnets.NTM(5, memory_size=8, word_size=4, controller_size=6)


# Decoder, and further arguments.
NETWORKS = {
    "attention": (lambda: keras.layers.GRU(5), {"attention": "additive"}),
    "attention-lstm": (lambda: keras.layers.LSTM(5), {"attention": "additive"}),
    "attention-after": (lambda: keras.layers.GRU(5), {}),
    "first": (lambda: keras.layers.LSTM(5), {"attention": "none", "bridge": "input"}),
    "ntm": (ntm, {"bridge": "none"}),
    "ntm-first": (ntm, {"attention": "none", "bridge": "input"}),
    "ntm-memory": (
        ntm,
        {"attention": "none", "bridge": "memory", "reader": [ntm()]},
    ),
    "read": (
        lambda: keras.layers.GRU(5),
        {"reader": [keras.layers.GRU(4), keras.layers.LSTM(6)]},
    ),
}


def network(name):
    layer, options = NETWORKS[name]
    keras.utils.set_random_seed(1)
    return Captioner(
        SHAPE, TOKENS, PictureCells((4, 5)), [layer()], embedding_size=6, **options
    )


def as_model(layer, steps=STEPS):
    inputs = {
        "picture": keras.Input(layer.picture_shape, name="picture"),
        "caption": keras.Input((steps,), dtype="int32", name="caption"),
    }
    return keras.Model(inputs, layer(inputs))


def draw(rows, seed=1):
    """Pictures, and the start token and other tokens."""
    rng = np.random.default_rng(seed)
    tokens = rng.integers(4, TOKENS, (rows, STEPS))
    tokens[:, 0] = START
    pictures = rng.integers(0, 256, (rows, *SHAPE)).astype("float32")
    return {"picture": pictures, "caption": tokens}


def convolution(values, kernel, strides):
    """Filled up with zeros on all sides, rather below and on the right, by loops."""
    sizes = np.array(values.shape[:2])
    height, width = -(-sizes // strides)
    lacks = strides * (np.array([height, width]) - 1) + 3 - sizes
    sides = [(lack // 2, lack - lack // 2) for lack in lacks]
    filled = np.pad(values, [*sides, (0, 0)])
    outputs = np.zeros((height, width, kernel.shape[-1]))
    for y, x in itertools.product(range(height), range(width)):
        part = filled[strides * y :, strides * x :][:3, :3]
        outputs[y, x] = np.einsum("ijk,ijkl->l", part, kernel)
    return outputs


def test_cells_are_those_of_convolutions_by_loops():
    keras.utils.set_random_seed(1)
    layer = PictureCells((4, 5), context_layers=1)
    pictures = np.random.default_rng(1).integers(0, 256, (2, 8, 6, 3))
    found = np.asarray(layer(pictures))
    assert found.shape == (2, 2 * 2, 7) == layer.compute_output_shape((2, 8, 6, 3))
    places = [[-1, -1], [-1, 1], [1, -1], [1, 1]]  # row by row
    for picture, cells in zip(pictures, found, strict=True):
        values = picture / 127.5 - 1
        for convolve, norm in zip(layer.layers, layer.norms, strict=True):
            # Of a fresh layer the means are 0 and the variances 1.
            scale = np.sqrt(1 + norm.epsilon)
            kernel = np.asarray(convolve.kernel)
            values = convolution(values, kernel, convolve.strides[0]) / scale
            values = np.maximum(values, 0)
        np.testing.assert_allclose(cells[:, :5], values.reshape(-1, 5), atol=1e-5)
        np.testing.assert_array_equal(cells[:, 5:], places)


def forced_log_probs(model, pairs):
    """The log-probability of each text to a picture by the model with teacher
    forcing."""
    pictures, texts = zip(*pairs, strict=True)
    read = np.zeros((len(pairs), STEPS), "int32")
    for row, text in zip(read, texts, strict=True):
        row[: len(text)] = [START, *text[:-1]]
    return log_probs_of(model, {"picture": np.stack(pictures), "caption": read}, texts)


@pytest.mark.parametrize(
    "name",
    [
        pytest.param(name, marks=pytest.mark.once)
        if name not in ("attention", "ntm-memory")  # the others are made of their parts
        else name
        for name in NETWORKS
    ],
)
def test_what_is_written_has_the_probability_of_teacher_forcing(name):
    layer = network(name)
    model = as_model(layer)
    pictures = draw(3)["picture"]
    found = Writer(layer, START, END, STEPS, beam_size=3, n_best=2).write(pictures)
    pairs = [
        (pictures[row], written(found, row, rank))
        for row, rank in itertools.product(range(3), range(2))
    ]
    expected = forced_log_probs(model, pairs)
    assert found.log_probs.ravel() == pytest.approx(expected, abs=1e-4)


@pytest.mark.once
@pytest.mark.parametrize("name", NETWORKS)
def test_the_outputs_depend_on_the_picture_and_not_on_the_future(name):
    layer = network(name)
    inputs = draw(1)
    before = np.asarray(layer(inputs))
    other_picture = inputs | {"picture": 255 - inputs["picture"]}
    changed = np.abs(np.asarray(layer(other_picture)) - before).max(axis=(0, 2))
    assert (changed > 1e-6).all()
    inputs["caption"][0, 2] = 4 + (inputs["caption"][0, 2] - 3) % 3
    after = np.asarray(layer(inputs))
    assert after[:, :2] == pytest.approx(before[:, :2], abs=1e-6)
    assert np.abs(after[:, 2] - before[:, 2]).max() > 1e-6


def encoded_cells(name):
    """A network, what it has read of two pictures, and their cells."""
    layer = network(name)
    inputs = draw(2)
    layer(inputs)
    cells = layer.encoder(inputs["picture"])
    return layer, layer.encode(inputs["picture"]), np.asarray(cells)


@pytest.mark.once
def test_the_picture_is_the_first_input():
    layer, encoded, cells = encoded_cells("first")
    kernel, bias = map(np.asarray, layer.bridge.first_input.weights)
    first = cells.mean(axis=1) @ kernel + bias
    nothing = [np.zeros((2, 5), "float32")] * 2
    _, expected = layer.decoder[0].cell(first, nothing)
    for found, state in zip(encoded.states[0], expected, strict=True):
        np.testing.assert_allclose(found, state, atol=1e-6)


@pytest.mark.once
def test_a_reader_reads_the_cells_and_the_decoder_begins_with_its_memory():
    layer, encoded, cells = encoded_cells("ntm-memory")
    (reader,), (decoder,) = layer.reader, layer.decoder
    written = reader.trace(cells).memory[:, -1]
    begin = decoder.cell.unpack(decoder.get_initial_state(2))
    (states,) = encoded.states
    found = decoder.cell.unpack(states)
    np.testing.assert_allclose(found.memory, written, atol=1e-6)
    np.testing.assert_array_equal(found.weightings, begin.weightings)
    np.testing.assert_array_equal(found.reads, begin.reads)


@pytest.mark.once
def test_what_a_reader_puts_out_is_attended_to():
    layer, encoded, outputs = encoded_cells("read")
    for reader in layer.reader:
        outputs, *_ = reader(outputs)
    np.testing.assert_allclose(encoded.attended.memory, outputs, atol=1e-6)
    (dense,) = layer.bridge.maps[0]
    np.testing.assert_allclose(
        encoded.states[0][0], dense(np.asarray(outputs)[:, -1]), atol=1e-6
    )


@pytest.mark.once
def test_attention_weights_are_means_over_the_cells():
    layer = network("attention")
    layer(draw(2))
    weights = np.asarray(layer.attention_weights(draw(2)))
    assert weights.shape == (2, STEPS, 4)
    assert weights.min() >= 0
    assert weights.sum(-1) == pytest.approx(1, abs=1e-5)


@pytest.mark.once
@pytest.mark.parametrize(
    "name", ["attention-after", "first", "read", "ntm-first", "ntm-memory"]
)
def test_a_saved_network_is_the_same(name, tmp_path):
    model = as_model(network(name))
    before = outputs_of(model, draw(2))
    model.save(tmp_path / "model.keras")
    loaded = keras.saving.load_model(tmp_path / "model.keras")
    assert np.array_equal(outputs_of(loaded, draw(2)), before)


@pytest.mark.once
def test_features_are_cells_as_they_are():
    layer = Captioner((4, 3), TOKENS, None, [keras.layers.GRU(5)], embedding_size=6)
    features = np.random.default_rng(1).normal(size=(2, 4, 3)).astype("float32")
    inputs = draw(2) | {"picture": features}
    assert tuple(layer(inputs).shape) == (2, STEPS, TOKENS)
    encoded = layer.encode(features)
    np.testing.assert_allclose(encoded.attended.memory, features)


@pytest.mark.once
def test_pictures_have_the_shape_of_the_network():
    turned = draw(2)["picture"].swapaxes(1, 2)
    with pytest.raises(ValueError, match=r"`picture` must .* \(B, 8, 6, 3\). .* 6, 8"):
        network("first")(draw(2) | {"picture": turned})


def test_a_network_of_an_earlier_version_reads_picture_and_text_from_one_tensor():
    """The file and the numbers are of a version that had no named inputs."""
    model = memnets.load(GOLDEN / "packed_captioning.keras")
    rng = np.random.default_rng(1)
    caption, picture = np.array([[2, 6, 4], [2, 5, 1]]), rng.integers(0, 256, (2, 48))
    found = np.asarray(model(np.concatenate([caption, picture], axis=1)))
    assert found[0, :3, :3] == pytest.approx(np.array(EARLIER_LOGITS), abs=1e-6)
    inputs = {"picture": picture.reshape(2, 4, 4, 3), "caption": caption}
    named = np.asarray(model.get_layer("network")(inputs))
    np.testing.assert_allclose(named, found, atol=1e-6)


@pytest.mark.once
@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"picture_shape": (4, 3)}, "`picture_shape` must be"),
        ({"picture_shape": (0, 3, 3)}, "`picture_shape` must be"),
        ({"picture_shape": 3}, "`picture_shape` must be a seq.* picture_shape=3"),
        ({"encoder": "vgg"}, "`encoder` must be"),
        ({"decoder": [keras.layers.Dense(3)]}, "`decoder` must be"),
        ({"bridge": "states"}, "`bridge` 'states' needs"),
        ({"bridge": "memory"}, "`bridge` 'memory' needs"),
        ({"reader": [keras.layers.Dense(3)]}, "`reader` must be a list of recurrent"),
        ({"attention": "hard"}, "`attention` must be"),
        ({"target_tokens": 0}, "`target_tokens` must be"),
    ],
)
def test_invalid_arguments_are_named(change, message):
    arguments = {
        "picture_shape": SHAPE,
        "target_tokens": TOKENS,
        "encoder": PictureCells((4,)),
        "decoder": [keras.layers.GRU(5)],
    }
    with pytest.raises(ValueError, match=message):
        Captioner(**(arguments | change))


@pytest.mark.once
def test_channels_are_checked():
    with pytest.raises(ValueError, match="`channels` must"):
        PictureCells(())
    with pytest.raises(ValueError, match="`channels` must be .* channels=3"):
        PictureCells(3)
    with pytest.raises(ValueError, match="`context_layers` must"):
        PictureCells((4,), context_layers=-1)
