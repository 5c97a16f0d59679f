"""Networks that read one sequence and write another."""

import itertools
import pathlib

import keras
import numpy as np
import pytest
from cases import once
from dnc_layers import double_precision
from text_networks import (
    drawn_texts,
    log_probs_of,
    outputs_of,
    text_inputs,
    written,
)

import memnets
from memnets.seq2seq import (
    AdditiveAttention,
    GeneralAttention,
    SequenceToSequence,
    Writer,
    memory_alignment,
)

GOLDEN = pathlib.Path(__file__).parents[1] / "golden"
# Of packed_translation.keras: the first logits of the first text.
EARLIER_LOGITS = [
    [-0.09670664, 0.05711712, 0.07985574],
    [-0.4634327, -0.16429946, 0.29997194],
    [0.09552563, -0.19391254, -0.10541260],
]
START, END = 2, 3
PLAIN = {"attention": "none", "bidirectional": False, "bridge": "states"}


def ntm():
    return memnets.NTM(5, memory_size=8, word_size=4, controller_size=6)


def gru(**options):
    return keras.layers.GRU(5, **options)


def lstm():
    return keras.layers.LSTM(5)


# Layers of encoder and decoder, and further arguments.
NETWORKS = {
    "gru-attention": (lambda: ([gru()], [gru()]), {"shared_embeddings": True}),
    "lstm-attention": (lambda: ([lstm()], [lstm()]), {}),
    "bahdanau": (lambda: ([gru()], [gru()]), {"attention": "additive"}),
    "additive-lstm": (lambda: ([lstm()], [lstm()]), {"attention": "additive"}),
    "gru": (lambda: ([gru()], [gru()]), PLAIN),
    "sutskever": (
        lambda: ([lstm(), lstm()], [lstm(), lstm()]),
        {**PLAIN, "readout": "linear", "reverse_source": True},
    ),
    "cho": (
        lambda: ([gru(reset_after=False)], [gru(reset_after=False)]),
        {
            "attention": "none",
            "bidirectional": False,
            "tell_summary": True,
            "readout": "maxout",
        },
    ),
    "ntm-attention": (lambda: ([gru()], [ntm()]), {"bridge": "none"}),
    "ntm-memory": (lambda: ([ntm()], [ntm()]), {**PLAIN, "bridge": "memory"}),
    "ntm": (lambda: ([ntm()], [ntm()]), PLAIN),
}


def network(name, tokens=8):
    layers, options = NETWORKS[name]
    encoder, decoder = layers()
    keras.utils.set_random_seed(1)
    return SequenceToSequence(
        tokens, tokens, encoder, decoder, embedding_size=6, **options
    )


def as_model(layer):
    inputs = text_inputs()
    return keras.Model(inputs, layer(inputs))


def make_weights(layer):
    """On JAX without a loop that is compiled; on TensorFlow without a graph."""
    layer(text_inputs(4) if keras.backend.backend() == "jax" else draw(1, 4))


def draw(rows, steps, seed=1):
    """Sources of several lengths, filled up with 0, and what the decoder reads."""
    inputs = drawn_texts(np.random.default_rng(seed), rows, steps)
    for row, source in enumerate(inputs["source"]):
        source[1 + row % steps :] = 0
    return inputs


def of_row(inputs, row):
    """The inputs of one text alone."""
    return {name: tokens[row : row + 1] for name, tokens in inputs.items()}


def as_inputs(source, target):
    """The inputs of one text."""
    return {"source": np.array([source]), "target": np.array([target])}


def forced_log_probs(model, pairs):
    """The log-probability of each text to a source by the model with teacher forcing.
    The sources have one length."""
    sources, texts = zip(*pairs, strict=True)
    read = np.zeros((len(pairs), max(map(len, texts))), "int32")
    for row, text in zip(read, texts, strict=True):
        row[: len(text)] = [START, *text[:-1]]
    return log_probs_of(model, {"source": np.array(sources), "target": read}, texts)


# Attention of both kinds, what is told of the source, states of LSTM, GRU and NTM.
EVERYWHERE = ("additive-lstm", "cho", "ntm-attention")
# The others have the same parts, between other layers.
DIFFERENT = (
    *("gru-attention", "bahdanau", "sutskever", "cho", "ntm-attention", "ntm-memory"),
)


@pytest.mark.parametrize(
    "name", [name if name in EVERYWHERE else once(name) for name in NETWORKS]
)
def test_what_is_written_has_the_probability_of_teacher_forcing(name):
    layer = network(name)
    model = as_model(layer)
    sources = draw(4, 5)["source"]
    found = Writer(layer, START, END, max_length=4, beam_size=3, n_best=2).write(
        sources
    )
    pairs = [
        (sources[row], written(found, row, rank))
        for row, rank in itertools.product(range(4), range(2))
    ]
    expected = forced_log_probs(model, pairs)
    assert found.log_probs.ravel() == pytest.approx(expected, abs=1e-4)


@pytest.mark.once
def test_the_full_beam_is_the_exhaustive_search():
    layer = network("gru-attention", tokens=5)
    model = as_model(layer)
    source = np.array([[1, 4, 3]])
    found = Writer(
        layer, START, END, max_length=2, beam_size=30, n_best=5, length_penalty=0.0
    ).write(source)
    others = [token for token in range(5) if token != END]
    texts = [[END], *([a, b] for a in others for b in range(5))]
    scores = forced_log_probs(model, [(source[0], text) for text in texts])
    scores.sort(reverse=True)
    assert found.log_probs[0] == pytest.approx(scores[:5], abs=1e-4)


@pytest.mark.once
@pytest.mark.parametrize("name", DIFFERENT)
def test_padding_and_other_texts_change_nothing(name):
    layer = network(name)
    inputs = draw(3, 4)
    alone = np.asarray(layer(of_row(inputs, 1)))
    together = np.asarray(layer(inputs))[1:2]
    wider = {
        name: np.pad(tokens, ((0, 0), (0, more)))
        for (name, tokens), more in zip(of_row(inputs, 1).items(), (3, 2), strict=True)
    }
    assert together == pytest.approx(alone, abs=1e-5)
    assert np.asarray(layer(wider))[:, :4] == pytest.approx(alone, abs=1e-5)


@pytest.mark.once
@pytest.mark.parametrize("name", DIFFERENT)
def test_the_outputs_depend_on_the_source_and_not_on_the_future(name):
    layer = network(name)
    inputs = draw(1, 4)
    inputs["source"][0] = [1, 2, 3, 4]
    before = np.asarray(layer(inputs))
    other_source = inputs | {"source": np.array([[1, 2, 3, 6]])}
    assert np.abs(np.asarray(layer(other_source)) - before).max() > 1e-6
    inputs["target"][0, 2] = 1 + inputs["target"][0, 2] % 7
    after = np.asarray(layer(inputs))
    assert after[:, :2] == pytest.approx(before[:, :2], abs=1e-6)
    assert np.abs(after[:, 2] - before[:, 2]).max() > 1e-6


@pytest.mark.once
@pytest.mark.parametrize("name", DIFFERENT)
def test_a_saved_network_is_the_same(name, tmp_path):
    model = as_model(network(name))
    inputs = draw(2, 4)
    before = outputs_of(model, inputs)
    model.save(tmp_path / "model.keras")
    loaded = keras.saving.load_model(tmp_path / "model.keras")
    assert np.array_equal(outputs_of(loaded, inputs), before)


def softmax(scores):
    powers = np.exp(scores - scores.max())
    return powers / powers.sum()


@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize("kind", ["general", "additive"])
def test_attention_is_its_formula(kind, dtype):
    tolerance = {"float32": 1e-5, "float64": 1e-12}[dtype]
    rng = np.random.default_rng(1)
    query, memory = rng.normal(size=(2, 3, 4)), rng.normal(size=(2, 5, 6))
    mask = np.array([[1, 1, 1, 1, 1], [1, 1, 0, 0, 0]], bool)
    with double_precision():
        attention = (
            GeneralAttention(dtype=dtype)
            if kind == "general"
            else AdditiveAttention(7, dtype=dtype)
        )
        contexts, weights = map(np.asarray, attention(query, memory, mask))
        variables = {v.name: np.asarray(v) for v in attention.weights}
    for b, t in itertools.product(range(2), range(3)):
        real = memory[b][mask[b]]
        if kind == "general":
            scores = [query[b, t] @ (h @ variables["kernel"]) for h in real]
        else:
            w, u, v = (variables[k] for k in ("query_kernel", "kernel", "vector"))
            scores = [np.tanh(query[b, t] @ w + h @ u) @ v[:, 0] for h in real]
        expected = softmax(np.array(scores))
        assert weights[b, t][mask[b]] == pytest.approx(expected, abs=tolerance)
        assert weights[b, t][~mask[b]].sum() == 0
        assert contexts[b, t] == pytest.approx(expected @ real, abs=tolerance)


@pytest.mark.parametrize("kind", ["general", "additive"])
def test_attention_to_padding_alone_is_finite(kind):
    attention = GeneralAttention() if kind == "general" else AdditiveAttention(7)
    memory = np.random.default_rng(1).normal(size=(2, 5, 6)).astype("float32")
    mask = np.array([[0, 0, 0, 0, 0], [1, 1, 0, 0, 0]], bool)
    contexts, weights = map(np.asarray, attention(np.ones((2, 3, 4)), memory, mask))
    assert np.isfinite(contexts).all()
    assert weights.sum(-1) == pytest.approx(1, abs=1e-5)


@pytest.mark.parametrize("name", ["gru-attention", "bahdanau"])
def test_attention_weights_are_means_over_the_source(name):
    inputs = keras.tree.map_structure(keras.ops.convert_to_tensor, draw(3, 4))
    layer = network(name)
    layer(inputs)
    weights = np.asarray(layer.attention_weights(inputs))
    assert weights.shape == (3, 4, 4)
    assert weights.sum(-1) == pytest.approx(1, abs=1e-5)
    # The first source has one token.
    assert weights[0, :, 1:].max() == 0


@pytest.mark.once
def test_the_reversed_source_is_the_source_read_from_its_end():
    layer = network("sutskever")
    other = network("sutskever")
    other.reverse_source = False
    inputs = as_inputs([1, 2, 3, 0, 0], [2, 5, 6, 0, 0])
    turned = as_inputs([3, 2, 1, 0, 0], [2, 5, 6, 0, 0])
    layer(inputs), other(inputs)
    other.set_weights(layer.get_weights())
    expected = np.asarray(other(turned))
    assert np.asarray(layer(inputs)) == pytest.approx(expected, abs=1e-6)


@pytest.mark.parametrize("kind", ["general", once("additive")])
def test_attention_to_a_reversed_source_is_in_the_order_of_the_source(kind):
    """As of a network that is given the words from the last one to the first."""
    layer, other = (
        SequenceToSequence(
            *(8, 8, [gru()], [gru()]),
            embedding_size=6,
            attention=kind,
            reverse_source=reverse,
        )
        for reverse in (True, False)
    )
    inputs = as_inputs([1, 2, 3, 4, 0], [2, 5, 6, 0, 0])
    turned = as_inputs([4, 3, 2, 1, 0], [2, 5, 6, 0, 0])
    make_weights(layer), make_weights(other)
    other.set_weights(layer.get_weights())
    found = np.asarray(layer.attention_weights(inputs))
    expected = np.asarray(other.attention_weights(turned))
    assert found[0, :, 4].max() == 0
    assert found[0, :, :4] == pytest.approx(expected[0, :, 3::-1], abs=1e-6)


PRECISE_DECODERS = {
    "sam": lambda dtype: memnets.SAM(
        5, memory_size=300, word_size=3, controller_size=4, dtype=dtype
    ),
    "clockwork": lambda dtype: memnets.MemoryRNN(
        memnets.cells.ClockworkRNNCell(4, (1, 2), dtype=dtype), dtype=dtype
    ),
}


@pytest.mark.parametrize(
    ("name", "dtype"),
    [
        # SAM compiles for seconds on JAX; there "clockwork" has half precision too.
        pytest.param("sam", "mixed_float16", marks=pytest.mark.once),
        pytest.param("sam", "bfloat16", marks=pytest.mark.once),
        ("clockwork", "float16"),
    ],
)
def test_a_decoder_that_needs_float32_has_it_below_additive_attention(name, dtype):
    """The logits, and the states after a step, are those of a network of float32."""
    half, full = (
        SequenceToSequence(
            *(9, 8, [gru()], [PRECISE_DECODERS[name](policy)]),
            embedding_size=4,
            attention="additive",
            bridge="none",
        )
        for policy in (dtype, "float32")
    )
    inputs = draw(2, 4)
    make_weights(half)
    expected = np.asarray(full(inputs))
    half.set_weights(full.get_weights())
    assert np.asarray(half(inputs)) == pytest.approx(expected, abs=1e-6)
    after = []
    for each in (half, full):
        step, states = each.start(inputs["source"])
        after.append(keras.tree.flatten(step(np.array([2, 5]), states)[1]))
    for state, like in zip(*after, strict=True):
        assert keras.backend.standardize_dtype(state.dtype) == "float32"
        assert np.asarray(state) == pytest.approx(np.asarray(like), abs=1e-6)


@pytest.mark.parametrize(
    ("name", "dtype"),
    [
        pytest.param("sam", "mixed_bfloat16", marks=pytest.mark.once),
        ("clockwork", "mixed_float16"),
    ],
)
def test_a_network_of_half_precision_writes_with_any_decoder(name, dtype):
    layer = SequenceToSequence(
        *(9, 8, [gru(dtype="mixed_bfloat16")], [PRECISE_DECODERS[name](dtype)]),
        embedding_size=4,
        attention="additive",
        dtype=dtype,
    )
    logits = layer(text_inputs())
    assert keras.backend.standardize_dtype(logits.dtype) == dtype.removeprefix("mixed_")
    writer = Writer(layer, START, END, max_length=3, beam_size=2)
    found = writer.write(draw(2, 4)["source"])
    assert np.isfinite(found.log_probs).all()


@pytest.mark.parametrize("bridge", ["learned", "states"])
def test_stacked_cells_are_layers_one_above_the_other(bridge):
    def joined(encoder, decoder):
        return SequenceToSequence(
            *(9, 8, encoder, decoder),
            bidirectional=False,
            bridge=bridge,
            tell_summary=True,
        )

    def of_cells():
        return [keras.layers.RNN([keras.layers.LSTMCell(3), keras.layers.GRUCell(5)])]

    def of_layers():
        return [keras.layers.LSTM(3), keras.layers.GRU(5)]

    stacked = joined(of_cells(), of_cells())
    layers = joined(of_layers(), of_layers())
    inputs = draw(3, 4)
    make_weights(stacked), make_weights(layers)
    layers.set_weights(stacked.get_weights())
    expected = np.asarray(layers(inputs))
    assert np.asarray(stacked(inputs)) == pytest.approx(expected, abs=1e-6)


@pytest.mark.once
def test_stacked_cells_read_in_both_directions():
    cells = [keras.layers.LSTMCell(3), keras.layers.GRUCell(5)]
    layer = SequenceToSequence(
        *(9, 8, [keras.layers.RNN(cells)], [keras.layers.GRU(6)]),
        attention="none",
        tell_summary=True,
    )
    inputs = as_inputs([1, 2, 3, 0, 0], [2, 5, 6, 0, 0])
    layer(inputs)
    # The last outputs of both directions, of which the backward one begins the decoder.
    words = layer.source_embedding(inputs["source"][:, :3])
    reader = layer.encoder[0]
    forward, backward = (
        direction(words)[0][:, -1]
        for direction in (reader.forward_layer, reader.backward_layer)
    )
    encoded = layer.encode(inputs["source"])
    [[expected]] = layer.bridge(backward, [], encoded.states)
    states = np.asarray(encoded.states[0][0])
    assert states == pytest.approx(np.asarray(expected), abs=1e-6)
    told = layer.summary(keras.ops.concatenate([forward, backward], axis=-1))
    summary = np.asarray(encoded.summary)
    assert summary == pytest.approx(np.asarray(told), abs=1e-6)


@pytest.mark.once
def test_the_network_of_cho_has_the_weights_of_its_equations():
    tokens, embedding, units, maxout, rank = 50, 10, 20, 500, 100
    layer = SequenceToSequence(
        *(tokens, tokens, [keras.layers.GRU(units, reset_after=False)]),
        [keras.layers.GRU(units, reset_after=False)],
        embedding_size=embedding,
        **NETWORKS["cho"][1],
    )
    as_model(layer)

    def gate(inputs):  # W, U and, not in the paper, a bias
        return inputs * units + units * units + units

    expected = 2 * tokens * embedding  # embeddings of both languages
    expected += 3 * gate(embedding)  # the encoder reads x
    expected += units * units  # c = tanh(V h)
    expected += units * units + units  # h' = tanh(V' h), here of h and with a bias
    expected += 3 * gate(embedding + units)  # the decoder reads y and c
    expected += (units + units + embedding + 1) * 2 * maxout  # s' of h', c and y
    expected += maxout * rank + rank * tokens + tokens  # G_r, G_l, a bias
    assert layer.count_params() == expected


@pytest.mark.once
def test_the_network_of_sutskever_has_the_weights_of_its_equations():
    tokens, size, layers = 30, 7, 4
    cells = [[keras.layers.LSTM(size) for _ in range(layers)] for _ in range(2)]
    layer = SequenceToSequence(
        *(tokens, tokens, *cells), embedding_size=size, **NETWORKS["sutskever"][1]
    )
    as_model(layer)
    lstm_weights = 4 * (size * size + size * size + size)
    expected = 2 * tokens * size + 2 * layers * lstm_weights + size * tokens + tokens
    assert layer.count_params() == expected


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"attention": "hard"}, "`attention` must be one of"),
        ({"bridge": "bridge"}, "`bridge` must be one of"),
        ({"bridge": "states"}, "one direction"),
        ({"dropout": 1.0}, "`dropout` must be"),
        ({"shared_embeddings": True, "target_tokens": 9}, "as many tokens"),
        ({"encoder": []}, "`encoder` must be a list of recurrent"),
        ({"bridge": "memory", "bidirectional": False}, "Neural Turing Machines"),
    ],
    ids=str,
)
def test_bad_arguments_are_named(changes, message):
    arguments = {
        "source_tokens": 8,
        "target_tokens": 8,
        "encoder": [gru()],
        "decoder": [gru()],
        **changes,
    }
    with pytest.raises(ValueError, match=message):
        SequenceToSequence(**arguments)


def test_states_are_handed_on_only_between_equal_cells():
    with pytest.raises(ValueError, match="equal states"):
        SequenceToSequence(8, 8, [gru()], [keras.layers.GRU(6)], **PLAIN)


@pytest.mark.once
@pytest.mark.parametrize("reverse", [False, True])
def test_the_alignment_of_a_memory_is_its_sum(reverse):
    """Against the weightings that the layers themselves hand out."""
    keras.utils.set_random_seed(5)
    layers = [
        memnets.NTM(
            *(4,),
            memory_size=6,
            word_size=3,
            num_read_heads=2,
            num_write_heads=2,
            initial_weightings="uniform",
        )
        for _ in range(2)
    ]
    two = SequenceToSequence(
        *(9, 8, layers[:1], layers[1:]),
        embedding_size=4,
        attention="none",
        bidirectional=False,
        bridge="memory",
        reverse_source=reverse,
    )
    sources, targets = np.array([[3, 5, 8, 2]]), np.array([[1, 7, 3]])
    two({"source": sources, "target": targets})
    found = memory_alignment(two, sources, targets)
    assert found.shape == (1, 3, 4)
    assert found.min() >= 0
    assert found.max() <= 1 + 1e-6

    def weightings(layer, inputs, **begin):
        """After each step, as the last state over a sequence that ends there."""
        found = []
        for length in range(1, inputs.shape[1] + 1):
            _, *states = layer(inputs[:, :length], **begin)
            found.append(np.array(layer.cell.unpack(states).weightings)[0])
        return np.array(found)  # (T, heads, N), read heads first

    read_in = sources[:, ::-1] if reverse else sources
    written = weightings(two.encoder[0], two.source_embedding(read_in))
    begin = two.encode(sources, False).states[0]
    embedded = two.target_embedding(targets)
    read = weightings(two.decoder[0], embedded, initial_state=begin)
    for i, j in itertools.product(range(3), range(4)):
        step = 3 - j if reverse else j
        products = [
            (read[i, r] * written[step, 2 + w]).sum() for r in (0, 1) for w in (0, 1)
        ]
        assert found[0, i, j] == pytest.approx(np.mean(products), abs=1e-5)


def test_the_alignment_below_stacked_cells_is_that_below_layers():
    def joined(below):
        layers = [[*below(), ntm()] for _ in range(2)]
        options = {**PLAIN, "bridge": "none", "embedding_size": 6}
        return SequenceToSequence(9, 8, *layers, **options)

    cells = [keras.layers.LSTMCell(3), keras.layers.GRUCell(5)]
    stacked = joined(lambda: [keras.layers.RNN(cells)])
    layers = joined(lambda: [keras.layers.LSTM(3), keras.layers.GRU(5)])
    sources, targets = np.array([[3, 5, 8, 2]]), np.array([[1, 7, 3, 4]])
    make_weights(stacked), make_weights(layers)
    layers.set_weights(stacked.get_weights())
    expected = memory_alignment(layers, sources, targets)
    found = memory_alignment(stacked, sources, targets)
    assert found == pytest.approx(expected, abs=1e-6)


def test_an_alignment_has_no_padding():
    with pytest.raises(ValueError, match="without padding. Received: sources=.*4, 0"):
        memory_alignment(network("ntm"), [[4, 0]], [[1, 2]])


@pytest.mark.once
def test_an_alignment_needs_two_memories():
    with pytest.raises(ValueError, match="`network` must have Neural Turing Machines"):
        memory_alignment(network("gru"), np.ones((1, 2)), np.ones((1, 2)))


def test_inputs_have_their_names():
    with pytest.raises(ValueError, match="dict of `source` and `target`. .*: source, "):
        network("gru")({"source": np.ones((1, 2)), "targets": np.ones((1, 2))})


@pytest.mark.once
def test_a_network_of_an_earlier_version_reads_both_texts_from_one_tensor():
    """The file and the numbers are of a version that had no named inputs."""
    model = memnets.load(GOLDEN / "packed_translation.keras")
    inputs = as_inputs([3, 4, 5, 0], [2, 6, 4, 0])
    packed = np.stack(list(inputs.values()), axis=1)
    found = np.asarray(model(packed))
    assert found[0, :3, :3] == pytest.approx(np.array(EARLIER_LOGITS), abs=1e-6)
    layer = model.get_layer("network")
    np.testing.assert_array_equal(layer(inputs), layer(packed))
