"""What differs by backend; steps that are recomputed in the backward pass, their
gradients, and the gradients of these."""

import gc

import keras
import numpy as np
import pytest
from keras import ops

import memnets
from memnets import backends
from memnets.backends.recomputation import without_recomputation

ON_TENSORFLOW = pytest.mark.only("tensorflow", reason="JAX recomputes by itself")
LAYERS = {
    "StackRNN": lambda: memnets.StackRNN(3, depth=4, controller_size=5),
    "StackRNN, unrolled": lambda: memnets.StackRNN(
        3, depth=4, controller_size=5, unroll=True
    ),
    "RNN(NTMCell)": lambda: keras.layers.RNN(
        memnets.NTMCell(3, memory_size=5, word_size=3, controller_size=5)
    ),
}


def penalty_gradients(layer, inputs):
    """Of a penalty on the norm of the gradient, for every weight."""
    import tensorflow as tf

    with tf.GradientTape() as outer:
        with tf.GradientTape() as inner:
            inner.watch(inputs)
            output = tf.reduce_sum(layer(inputs) ** 2)
        penalty = tf.reduce_sum(inner.gradient(output, inputs) ** 2)
    return outer.gradient(penalty, layer.trainable_variables)


@ON_TENSORFLOW
@pytest.mark.parametrize("name", LAYERS)
def test_gradient_of_a_gradient_is_that_of_stored_steps(name):
    import tensorflow as tf

    layer = LAYERS[name]()
    inputs = tf.constant(np.random.default_rng(0).standard_normal((2, 2, 3)), "float32")
    layer(inputs)
    with without_recomputation():
        expected = penalty_gradients(layer, inputs)
    largest = max(np.abs(value).max() for value in expected)
    assert largest > 0
    for run in (penalty_gradients, tf.function(penalty_gradients)):
        for value, like in zip(run(layer, inputs), expected, strict=True):
            np.testing.assert_allclose(value, like, atol=1e-5 * largest)


@ON_TENSORFLOW
def test_graph_of_a_loop_is_forgotten_with_its_function():
    import tensorflow as tf

    layer = memnets.StackRNN(3, depth=4, controller_size=5)
    inputs = tf.zeros((2, 4, 3))
    layer(inputs)

    def loops():
        gc.collect()
        return sum("While" in type(x).__name__ for x in gc.get_objects())

    def trained():
        def gradients(inputs):
            with tf.GradientTape() as tape:
                loss = tf.reduce_sum(layer(inputs))
            return tape.gradient(loss, layer.trainable_variables)

        tf.function(gradients)(inputs)

    trained()
    before = loops()
    for _ in range(2):
        trained()
    assert loops() == before


def test_the_backend_in_use_is_that_of_keras():
    name = keras.backend.backend()
    assert type(backends.current()).__name__ == backends.CLASSES[name]
    assert backends.current() is backends.current()


def test_a_backend_that_is_not_listed_has_all_that_is_portable():
    unknown = backends.Backend()
    inputs, state = np.ones((2, 3, 1)), [np.ones((2, 4))]
    given = inputs, state, None
    assert unknown.of_one_batch(*given) == given
    powers = unknown.fori_loop(5, lambda index, value: 2 * value, ops.ones(2))
    np.testing.assert_array_equal(powers, [32, 32])
    assert unknown.fori_loop(0, None, inputs) is inputs
    for call in (unknown.gradient, unknown.gradient_at_zero):
        with pytest.raises(
            NotImplementedError, match="need the backend tensorflow, jax or"
        ):
            call(ops.sum, inputs)


class Lengths(keras.utils.PyDataset):
    """Batches of one sequence, each of another length, counted in each epoch."""

    lengths = (4, 2, 3, 3)

    def __init__(self):
        super().__init__()
        self.seen = []

    def __len__(self):
        return len(self.lengths)

    def __getitem__(self, index):
        self.seen.append(index)
        length = self.lengths[index]
        return np.ones((1, length, 2), "float32"), np.full((1, 1), length, "float32")


def test_fit_reads_every_batch_of_every_epoch_in_order():
    data = Lengths()
    model = keras.Sequential([keras.Input((None, 2)), keras.layers.SimpleRNN(1)])
    model.compile("sgd", "mse", run_eagerly=keras.backend.backend() == "tensorflow")
    read = backends.current().fit_data(data)
    data.seen.clear()  # the shapes were looked at
    history = model.fit(read, epochs=3, shuffle=False, verbose=0)
    assert len(history.history["loss"]) == 3
    assert data.seen[-12:] == [0, 1, 2, 3] * 3
