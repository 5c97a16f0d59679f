"""Truncated back-propagation: a stateful layer carries its state on, no gradient."""

import keras
import numpy as np
import pytest
from xla import ON_AND_OFF

import memnets

WEIGHT, RATE = 0.8, 0.01
INPUTS = np.random.default_rng(5).standard_normal((2, 6, 1)).astype("float32")
TARGETS = np.array([[1.0], [-1.0]], "float32")


def linear_unit(steps, stateful=True):
    """A model of one linear unit, s = w s' + x, trained on windows of so many steps."""
    cell = keras.layers.SimpleRNNCell(1, "linear", use_bias=False)
    layer = memnets.MemoryRNN(cell, stateful=stateful)
    model = keras.Sequential([keras.Input((steps, 1), batch_size=2), layer])
    model.compile(keras.optimizers.SGD(RATE), "mse")
    cell.kernel.assign([[1.0]])
    cell.recurrent_kernel.assign([[WEIGHT]])
    return model, cell


def states():
    """The states before each step, and after the last, `(B, T + 1)`."""
    values = [np.zeros(len(INPUTS))]
    for t in range(INPUTS.shape[1]):
        values.append(WEIGHT * values[-1] + INPUTS[:, t, 0])
    return np.stack(values, axis=1)


@pytest.mark.parametrize("window", [1, 2, 6])
def test_powers_of_the_weight_stop_at_the_window(window):
    model, cell = linear_unit(window)
    *before, last = np.split(INPUTS, 6 // window, axis=1)
    for inputs in before:
        model.predict_on_batch(inputs)
    model.train_on_batch(last, TARGETS)
    after = states()
    # ds_T/dw = s_(T-1) + w s_(T-2) + ..., a term for each step of the window.
    slopes = sum(WEIGHT**i * after[:, -2 - i] for i in range(window))
    slope = (2 * (after[:, -1] - TARGETS[:, 0]) * slopes).mean()
    np.testing.assert_allclose(
        cell.recurrent_kernel, [[WEIGHT - RATE * slope]], rtol=1e-5
    )


def test_a_window_of_the_whole_sequence_has_the_full_gradient():
    weights = []
    for stateful in (True, False):
        model, cell = linear_unit(6, stateful)
        model.train_on_batch(INPUTS, TARGETS)
        weights.append(np.array(cell.recurrent_kernel))
    np.testing.assert_allclose(*weights, rtol=1e-6)


def test_fit_evaluate_and_predict_go_on_where_the_window_before_ended():
    """On JAX too, where a layer of Keras forgets."""
    model, _ = linear_unit(2)
    layer, last = model.layers[0], states()[:, -1:]
    windows = np.concatenate(np.split(INPUTS, 3, axis=1))
    found = model.predict(windows, batch_size=2, verbose=0)[-2:]
    np.testing.assert_allclose(found, last, rtol=1e-5)
    ends = states()[:, 2::2].T.reshape(-1, 1)
    layer.reset_state()
    assert model.evaluate(windows, ends, batch_size=2, verbose=0) < 1e-10
    layer.reset_state()
    model.optimizer.learning_rate.assign(0.0)
    history = model.fit(windows, ends, batch_size=2, shuffle=False, verbose=0)
    assert history.history["loss"][0] < 1e-10
    np.testing.assert_allclose(layer.states[0], last, rtol=1e-5)


def test_the_state_is_a_variable_but_no_weight():
    model, _ = linear_unit(2)
    [state] = model.layers[0].states
    assert any(state is variable for variable in model.non_trainable_variables)
    assert len(model.get_weights()) == 2


class Windows(keras.utils.PyDataset):
    """The sequences in windows of two steps: Keras does not know their batch size."""

    def __len__(self):
        return INPUTS.shape[1] // 2

    def __getitem__(self, index):
        return INPUTS[:, 2 * index : 2 * index + 2], states()[:, [2 * index + 2]]


def test_data_may_come_without_a_known_batch_size():
    model, _ = linear_unit(2)
    model.optimizer.learning_rate.assign(0.0)
    loss = model.fit(Windows(), shuffle=False, verbose=0).history["loss"][0]
    assert loss < 1e-10
    np.testing.assert_allclose(model.layers[0].states[0], states()[:, -1:], rtol=1e-5)


def test_another_batch_size_is_refused():
    model, _ = linear_unit(2)
    with pytest.raises(ValueError, match="must have the batch size 2"):
        model.layers[0](INPUTS[:1, :2])


def last_is_smaller(make):
    """A stateful model for batches of 4, and nine sequences for it."""
    model = keras.Sequential([keras.Input((5, 2), batch_size=4), make(stateful=True)])
    return model, np.random.default_rng(0).random((9, 5, 2)).astype("float32")


STATEFUL = {
    "LSTM": lambda **options: memnets.MemoryRNN(keras.layers.LSTMCell(3), **options),
    "stack": lambda **options: memnets.MemoryRNN(
        [keras.layers.LSTMCell(3), keras.layers.GRUCell(3)], **options
    ),
    "NTM": lambda **options: memnets.NTM(3, memory_size=4, **options),
    "DNC": lambda **options: memnets.DNC(3, memory_size=4, **options),
    "LRUA": lambda **options: memnets.LRUA(3, memory_size=4, **options),
    "SAM": lambda **options: memnets.SAM(3, memory_size=8, **options),
    "StackRNN": lambda **options: memnets.StackRNN(3, **options),
    "FastWeights": lambda **options: memnets.FastWeights(3, **options),
}
# What JAX, and TensorFlow in a call outside of a graph, say; and a graph, whose batch
# size is not known when it is made.
REFUSED = (
    r"`sequences` must have the batch size 4 that the state of a stateful layer has\."
    r"|\[1,5,2\] is not compatible with expected shape \[4,\?,\?\]"
    r"[\s\S]*sequences_must_have_the_batch_size_of_the_state"
)


@pytest.mark.parametrize("make", STATEFUL.values(), ids=STATEFUL)
def test_a_last_batch_that_is_smaller_is_an_error_in_predict(make):
    model, inputs = last_is_smaller(make)
    assert model.predict(inputs[:8], batch_size=4, verbose=0).shape == (8, 3)
    with pytest.raises(Exception, match=REFUSED):
        model.predict(inputs, batch_size=4, verbose=0)


@pytest.mark.parametrize("jit_compile", ON_AND_OFF)
@pytest.mark.parametrize("make", [STATEFUL["LSTM"], STATEFUL["StackRNN"]])
def test_a_last_batch_that_is_smaller_is_an_error_in_fit(make, jit_compile):
    model, inputs = last_is_smaller(make)
    model.compile("sgd", "mse", jit_compile=jit_compile)
    with pytest.raises(Exception, match=REFUSED):
        model.fit(inputs, np.zeros((9, 3)), batch_size=4, shuffle=False, verbose=0)


@pytest.mark.only("tensorflow")
@pytest.mark.parametrize("jit_compile", [True, False])
@pytest.mark.parametrize(("rows", "of_state"), [(3, 1), (1, 3)])
def test_a_single_row_is_not_repeated_in_a_graph(rows, of_state, jit_compile):
    """TensorFlow would give each sequence the one state, or each state the one
    sequence."""
    import tensorflow as tf

    layer = memnets.MemoryRNN(keras.layers.LSTMCell(3))
    layer.build((None, None, 2))
    signature = [tf.TensorSpec((None, None, 2)), *[tf.TensorSpec((None, 3))] * 2]

    @tf.function(jit_compile=jit_compile, input_signature=signature)
    def run(sequences, *states):
        return layer(sequences, initial_state=list(states))

    ones = [tf.ones((2, 3))] * 2
    assert run(tf.ones((2, 4, 2)), *ones).shape == (2, 3)
    states = [tf.ones((of_state, 3))] * 2
    with pytest.raises(tf.errors.InvalidArgumentError, match="batch_size_of_the_state"):
        run(tf.ones((rows, 4, 2)), *states)
