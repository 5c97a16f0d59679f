"""Memory networks against plain loops from the papers, and the promises of layers."""

import re

import keras
import memory_network_reference as oracle
import numpy as np
import pytest
from dnc_layers import double_precision
from gradients import HAS_DOUBLE, layer_gradients
from keras import ops

import memnets
from memnets.memory_networks import hops

VOCABULARY, SIZE = 9, 4
DTYPE = "float64" if HAS_DOUBLE else "float32"
TOLERANCE = 1e-12 if HAS_DOUBLE else 1e-5
STORIES = (
    ([[1, 2, 3], [4], [2, 5, 1, 7]], [3, 8]),
    ([[6, 6]], [1]),
    ([[5, 4], [8, 1], [1, 8], [3], [7, 2]], [2, 2, 5]),
)


def padded(texts, entries, width, rng):
    """Texts with zeros at random places, between words and between entries."""
    array = np.zeros((entries, width), "int32")
    rows = np.sort(rng.permutation(entries)[: len(texts)])
    for row, text in zip(rows, texts, strict=True):
        array[row, np.sort(rng.permutation(width)[: len(text)])] = text
    return array, rows


def batch(entries=6, width=5, seed=0):
    rng = np.random.default_rng(seed)
    arrays, places, questions = [], [], []
    for texts, question in STORIES:
        array, rows = padded(texts, entries, width, rng)
        arrays.append(array)
        places.append(rows)
        questions.append(padded([question], 1, width, rng)[0][0])
    return (np.array(arrays), np.array(questions)), places


INPUTS, PLACES = batch()


def make(tied="adjacent", dtype=DTYPE, **arguments):
    arguments = {"max_entries": 4, "empty_memories": 0.0, "hops": 2, **arguments}
    layer = memnets.MemoryNetwork(VOCABULARY, SIZE, tied=tied, dtype=dtype, **arguments)
    layer.build([(None, None, None), (None, None)])
    for variable in layer.trainable_weights:
        variable.assign(randomised(variable))
    return layer


def randomised(variable):
    # Not by the path: it has the number of the layer.
    rng = np.random.default_rng([*variable.name.encode()])
    return 0.6 * rng.standard_normal(variable.shape)


def assert_same(actual, expected, tolerance=TOLERANCE):
    np.testing.assert_allclose(actual, expected, rtol=0, atol=tolerance)


def functional(layer):
    entries = keras.Input((None, None), dtype="int32")
    question = keras.Input((None,), dtype="int32")
    return keras.Model([entries, question], layer((entries, question)))


def message(text):
    return f"^{re.escape(text)}$"


# --- the equations ---


def tables_of(layer):
    """Weights for the oracle: tables and ages of each hop, and the mapping H."""
    weights = {v.path.split("/")[-1]: np.array(v, float) for v in layer.weights}
    if layer.tied == "adjacent":
        words = [weights[f"words_{k}"] for k in range(layer.hops + 1)]
        ages = [weights.get(f"ages_{k}") for k in range(layer.hops + 1)]
        pairs = list(zip(words, words[1:], strict=False))
        tables = words[0], pairs, words[-1]
        ages = list(zip(ages, ages[1:], strict=False))
    else:
        pairs = [(weights["words_0"], weights["words_1"])] * layer.hops
        tables = weights["questions"], pairs, weights["answers"]
        ages = [(weights.get("ages_0"), weights.get("ages_1"))] * layer.hops
    return tables, ages, weights.get("hop_kernel")


@pytest.mark.parametrize(
    ("tied", "arguments"),
    [
        ("adjacent", {"hops": 3}),
        pytest.param("layer", {}, marks=pytest.mark.once),
        pytest.param("adjacent", {"mapping": True}, marks=pytest.mark.once),
        pytest.param("layer", {"mapping": False}, marks=pytest.mark.once),
        pytest.param("adjacent", {"max_entries": None}, marks=pytest.mark.once),
        pytest.param("layer", {"position_encoding": False}, marks=pytest.mark.once),
        pytest.param("adjacent", {"linear_start": 9}, marks=pytest.mark.once),
    ],
)
def test_answer_and_attention_are_those_of_the_paper(tied, arguments):
    layer = make(tied, **arguments)
    logits, traced = layer(INPUTS), layer.trace(INPUTS)
    for row, (texts, question) in enumerate(STORIES):
        attention, expected = oracle.memory_network(
            texts,
            question,
            *tables_of(layer),
            with_positions=layer.position_encoding,
            linear="linear_start" in arguments,
        )
        assert_same(logits[row], expected)
        assert_same(np.asarray(traced.attention)[row][:, PLACES[row]], attention)
    assert_same(traced.logits, logits)


def test_key_value_answer_is_that_of_the_paper():
    layer = memnets.KeyValueMemory(VOCABULARY, SIZE, dtype=DTYPE)
    entries, question = INPUTS
    # The last word of a text as its value.
    values = np.zeros((*entries.shape[:2], 1), "int32")
    for row, (texts, _) in enumerate(STORIES):
        values[row, PLACES[row], 0] = [text[-1] for text in texts]
    inputs = entries, values, question
    layer(inputs)
    for variable in layer.trainable_weights:
        variable.assign(randomised(variable))
    logits, traced = layer(inputs), layer.trace(inputs)
    table, answers, *mappings = map(np.asarray, layer.weights)
    for row, (texts, asked) in enumerate(STORIES):
        last = [text[-1:] for text in texts]
        attention, expected = oracle.key_value_memory(
            texts, last, asked, table, mappings, answers
        )
        assert_same(logits[row], expected)
        assert_same(np.asarray(traced.attention)[row][:, PLACES[row]], attention)


@pytest.mark.once
def test_position_encoding_of_two_words():
    """l_kj with d = 2: of the first word (1/2, 1/2), of the last (1/2, 1)."""
    weights = hops.position_encoding(np.array([[True, False, True]]), 2)
    # (1 - 1/2) - k/2 (1 - 1) = 1/2; (1 - 1) - k/2 (1 - 2) = k/2.
    assert_same(weights, [[[0.5, 0.5], [0, 0], [0.5, 1.0]]], 1e-7)


def test_position_encoding_in_double_precision_is_its_formula():
    with double_precision():
        mask = np.ones((1, 3), bool)
        found = np.asarray(hops.position_encoding(mask, 5, "float64"))
    j, k = np.arange(1, 4)[:, None] / 3, np.arange(1, 6) / 5
    assert_same(found[0], (1 - j) - k * (1 - 2 * j), 1e-15)


@pytest.mark.once
def test_ages_count_from_the_end_and_empty_memories_make_older():
    mask = np.array([[True, False, True, True]])
    assert np.asarray(hops.ages(mask))[0, [0, 2, 3]].tolist() == [2, 1, 0]
    empty = np.array([[1, 1, 0, 1]])  # the one after padding does not count
    found = np.asarray(hops.ages(mask, empty))[0, [0, 2, 3]]
    assert found.tolist() == [4, 2, 1]


@pytest.mark.once
def test_attention_is_on_the_entry_that_fits_and_without_softmax_any_number():
    keys = np.array([[[0.0, 1], [50, 0], [90, 0]]])
    query, mask = np.array([[1.0, 0]]), np.array([[True, True, False]])
    assert_same(hops.attention(query, keys, mask), [[0, 1, 0]])
    assert_same(hops.attention(query, keys, mask, is_linear=True), [[0, 50, 0]])


def test_one_entry_has_all_attention_without_a_warning():
    query, keys = np.array([[1.0, 0], [1.0, 0]]), np.array([[[4.0, 1]], [[4.0, 1]]])
    mask = np.array([[True], [False]])
    assert_same(hops.attention(query, keys, mask), [[1], [0]])


@pytest.mark.once
@pytest.mark.parametrize("with_positions", [True, False])
def test_order_of_words_counts_with_positions_only(with_positions):
    layer = make(position_encoding=with_positions)
    question = np.array([[3, 4]])
    one = layer((np.array([[[1, 2], [5, 6]]]), question))
    other = layer((np.array([[[2, 1], [5, 6]]]), question))
    assert np.allclose(one, other) is not with_positions


# --- padding, and training ---


@pytest.mark.once
def test_padding_changes_nothing():
    layer = make()
    longer, _ = batch(entries=9, width=7, seed=1)
    assert_same(layer(longer), layer(INPUTS))


@pytest.mark.once
def test_story_without_entries_has_no_attention_and_finite_gradients():
    layer = make(dtype="float32")
    inputs = np.zeros((1, 2, 3), "int32"), np.array([[1, 2]])
    assert not np.asarray(layer.trace(inputs).attention).any()
    found = gradients_of(layer, inputs, np.ones((1, VOCABULARY), "float32"))
    assert all(np.isfinite(gradient).all() for gradient in found.values())


def test_softmax_comes_after_the_linear_start(tmp_path):
    layer = make(linear_start=2, dtype="float32")
    model = functional(layer)
    model.compile("sgd", keras.losses.SparseCategoricalCrossentropy(from_logits=True))
    model.optimizer.learning_rate = 0.0  # only the softmax changes
    linear = np.array(layer(INPUTS))
    for _ in range(2):
        assert_same(layer(INPUTS), linear, 1e-5)
        model.train_on_batch(list(INPUTS), np.array([1, 2, 3]))
    soft = np.array(layer(INPUTS))
    assert np.abs(soft - linear).max() > 0.1
    model.save(tmp_path / "model.keras")  # in the middle of a training
    loaded = keras.saving.load_model(tmp_path / "model.keras")
    assert_same(loaded.predict_on_batch(list(INPUTS)), soft, 1e-5)


@pytest.mark.once
def test_empty_memories_are_drawn_anew_in_training_only():
    layer = make(empty_memories=0.5, seed=1)
    drawn = [np.array(layer(INPUTS, training=True)) for _ in range(8)]
    assert len({values.tobytes() for values in drawn}) > 1
    assert_same(layer(INPUTS), layer(INPUTS))
    # The last entry of a story of one is never older than one.
    assert len({values[1].tobytes() for values in drawn}) == 2
    without = make(empty_memories=0.0)
    assert_same(without(INPUTS, training=True), without(INPUTS))


class _OfEntries(keras.layers.Layer):
    """A layer of one argument, for what differentiates."""

    def __init__(self, layer, question):
        super().__init__(dtype=layer.dtype_policy)
        self.layer, self.question, self.built = layer, question, True

    def call(self, entries, training=False):
        inputs = ops.cast(entries, "int32"), self.question
        return self.layer(inputs, training=training)


def gradients_of(layer, inputs, factors):
    whole = _OfEntries(layer, inputs[1])
    return layer_gradients(
        whole,
        lambda logits, *_: ops.sum(ops.multiply(logits, factors)),
        inputs[0].astype(DTYPE),
    )


@pytest.mark.once  # JAX computes in float32 only
@pytest.mark.parametrize("tied", ["adjacent", "layer"])
def test_gradients_are_central_differences(tied):
    layer = make(tied)
    rng = np.random.default_rng(0)
    factors = rng.standard_normal((len(STORIES), VOCABULARY))
    found = gradients_of(layer, INPUTS, factors)
    assert len(found) == len(layer.trainable_variables)
    for variable in layer.trainable_variables:
        value, direction = np.array(variable), rng.standard_normal(variable.shape)
        sides = []
        for step in (1e-5, -1e-5):
            variable.assign(value + step * direction)
            sides.append(np.sum(np.asarray(layer(INPUTS)) * factors))
        variable.assign(value)
        difference = (sides[0] - sides[1]) / 2e-5
        gradient = np.sum(found[variable.path] * direction)
        np.testing.assert_allclose(gradient, difference, rtol=1e-6, atol=1e-9)


# --- the promises of every layer ---


@pytest.mark.once
@pytest.mark.parametrize("layer_class", [memnets.MemoryNetwork, memnets.KeyValueMemory])
def test_config_makes_the_same_layer_again(layer_class):
    layer = layer_class(
        VOCABULARY, SIZE, hops=1, linear_start=3, max_entries=7, seed=5,
        dtype="mixed_bfloat16",
    )  # fmt: skip
    again = layer_class.from_config(layer.get_config())
    assert again.get_config() == layer.get_config()


@pytest.mark.parametrize(
    ("dtype", "tolerance"),
    [
        pytest.param("mixed_float16", 0.02, marks=pytest.mark.once),
        ("mixed_bfloat16", 0.2),
    ],
)
def test_half_precision_is_near(dtype, tolerance):
    layer = make(dtype=dtype)
    logits = layer(INPUTS)
    symbolic = layer([keras.Input(x.shape[1:], dtype="int32") for x in INPUTS])
    for output in (logits, symbolic):
        assert keras.backend.standardize_dtype(output.dtype) == dtype[len("mixed_") :]
    assert {variable.dtype for variable in layer.trainable_weights} == {"float32"}
    full = np.asarray(make(dtype="float32")(INPUTS))
    assert_same(np.asarray(ops.cast(logits, "float32")), full, tolerance)


@pytest.mark.once
def test_a_step_of_training_is_the_same_with_and_without_xla():
    losses = []
    for jit_compile in (True, False):
        model = functional(make(dtype="float32"))
        loss = keras.losses.SparseCategoricalCrossentropy(from_logits=True)
        model.compile("sgd", loss, jit_compile=jit_compile)
        targets = np.array([1, 2, 3])
        losses.append([model.train_on_batch(list(INPUTS), targets) for _ in range(2)])
        assert losses[-1][1] < losses[-1][0]
    np.testing.assert_allclose(*losses, rtol=1e-5)


@pytest.mark.once
def test_reports_can_draw_the_hops():
    layer = make()
    assert isinstance(layer, memnets.TraceableMemory)
    (head,), memory, *_ = layer.trace_memory(INPUTS)
    assert head.weighting.shape == (3, 2, 6) and head.kind == "hop"
    assert memory.shape == (3, 2, 6, SIZE)
    reading = np.einsum("bkn,bknd->bkd", head.weighting, memory)
    assert_same(head.vectors, reading, 1e-6)


# --- what is not accepted ---


@pytest.mark.once
@pytest.mark.parametrize(
    ("inputs", "error", "text"),
    [
        (
            INPUTS[0],
            ValueError,
            "`inputs` must be (entries, question). Received: inputs=array(",
        ),
        (
            (INPUTS[0], INPUTS[1][:2]),
            ValueError,
            "`question` must have the shape (3, words). "
            "Received: question of shape (2, 5)",
        ),
        (
            (INPUTS[0].astype("float32"), INPUTS[1]),
            TypeError,
            "`entries` must be integers, and an input of them keras.Input(..., "
            "dtype='int32'). Received: entries of type float32",
        ),
        (
            (INPUTS[0], INPUTS[1] + 5),
            ValueError,
            "`question` must be tokens from 0 to 8. Received: 13",
        ),
    ],
)
def test_wrong_inputs_are_named(inputs, error, text):
    with pytest.raises(error, match=f"^{re.escape(text)}"):
        make()(inputs)


@pytest.mark.once
def test_wrong_arguments_are_named():
    text = "`tied` must be one of 'adjacent', 'layer'. Received: tied='all'"
    with pytest.raises(ValueError, match=message(text)):
        memnets.MemoryNetwork(5, tied="all")
    text = (
        "`empty_memories` must be a finite number at least 0 and below 1. "
        "Received: empty_memories=1"
    )
    with pytest.raises(ValueError, match=message(text)):
        memnets.MemoryNetwork(5, empty_memories=1)
