"""The kernel as an operation of TensorFlow: a Python function in its graphs."""

import os

import tensorflow as tf
from tensorflow.python.ops import control_flow_util

from memnets.native import library


def runs_on_cpu():
    """Whether TensorFlow computes on the processor, and not under XLA, which does not
    know Python functions."""
    if tf.config.list_logical_devices("GPU"):
        return False
    graph = tf.compat.v1.get_default_graph()
    return not control_flow_util.GraphOrParentsInXlaContext(graph)


def threads():
    """Number of threads that TensorFlow uses within an operation."""
    return tf.config.threading.get_intra_op_parallelism_threads() or len(
        os.sched_getaffinity(0)
    )


def network(sizes, inputs, mask, state, weights, training):
    """Runs the kernel.

    Args:
        sizes: Function of `(batch, steps, saves)`, see `layout.sizes`.
        inputs: `(B, T, gates)`, see `layout.inputs_and_weights`.
        mask: `(B, T)`, boolean, or None.
        state: `(B, size)`.
        weights: `(size,)`.
        training: Whether gradients will be asked for. If they are although it is
            False, the forward pass is done once more.
    Returns:
        `(features, last_state)`, `(B, T, units + reads)` and `(B, size)`.
    """
    mask = tf.zeros((0, 0), "uint8") if mask is None else tf.cast(mask, "uint8")
    saves = bool(training)

    def sizes_of(array, saves):
        return sizes(*array.shape[:2], saves)

    def forward(inputs, mask, state, weights, saves):
        def run(inputs, mask, state, weights):
            numbers = sizes_of(inputs, saves)
            return library.forward(numbers, inputs, mask, state, weights)

        features, last_state, history = tf.numpy_function(
            run, [inputs, mask, state, weights], ["float32"] * 3, stateful=False
        )
        features.set_shape((*inputs.shape[:2], None))
        last_state.set_shape(state.shape)
        return features, last_state, history

    @tf.custom_gradient
    def differentiable(inputs, state, weights):
        features, last_state, history = forward(inputs, mask, state, weights, saves)

        def gradient(d_features, d_last_state):
            kept = history
            if not saves:
                *_, kept = forward(inputs, mask, state, weights, True)

            def run(mask, weights, history, d_features, d_last_state):
                numbers = sizes_of(d_features, True)
                return library.backward(
                    numbers, mask, weights, history, d_features, d_last_state
                )

            gradients = tf.numpy_function(
                run,
                [mask, weights, kept, d_features, d_last_state],
                ["float32"] * 3,
                stateful=False,
            )
            for value, like in zip(gradients, (inputs, state, weights), strict=True):
                value.set_shape(like.shape)
            return gradients

        return (features, last_state), gradient

    features, last_state = differentiable(inputs, state, weights)
    features.set_shape((*inputs.shape[:2], library.features(sizes(1, 1, False))))
    return features, last_state
