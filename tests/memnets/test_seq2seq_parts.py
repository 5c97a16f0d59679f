"""What networks that read and write take, refuse, and hand on to their parts."""

import keras
import numpy as np
import pytest
from text_networks import drawn_texts

import memnets
from memnets.cells import LearnedStart
from memnets.seq2seq import (
    AdditiveAttention,
    ApplicationCells,
    Captioner,
    GeneralAttention,
    Sampler,
    SequenceToSequence,
    Writer,
    memory_alignment,
)
from memnets.seq2seq.attentive_cell import AttentiveCell

PLAIN = {"attention": "none", "bidirectional": False}
SIZES = {"memory_size": 8, "word_size": 4, "controller_size": 6}


def network(decoder, encoder=None, **options):
    keras.utils.set_random_seed(1)
    encoder = keras.layers.GRU(5) if encoder is None else encoder
    return SequenceToSequence(9, 8, [encoder], [decoder], embedding_size=4, **options)


def inputs():
    return drawn_texts(np.random.default_rng(1), 3, 4)


MEMORIES = {
    "ntm": lambda: memnets.NTM(6, **SIZES),
    "dnc": lambda: memnets.DNC(6, controller="lstm", **SIZES),
    "sam": lambda: memnets.SAM(6, num_rows_read=2, **SIZES),
    "stack": lambda: memnets.StackRNN(6, controller="lstm", controller_size=6),
}


@pytest.mark.once
@pytest.mark.parametrize("name", MEMORIES)
def test_a_learned_bridge_sets_the_controller_and_leaves_the_memory(name):
    layer = network(MEMORIES[name]())
    assert np.isfinite(np.asarray(layer(inputs()))).all()
    cell = layer.decoder[0].cell
    found = cell.unpack(layer.encode(inputs()["source"]).states[0])
    begin = cell.unpack(cell.get_initial_state(3))
    for field, value, first in zip(found._fields, found, begin, strict=True):
        if field == "controller":
            assert all(np.abs(np.asarray(part)).max() > 0.01 for part in value)
        elif value is not None:
            np.testing.assert_array_equal(value, first)


def test_a_learned_bridge_needs_a_state_that_can_be_learned():
    decoder = memnets.FastWeights(6, key_size=4)
    with pytest.raises(ValueError, match="whose controller has a state"):
        network(decoder)


def test_a_memory_is_handed_on_only_to_one_of_its_shape():
    encoder = memnets.NTM(5, memory_size=8, word_size=4)
    decoder = memnets.NTM(5, memory_size=4, word_size=8)
    with pytest.raises(ValueError, match="memories of one size"):
        network(decoder, encoder, bridge="memory", **PLAIN)


RANDOMIZED = {"initial_memory": "randomized", **SIZES}
RANDOMIZED_DECODERS = {
    "layer": lambda: memnets.NTM(6, **RANDOMIZED),
    "start": lambda: memnets.MemoryRNN(LearnedStart(memnets.NTMCell(6, **RANDOMIZED))),
    "stacked": lambda: keras.layers.RNN(
        [keras.layers.GRUCell(4), memnets.NTMCell(6, **RANDOMIZED)]
    ),
}


@pytest.mark.once
@pytest.mark.parametrize("attention", ["general", "additive"])
@pytest.mark.parametrize("decoder", RANDOMIZED_DECODERS)
def test_a_randomized_memory_of_a_decoder_is_so_in_training_alone(decoder, attention):
    layer = network(RANDOMIZED_DECODERS[decoder](), attention=attention, bridge="none")
    layer(inputs())
    memories = [
        np.asarray(layer.encode(inputs()["source"], training).states[0][-1])
        for training in (False, True)
    ]
    np.testing.assert_array_equal(memories[0][0], memories[0][1])
    assert np.abs(memories[1][0] - memories[1][1]).max() > 0.01


@pytest.mark.once
@pytest.mark.parametrize("as_captioner", [False, True])
def test_half_precision_tells_all_tokens_apart(as_captioner):
    """bfloat16 has no 257."""
    options = {"embedding_size": 4, "dtype": "mixed_bfloat16"}
    decoder = [keras.layers.GRU(5)]
    if as_captioner:
        layer = Captioner((3, 2), 300, None, decoder, **options)
        names, beside = ("picture", "caption"), np.zeros((1, 3, 2), "float32")
    else:
        layer = SequenceToSequence(300, 300, [keras.layers.GRU(5)], decoder, **options)
        names, beside = ("source", "target"), np.full((1, 3), 5.0, "float32")
    first, second = (
        np.asarray(layer(dict(zip(names, (beside, tokens), strict=True))), "float32")
        for tokens in (np.full((1, 2), token, "float32") for token in (256, 257))
    )
    assert np.abs(first - second).max() > 1e-3


@pytest.mark.once
@pytest.mark.parametrize("readout", ["tied", "linear", "maxout"])
@pytest.mark.parametrize("attention", ["general", "additive"])
def test_parts_have_the_precision_of_the_network(readout, attention):
    options = {"readout": readout, "attention": attention, "tell_summary": True}
    layer = network(
        keras.layers.GRU(5, dtype="mixed_bfloat16"),
        keras.layers.GRU(5, dtype="mixed_bfloat16"),
        dtype="mixed_bfloat16",
        **options,
    )
    assert keras.backend.standardize_dtype(layer(inputs()).dtype) == "bfloat16"
    parts = list(layer._flatten_layers())
    assert len(parts) > 10
    assert {part.dtype_policy.name for part in parts} == {"mixed_bfloat16"}


@pytest.mark.parametrize(
    "bridge", [pytest.param("none", marks=pytest.mark.once), "learned"]
)
def test_half_precision_around_layers_of_float32_writes(bridge):
    layer = network(keras.layers.GRU(5), dtype="mixed_bfloat16", bridge=bridge)
    layer(inputs())
    found = Writer(layer, 2, 3, 4, beam_size=2).write(inputs()["source"])
    assert np.isfinite(found.log_probs).all()
    assert (found.lengths > 0).all()


@pytest.mark.parametrize(
    "kind", [GeneralAttention, lambda **k: AdditiveAttention(7, **k)]
)
def test_attention_in_float16_ignores_padding(kind):
    memory = np.random.default_rng(1).normal(size=(2, 5, 6)).astype("float16")
    mask = np.array([[0, 0, 0, 0, 0], [1, 1, 0, 0, 0]], bool)
    query = np.ones((2, 3, 4), "float16")
    contexts, weights = kind(dtype="float16")(query, memory, mask)
    assert keras.backend.standardize_dtype(weights.dtype) == "float16"
    assert np.isfinite(np.asarray(contexts)).all()
    weights = np.asarray(weights)
    assert weights.sum(-1) == pytest.approx(1, abs=5e-3)  # 11 binary digits
    assert weights[1, :, 2:].max() == 0


def test_attention_takes_the_mask_of_an_embedding():
    memory = keras.layers.Embedding(9, 6, mask_zero=True)(np.array([[3, 2, 0, 0]]))
    _, weights = GeneralAttention()(np.ones((1, 3, 4), "float32"), memory)
    assert np.asarray(weights)[0, :, 2:].max() == 0


@pytest.mark.once
def test_additive_attention_works_with_stacked_cells():
    cells = [keras.layers.LSTMCell(5), keras.layers.LSTMCell(6)]
    layer = network(keras.layers.RNN(cells), attention="additive")
    assert tuple(layer(inputs()).shape) == (3, 4, 8)
    tensors = keras.tree.map_structure(keras.ops.convert_to_tensor, inputs())
    weights = np.asarray(layer.attention_weights(tensors))
    assert weights.sum(-1) == pytest.approx(1, abs=1e-5)


@keras.saving.register_keras_serializable("tests")
class AddingCell(keras.layers.Layer):
    """A cell that does not say how it begins, as Keras allows."""

    state_size, output_size = [4], 4

    def build(self, input_shape):
        self.kernel = self.add_weight(shape=(input_shape[-1], 4), name="kernel")

    def call(self, inputs, states):
        total = states[0] + keras.ops.matmul(inputs, self.kernel)
        return total, [total]


@pytest.mark.once
@pytest.mark.parametrize("attention", ["general", "additive"])
def test_a_decoder_that_does_not_say_how_it_begins_begins_with_zeros(attention):
    layer = network(keras.layers.RNN(AddingCell()), attention=attention, bridge="none")
    assert np.isfinite(np.asarray(layer(inputs()))).all()
    (states,) = layer.encode(inputs()["source"]).states
    np.testing.assert_array_equal(states, np.zeros((1, 3, 4)))


def test_the_width_of_a_memory_is_checked():
    with pytest.raises(ValueError, match="`memory_size` must be a positive integer"):
        AttentiveCell(keras.layers.GRUCell(3), "a", 4)


def test_without_attention_there_are_no_weights():
    layer = network(keras.layers.GRU(5), **PLAIN)
    with pytest.raises(ValueError, match="no weights. Received: attention='none'"):
        layer.attention_weights(inputs())


@pytest.mark.parametrize(
    "kind", [GeneralAttention, lambda: AdditiveAttention(7)], ids=["general", "add"]
)
def test_one_position_has_all_attention_without_a_warning(kind):
    contexts, weights = kind()(np.ones((2, 3, 4)), np.full((2, 1, 6), 5.0))
    np.testing.assert_array_equal(weights, np.ones((2, 3, 1)))
    np.testing.assert_array_equal(contexts, np.full((2, 3, 6), 5.0))


def test_additive_attention_keeps_how_a_layer_runs():
    decoder = keras.layers.GRU(5, unroll=True, zero_output_for_mask=True)
    (layer,) = network(decoder, attention="additive").decoder
    assert layer.unroll and layer.zero_output_for_mask


@pytest.mark.parametrize("name", ["encoder", "decoder"])
@pytest.mark.parametrize("flag", ["go_backwards", "stateful"])
def test_layers_that_cannot_read_or_write_are_refused(name, flag):
    layers = {"encoder": keras.layers.GRU(5), "decoder": keras.layers.GRU(5)}
    layers[name] = keras.layers.GRU(5, **{flag: True})
    with pytest.raises(ValueError, match=f"`{name}` must have .* {flag}=True"):
        network(**layers)


def test_layers_with_weights_are_refused():
    decoder = keras.layers.GRU(5)
    decoder(np.zeros((1, 2, 3)))
    with pytest.raises(ValueError, match="`decoder` must .* not called or built"):
        network(decoder)


def test_scheduled_sampling_has_one_class():
    with pytest.raises(TypeError, match="`scheduled_sampling` must .*='linear'"):
        network(keras.layers.GRU(5), scheduled_sampling="linear")


@pytest.mark.parametrize(
    "wrap",
    [LearnedStart, lambda cell: AttentiveCell(cell, 4, 3)],
    ids=["start", "attentive"],
)
@pytest.mark.parametrize(
    "cell",
    [
        keras.layers.GRUCell(4, dropout=0.5),
        keras.layers.StackedRNNCells([keras.layers.LSTMCell(4, recurrent_dropout=0.5)]),
    ],
    ids=["one", "stacked"],
)
def test_a_cell_in_a_cell_has_no_dropout(wrap, cell):
    with pytest.raises(ValueError, match="`cell` must not use dropout"):
        wrap(cell)


def test_a_wrapped_controller_has_no_dropout():
    class Wrapper(keras.layers.Layer):
        state_size = output_size = 4
        cell = keras.layers.GRUCell(4, dropout=0.5)

        def call(self, inputs, states):
            return self.cell(inputs, states)

    with pytest.raises(ValueError, match="`controller` must not use dropout"):
        memnets.NTM(3, controller=Wrapper())


@pytest.mark.once
def test_a_configuration_opens_no_file_of_weights(tmp_path):
    config = {"application": "MobileNetV2", "weights": str(tmp_path / "no.weights.h5")}
    assert ApplicationCells.from_config(config).application == "MobileNetV2"


@pytest.mark.parametrize(
    ("change", "error", "message"),
    [
        ({"start": -1}, ValueError, "`start` must be a non-negative integer"),
        ({"start": 8}, ValueError, "`start` must be an integer of at most 7"),
        ({"end": 99}, ValueError, "`end` must be below 8"),
        ({"banned": [8]}, ValueError, "`banned` must be below 8"),
        ({"max_length": 0}, ValueError, "`max_length` must"),
        ({"min_length": -1}, ValueError, "`min_length` must"),
        ({"min_length": 4}, ValueError, "`min_length` must be an integer of at most 3"),
        ({"min_lenght": 3}, TypeError, "min_lenght"),
    ],
)
@pytest.mark.parametrize("kind", [Writer, Sampler])
def test_what_writes_checks_its_arguments_when_it_is_made(kind, change, error, message):
    arguments = {"start": 2, "end": 3, "max_length": 3, **change}
    with pytest.raises(error, match=message):
        kind(network(keras.layers.GRU(5)), **arguments)


@pytest.mark.parametrize("kind", [Writer, Sampler])
def test_what_writes_needs_a_network(kind):
    with pytest.raises(TypeError, match="`network` must be .* Received: None"):
        kind(None, 2, 3, 4)


def test_a_network_without_weights_does_not_write():
    layer, sources = network(keras.layers.GRU(5)), inputs()["source"]
    message = "^`network` must have weights .* Received: sequence_to_sequence"
    with pytest.raises(ValueError, match=message):
        layer.start(sources)
    with pytest.raises(ValueError, match=message):
        Writer(layer, 2, 3, 4).write(sources)
    with pytest.raises(ValueError, match=message):
        Sampler(layer, 2, 3, 4).write(sources, np.full((3, 4), 0.5))


@pytest.mark.once
def test_tokens_that_a_generator_bans_are_never_written():
    layer = network(keras.layers.GRU(5))
    layer(inputs())
    banned = (token for token in (0, 1, 2, 4, 5, 6))
    writer = Writer(layer, 2, 3, 4, beam_size=2, banned=banned, min_length=3)
    assert {*writer.write(inputs()["source"]).tokens.ravel().tolist()} == {3, 7}


@pytest.mark.parametrize(
    ("kind", "option"),
    [
        (Writer, {"beam_size": 0}),
        (Writer, {"n_best": 6}),
        (Writer, {"length_penalty": -1}),
        (Sampler, {"temperature": -1}),
        (Sampler, {"top_k": 0}),
        (Sampler, {"top_p": 0}),
    ],
)
def test_what_writes_checks_its_options_when_it_is_made(kind, option):
    (name,) = option
    with pytest.raises(ValueError, match=f"`{name}` must"):
        kind(network(keras.layers.GRU(5)), 2, 3, 4, **option)


@pytest.mark.parametrize("name", ["sam", "stack"])
def test_an_alignment_needs_memories_with_weightings(name):
    layer = network(MEMORIES[name](), MEMORIES[name](), bridge="none", **PLAIN)
    with pytest.raises(ValueError, match="memories with weightings"):
        memory_alignment(layer, np.ones((1, 2)), np.ones((1, 2)))
