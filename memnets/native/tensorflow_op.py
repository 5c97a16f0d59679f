"""The kernel as an operation of TensorFlow, with its gradient.

Under XLA it is a custom call. Elsewhere it is a Python function in the graph, the one
public way to call a library that was not compiled for one version of TensorFlow.
"""

import os

import tensorflow as tf

from . import library, tensorflow_xla


def why_not():
    """Why the kernel cannot run in what is being computed or traced now, or None."""
    if tf.config.list_logical_devices("GPU"):
        return "TensorFlow computes on a GPU"
    if tensorflow_xla.is_tracing() and not tensorflow_xla.is_available():
        return "this version of TensorFlow does not take it under XLA"
    return None


def threads():
    """Number of threads that TensorFlow uses within an operation."""
    return tf.config.threading.get_intra_op_parallelism_threads() or len(
        os.sched_getaffinity(0)
    )


def network(layout, inputs, mask, state, weights, training):
    """Runs the kernel.

    Args:
        layout: A `Layout`.
        inputs: `(B, T, features)`.
        mask: `(B, T)`, boolean, or None.
        state: `(B, size)`.
        weights: `(size,)`, see `weights_of`.
        training: Whether gradients will be asked for. If they are although it is
            False, the forward pass is done once more.
    Returns:
        `(features, last_state)`, `(B, T, units + reads)` and `(B, size)`.
    """
    # The library reads as much of a mask and of a state as the inputs have sequences:
    # reshaped, those of another batch are refused.
    batch, steps = tf.unstack(tf.shape(inputs)[:2])
    if mask is None:
        mask = tf.zeros((0, 0), "uint8")
    else:
        mask = tf.reshape(tf.cast(mask, "uint8"), (batch, steps))
    state = tf.reshape(state, (batch, layout.state_size))
    state.set_shape((inputs.shape[0], layout.state_size))
    saves = bool(training)

    @tf.custom_gradient
    def differentiable(inputs, state, weights):
        *results, history = _forward(layout, saves, inputs, mask, state, weights)

        def gradient(*gradients):
            kept = history
            if not saves:
                *_, kept = _forward(layout, True, inputs, mask, state, weights)
            return _backward(layout, inputs, mask, weights, kept, *gradients)

        return tuple(results), gradient

    return differentiable(inputs, state, weights)


def _forward(layout, saves, inputs, mask, state, weights):
    arguments = [inputs, mask, state, weights]
    if tensorflow_xla.is_tracing():
        return tensorflow_xla.forward(layout, threads(), saves, *arguments)
    batch, steps = inputs.shape[:2]
    return _python_function(
        lambda *arrays: library.forward(layout, threads(), saves, *arrays),
        arguments,
        [(batch, steps, layout.features_size), (batch, layout.state_size), (None,)],
    )


def _backward(layout, inputs, mask, weights, history, d_features, d_last_state):
    arguments = [inputs, mask, weights, history, d_features, d_last_state]
    if tensorflow_xla.is_tracing():
        return tensorflow_xla.backward(layout, threads(), *arguments)
    return _python_function(
        lambda *arrays: library.backward(layout, threads(), *arrays),
        arguments,
        [
            inputs.shape,
            (inputs.shape[0], layout.state_size),
            weights.shape,
        ],
    )


def _python_function(function, arguments, shapes):
    results = tf.numpy_function(
        function, arguments, ["float32"] * len(shapes), stateful=False
    )
    for result, shape in zip(results, shapes, strict=True):
        result.set_shape(shape)
    return results
