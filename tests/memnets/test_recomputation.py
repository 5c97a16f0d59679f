"""Steps that are recomputed in the backward pass: their gradients, and the gradients of
these."""

import gc

import keras
import numpy as np
import pytest

import memnets
from memnets.backends.recomputation import without_recomputation

pytestmark = pytest.mark.only("tensorflow", reason="JAX recomputes by itself")
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


@pytest.mark.parametrize("name", LAYERS)
def test_gradient_of_a_gradient_is_that_of_stored_steps(name):
    import tensorflow as tf

    layer = LAYERS[name]()
    inputs = tf.constant(np.random.default_rng(0).standard_normal((2, 4, 3)), "float32")
    layer(inputs)
    with without_recomputation():
        expected = penalty_gradients(layer, inputs)
    largest = max(np.abs(value).max() for value in expected)
    assert largest > 0
    for run in (penalty_gradients, tf.function(penalty_gradients)):
        for value, like in zip(run(layer, inputs), expected, strict=True):
            np.testing.assert_allclose(value, like, atol=1e-5 * largest)


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
    for _ in range(3):
        trained()
    assert loops() == before
