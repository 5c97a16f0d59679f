"""The recurrent networks that memory networks are compared with."""

import re

import keras
import numpy as np
import pytest
import reference
from layer_weights import arrays, randomise

import memnets

FEATURES = 3


def sequences(batch_size=4, time=5):
    rng = np.random.default_rng(0)
    return rng.standard_normal((batch_size, time, FEATURES)).astype("float32")


def built(units=2, layer_sizes=(6, 5)):
    layer = memnets.StackedLSTM(units, layer_sizes=layer_sizes)
    layer.build((None, None, FEATURES))
    return randomise(layer)


def run_oracle(layer, inputs):
    """The outputs of the stack for one example, computed step by step in NumPy."""
    weights = list(arrays(layer))
    kernel, bias = weights[-2:]
    hidden = inputs.astype("float64")
    for index in range(0, len(weights) - 2, 3):
        size = weights[index + 1].shape[0]
        state, outputs = (np.zeros(size), np.zeros(size)), []
        for x in hidden:
            output, state = reference.lstm_step(x, state, weights[index : index + 3])
            outputs.append(output)
        hidden = np.array(outputs)
    return hidden @ kernel + bias


@pytest.mark.parametrize("layer_sizes", [(6,), (6, 5), [4, 4, 4]])
@pytest.mark.parametrize(("batch_size", "time"), [(4, 5), (1, 1)])
def test_stacked_lstm_agrees_with_numpy(layer_sizes, batch_size, time):
    layer, inputs = built(layer_sizes=layer_sizes), sequences(batch_size, time)
    expected = [run_oracle(layer, example) for example in inputs]
    np.testing.assert_allclose(layer(inputs), expected, atol=1e-5)


def test_output_is_linear():
    layer = built()
    kernel, bias = arrays(layer.projection)
    before = np.asarray(layer(sequences()))
    layer.projection.set_weights([1000 * kernel, bias])
    # 1e-2: values are up to a thousand.
    np.testing.assert_allclose(
        layer(sequences()), 1000 * (before - bias) + bias, atol=1e-2
    )


def test_masked_steps_do_not_matter():
    layer, inputs = built(), sequences()
    mask = np.array(
        [[1, 1, 1, 1, 1], [0, 0, 1, 1, 1], [1, 0, 0, 1, 1], [0, 1, 0, 0, 1]], bool
    )
    inputs[~mask] = 1e3
    output = np.asarray(layer(inputs, mask=mask))
    for row in range(4):
        np.testing.assert_allclose(
            output[row, mask[row]],
            run_oracle(layer, inputs[row, mask[row]]),
            atol=1e-5,
        )


def test_the_state_is_that_of_the_lstm_layers():
    """The last output and carry of each, from which the next part goes on."""
    layer, inputs = built(), sequences()
    whole = layer(inputs)
    layer.return_state = True
    _, *states = layer(inputs[:, :3])
    assert [tuple(state.shape) for state in states] == [
        (4, size) for size in layer.state_size
    ]
    assert layer.state_size == [6, 6, 5, 5]
    lstm = keras.layers.LSTM(6, return_state=True)
    lstm.build((None, None, FEATURES))
    lstm.set_weights(layer.layers[0].get_weights())
    _, first, carry = lstm(inputs[:, :3])
    np.testing.assert_allclose(states[0], first, atol=1e-6)
    np.testing.assert_allclose(states[1], carry, atol=1e-6)
    outputs, *_ = layer(inputs[:, 3:], initial_state=states)
    np.testing.assert_allclose(outputs, whole[:, 3:], atol=1e-6)
    for state in layer.get_initial_state(4):
        assert not np.asarray(state).any()


def test_the_state_of_each_layer_may_be_a_list():
    layer, inputs = built(), sequences()
    rng = np.random.default_rng(1)
    states = [rng.normal(size=(4, size)).astype("float32") for size in (6, 6, 5, 5)]
    expected = np.asarray(layer(inputs, initial_state=states))
    nested = layer(inputs, initial_state=[states[:2], states[2:]])
    np.testing.assert_array_equal(nested, expected)


@pytest.mark.parametrize(
    ("initial_state", "message"),
    [
        ([np.zeros((4, 6))] * 3, "`initial_state` must hold 4 tensors, of the sizes"),
        ([np.zeros((4, 5))] * 4, "`initial_state` must have the shape (4, 6)"),
    ],
)
def test_another_state_is_refused(initial_state, message):
    with pytest.raises(ValueError, match=re.escape(message)):
        built()(sequences(), initial_state=initial_state)


def test_mask_is_passed_on_to_the_next_layer():
    inputs = keras.Input((5, FEATURES))
    hidden = keras.layers.Masking()(inputs)
    assert keras.src.backend.get_keras_mask(built()(hidden)) is not None


def test_saved_model_loads_with_identical_outputs(tmp_path):
    inputs = keras.Input((None, FEATURES))
    model = keras.Model(inputs, built(layer_sizes=(6, 5, 4))(inputs))
    model.save(tmp_path / "stacked.keras")
    loaded = keras.saving.load_model(tmp_path / "stacked.keras")
    np.testing.assert_array_equal(
        loaded.predict_on_batch(sequences()), model.predict_on_batch(sequences())
    )


@pytest.mark.parametrize("layer_sizes", [(), [], 256, None, "256"])
def test_layer_sizes_must_be_a_tuple(layer_sizes):
    message = (
        "`layer_sizes` must be a tuple with one size for each layer. "
        f"Received: layer_sizes={layer_sizes!r}"
    )
    with pytest.raises(ValueError, match=f"^{re.escape(message)}$"):
        memnets.StackedLSTM(2, layer_sizes=layer_sizes)


@pytest.mark.parametrize("size", [0, -1, 2.5, None, True])
def test_each_layer_size_must_be_a_positive_integer(size):
    message = f"`layer_sizes` must be a positive integer. Received: layer_sizes={size}"
    with pytest.raises(ValueError, match=f"^{re.escape(message)}$"):
        memnets.StackedLSTM(2, layer_sizes=(4, size))


def test_dropout_sets_a_share_of_the_outputs_to_zero_in_training():
    """Inference is untouched; in training the same share of outputs is 0, scaled so
    that their mean stays."""
    layer = memnets.StackedLSTM(3, (200,), dropout=0.25)
    inputs = sequences(batch_size=8, time=6)
    plain = memnets.StackedLSTM(3, (200,))
    plain(inputs)
    layer.build(inputs.shape)
    layer.set_weights(plain.get_weights())
    np.testing.assert_array_equal(layer(inputs), plain(inputs))
    # The identity as projection shows the outputs of the LSTM layer.
    shown = memnets.StackedLSTM(200, (200,), dropout=0.25)
    shown(inputs)
    shown.projection.set_weights([np.eye(200), np.zeros(200)])
    kept, all_of_it = (np.asarray(shown(inputs, training=t)) for t in (True, False))
    zero = kept == 0
    assert 0.2 < zero.mean() < 0.3
    np.testing.assert_allclose(kept[~zero], all_of_it[~zero] / 0.75, rtol=1e-5)


@pytest.mark.parametrize("dropout", [-0.1, 1.0, None, "0.5"])
def test_dropout_must_be_a_share(dropout):
    with pytest.raises(ValueError, match="`dropout` must be"):
        memnets.StackedLSTM(3, (4,), dropout=dropout)
