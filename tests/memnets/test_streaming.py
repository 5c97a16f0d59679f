"""A model that is called piece by piece."""

import keras
import numpy as np
import pytest
from keras import layers

import memnets
from memnets.attention import RelativeAttention
from memnets.cells import LearnedStart, MultiplicativeRNNCell


def functional(*hidden):
    inputs = keras.Input((None, 3))
    outputs = inputs
    for layer in hidden:
        outputs = layer(outputs)
    return keras.Model(inputs, outputs)


def sequences():
    return np.random.default_rng(1).normal(size=(2, 6, 3)).astype("float32")


RECURRENT = {
    "lstm": lambda: layers.LSTM(4, return_sequences=True),
    "gru": lambda: layers.GRU(4, return_sequences=True),
    "simple": lambda: layers.SimpleRNN(4, return_sequences=True),
    "cell": lambda: layers.RNN(MultiplicativeRNNCell(4, 2), return_sequences=True),
    "nested": lambda: layers.RNN(
        [layers.LSTMCell(4), layers.GRUCell(2)], return_sequences=True
    ),
    "learned start": lambda: memnets.MemoryRNN(
        LearnedStart(layers.LSTMCell(4)), return_sequences=True
    ),
    "stacked": lambda: memnets.StackedLSTM(4, (3, 2)),
    "ntm": lambda: memnets.NTM(
        4,
        memory_size=5,
        word_size=3,
        controller_size=4,
        initial_memory="learned",
        return_sequences=True,
    ),
    "dnc": lambda: memnets.DNC(
        4, memory_size=5, word_size=3, controller_size=4, return_sequences=True
    ),
}


@pytest.mark.parametrize("name", RECURRENT)
def test_pieces_have_the_outputs_of_the_whole(name):
    model = functional(RECURRENT[name](), layers.Dense(2))
    rng = np.random.default_rng(2)
    for weight in model.trainable_weights:  # a learned start is no longer zero
        weight.assign(rng.normal(size=weight.shape))
    whole = model.predict_on_batch(sequences())
    stream = memnets.StreamingModel(model)
    states, pieces = stream.initial_states(2), []
    for piece in np.split(sequences(), 2, axis=1):
        outputs, states = stream.advance(piece, states)
        pieces.append(outputs)
    np.testing.assert_allclose(np.concatenate(pieces, axis=1), whole, atol=2e-6)


def test_several_recurrent_layers_and_a_way_around_them():
    inputs = keras.Input((None, 3))
    first = layers.LSTM(4, return_sequences=True)(inputs)
    second = layers.GRU(4, return_sequences=True)(first)
    model = keras.Model(inputs, layers.Add()([second, layers.Dense(4)(first)]))
    stream = memnets.StreamingModel(model)
    start, end = np.split(sequences(), 2, axis=1)
    states = stream.initial_states(2)
    assert [state.shape for state in states] == [(2, 4)] * 3
    _, states = stream.advance(start, states)
    outputs, _ = stream.advance(end, states)
    whole = model.predict_on_batch(sequences())
    np.testing.assert_allclose(outputs, whole[:, 3:], atol=1e-6)


@pytest.mark.parametrize("name", ["lstm", "nested", "learned start"])
def test_a_state_that_is_returned_can_be_used(name):
    """After the last piece it is that of the whole sequence."""
    inputs = keras.Input((None, 3))
    layer = RECURRENT[name]()
    layer.return_state = True
    output, *states = layer(inputs)
    last = keras.tree.flatten(states)[-1]
    model = keras.Model(inputs, layers.Dense(2)(last) + output[:, -1, :2])
    stream = memnets.StreamingModel(model)
    states = stream.initial_states(2)
    for piece in np.split(sequences(), 2, axis=1):
        outputs, states = stream.advance(piece, states)
    whole = model.predict_on_batch(sequences())
    np.testing.assert_allclose(outputs, whole, atol=1e-6)


def test_a_mask_by_place_is_a_mask():
    inputs = keras.Input((None, 3))
    mask = keras.ops.any(inputs > 0, axis=-1)
    model = keras.Model(inputs, RECURRENT["gru"]()(inputs, None, mask))
    stream = memnets.StreamingModel(model)
    values = sequences()
    values[:, 2] = -1
    outputs, _ = stream.advance(values, stream.initial_states(2))
    np.testing.assert_array_equal(outputs[:, 2], outputs[:, 1])
    np.testing.assert_allclose(outputs, model.predict_on_batch(values), atol=1e-6)


def test_states_can_be_chosen_from():
    stream = memnets.StreamingModel(
        keras.Sequential([keras.Input((None, 3)), RECURRENT["lstm"]()])
    )
    _, states = stream.advance(sequences()[:, :2], stream.initial_states(2))
    both, _ = stream.advance(sequences()[:, 2:3], states)
    rows = [state[[1, 1]] for state in states]
    second, _ = stream.advance(sequences()[[1, 1], 2:3], rows)
    np.testing.assert_allclose(second, both[[1, 1]], atol=1e-6)


def test_weights_are_those_when_it_was_made():
    model = functional(RECURRENT["simple"]())
    stream = memnets.StreamingModel(model)
    before, _ = stream.advance(sequences(), stream.initial_states(2))
    for weight in model.weights:
        weight.assign(weight + 1.0)
    after, _ = stream.advance(sequences(), stream.initial_states(2))
    np.testing.assert_array_equal(after, before)


def called_twice():
    inputs = keras.Input((None, 4))
    layer = RECURRENT["lstm"]()
    return keras.Model(inputs, layer(layer(inputs)))


def two_outputs():
    inputs = keras.Input((None, 4))
    return keras.Model(inputs, [RECURRENT["lstm"]()(inputs), inputs])


def begun(run):
    """A recurrent layer that begins with what a dense layer makes of the first step."""
    inputs = keras.Input((None, 3))
    return keras.Model(inputs, run(inputs, layers.Dense(4)(inputs[:, 0])))


@pytest.mark.parametrize(
    ("make", "error", "message"),
    [
        (lambda: "lstm", TypeError, "`model` must be a functional or seq.*'lstm'"),
        (lambda: keras.Sequential([layers.LSTM(2)]), TypeError, "must be a functional"),
        (two_outputs, TypeError, "one input and one output. Received: 1 and 2"),
        (
            lambda: functional(layers.Dense(2)),
            ValueError,
            "must have a recurrent layer. Received none",
        ),
        (
            lambda: functional(layers.Bidirectional(RECURRENT["gru"]())),
            ValueError,
            "whose state can be carried: .* Received: Bidirectional",
        ),
        (
            lambda: functional(
                layers.LSTM(2, return_sequences=True, go_backwards=True)
            ),
            ValueError,
            "whose state can be carried: .* Received: LSTM",
        ),
        (
            lambda: functional(functional(RECURRENT["gru"]())),
            ValueError,
            "whose state can be carried: .* Received: Functional",
        ),
        (
            lambda: functional(RECURRENT["gru"](), layers.GlobalAveragePooling1D()),
            ValueError,
            "each step by itself .* Received: GlobalAveragePooling1D .*of one piece",
        ),
        (
            lambda: keras.Sequential(
                [
                    keras.Input((None, 5, 2)),
                    layers.ConvLSTM1D(2, 3, return_sequences=True),
                ]
            ),
            ValueError,
            "with vectors as states, .* Received: ConvLSTM1D",
        ),
        (called_twice, ValueError, "called once, without.* Received: LSTM"),
        (
            lambda: begun(lambda x, h: RECURRENT["gru"]()(x, initial_state=h)),
            ValueError,
            "without an initial state.* Received: GRU",
        ),
        (
            lambda: begun(lambda x, h: RECURRENT["gru"]()(x, h)),
            ValueError,
            "without an initial state.* Received: GRU",
        ),
        (
            lambda: begun(
                lambda x, h: memnets.MemoryRNN(layers.GRUCell(4))(x, initial_state=[h])
            ),
            ValueError,
            "without an initial state.* Received: MemoryRNN",
        ),
    ],
)
def test_models_whose_state_cannot_be_carried_are_refused(make, error, message):
    with pytest.raises(error, match=message):
        memnets.StreamingModel(make())


@pytest.mark.parametrize(
    "make",
    [
        lambda: layers.Conv1D(3, 2, padding="causal"),
        lambda: layers.Conv1D(3, 3, padding="same"),
        lambda: layers.Conv1D(3, 1, strides=2),
        lambda: layers.SeparableConv1D(3, 2),
        lambda: layers.DepthwiseConv1D(2),
        lambda: layers.Conv1DTranspose(3, 2),
        lambda: layers.UpSampling1D(2),
        lambda: layers.ZeroPadding1D(1),
        lambda: layers.Cropping1D(1),
        lambda: layers.Reshape((-1, 1)),
        lambda: layers.Permute((2, 1)),
        lambda: layers.UnitNormalization(axis=1),
        lambda: layers.LayerNormalization(axis=(-2, -1)),
        lambda: layers.GroupNormalization(3),
        lambda: layers.Softmax(axis=1),
        lambda: RelativeAttention(1, 3, causal=True),
        lambda: keras.Sequential([layers.Dense(3), layers.Conv1D(3, 2)]),
    ],
)
def test_a_layer_that_mixes_steps_before_the_memory_is_refused(make):
    """In pieces it would see other steps than in the whole."""
    inputs = keras.Input((6, 3))
    outputs = make()(inputs)
    model = keras.Model(inputs, layers.GRU(2)(outputs))
    with pytest.raises(ValueError, match="each step by itself .* steps of one piece"):
        memnets.StreamingModel(model)


def test_layers_by_step_have_the_outputs_of_the_whole():
    model = functional(
        layers.Conv1D(4, 1),
        layers.LayerNormalization(),
        layers.Reshape((-1, 2, 2)),
        layers.TimeDistributed(layers.Flatten()),
        layers.BatchNormalization(),
        keras.Sequential([layers.Dense(4, "tanh"), layers.UnitNormalization()]),
        RECURRENT["gru"](),
        layers.Dropout(0.5),
        layers.Softmax(),
    )
    whole = model.predict_on_batch(sequences())
    stream = memnets.StreamingModel(model)
    states = stream.initial_states(2)
    _, states = stream.advance(sequences()[:, :3], states)
    outputs, _ = stream.advance(sequences()[:, 3:], states)
    np.testing.assert_allclose(outputs, whole[:, 3:], atol=1e-6)


def test_what_comes_after_the_last_state_is_not_a_sequence():
    model = functional(layers.GRU(4), layers.Flatten(), layers.Reshape((2, 2)))
    outputs, _ = memnets.StreamingModel(model).advance(
        sequences(), memnets.StreamingModel(model).initial_states(2)
    )
    np.testing.assert_allclose(outputs, model.predict_on_batch(sequences()), atol=1e-6)


def test_the_batch_size_is_checked():
    stream = memnets.StreamingModel(functional(RECURRENT["gru"]()))
    with pytest.raises(ValueError, match="`batch_size` must be a positive integer"):
        stream.initial_states(0)


def test_a_learned_start_and_the_weights_are_of_one_moment():
    model = functional(RECURRENT["learned start"]())
    stream = memnets.StreamingModel(model)
    before = stream.initial_states(1)
    for weight in model.trainable_weights:
        weight.assign(weight + 1)
    for first, second in zip(before, stream.initial_states(1), strict=True):
        np.testing.assert_array_equal(first, second)


@pytest.mark.parametrize("kind", ["functional", "sequential"])
def test_the_name_of_the_input_may_be_taken_again_in_another_process(kind):
    """As where a model was saved by one process and is the first one of another."""
    layer = layers.LSTM(4, return_sequences=True)
    model = functional(layer)
    if kind == "sequential":
        model = keras.Sequential([keras.Input((None, 3)), layer])
    config = model.get_config()
    keras.backend.clear_session()  # the first automatic name is given again
    stream = memnets.StreamingModel(type(model).from_config(config))
    outputs, _ = stream.advance(sequences(), stream.initial_states(2))
    assert outputs.shape == (2, 6, 4)


@pytest.mark.parametrize(
    ("inputs", "states", "error", "message"),
    [
        (lambda x: x, lambda s: s[:1], ValueError, "`states` must hold 2 tensors"),
        (
            lambda x: x[:1],
            lambda s: s,
            ValueError,
            r"`states` must have the shape \(1,",
        ),
        (lambda x: x, lambda s: None, TypeError, r"those of `initial_states\(batch_"),
        (lambda x: x[..., :2], lambda s: s, ValueError, r"`inputs` .* \(B, T, 3\)"),
        (lambda x: x[0], lambda s: s, ValueError, r"shape \(B, T, 3\). .* \(6, 3\)"),
        (lambda x: x[:, :0], lambda s: s, ValueError, "at least one sequence and one"),
        (lambda x: "text", lambda s: s, TypeError, "`inputs` must be a tensor"),
    ],
)
def test_a_wrong_piece_or_state_is_named(inputs, states, error, message):
    stream = memnets.StreamingModel(functional(RECURRENT["lstm"]()))
    with pytest.raises(error, match=message):
        stream.advance(inputs(sequences()), states(stream.initial_states(2)))


MASKING = {
    "float32": "float32",
    "float16": "float32",
    "float32 ": "mixed_float16",
    "mixed_float16": "mixed_float16",
    "mixed_bfloat16": "mixed_bfloat16",
}


# A tape casts as an NTM does. Its loop is Keras' own, where the kernel runs an NTM.
MASKED = [(kind, *types) for kind in ("lstm", "ntm") for types in MASKING.items()]
MASKED += [("tape", *types) for types in list(MASKING.items())[2::2]]


@pytest.mark.parametrize(("kind", "masking", "dtype"), MASKED)
def test_the_mask_counts_whatever_is_cast(kind, masking, dtype):
    """A padded sequence has the outputs of the same without padding. A mask that gets
    lost changes them by 0.008 and more."""
    make = {
        "lstm": layers.LSTM,
        "ntm": lambda units, dtype: memnets.NTM(units, memory_size=5, dtype=dtype),
        "tape": memnets.TapeRNN,
    }[kind]
    keras.utils.set_random_seed(1)
    masked = layers.Masking(dtype=masking.strip())
    stream = memnets.StreamingModel(functional(masked, make(4, dtype=dtype)))
    padded = sequences()
    padded[1, 4:] = 0
    outputs, _ = stream.advance(padded, stream.initial_states(2))
    alone, _ = stream.advance(padded[1:, :4], stream.initial_states(1))
    difference = outputs[1].astype("float32") - alone[0].astype("float32")
    assert np.abs(difference).max() < 1e-3
