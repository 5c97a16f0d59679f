"""Gradients on whichever backend Keras runs on, as NumPy arrays."""

import keras
import numpy as np
from keras import ops


def gradient(fn, *arrays):
    """Gradients of the scalar `fn(*arrays)` with respect to each array."""
    tensors = [ops.convert_to_tensor(array) for array in arrays]
    if keras.backend.backend() == "jax":
        import jax

        grads = jax.grad(fn, argnums=tuple(range(len(tensors))))(*tensors)
    else:
        import tensorflow as tf

        with tf.GradientTape() as tape:
            for tensor in tensors:
                tape.watch(tensor)
            value = fn(*tensors)
        grads = tape.gradient(value, tensors, unconnected_gradients="zero")
    return [np.asarray(grad) for grad in grads]


def layer_gradients(layer, loss, *inputs):
    """Gradients of the scalar `loss(layer(*inputs))` with respect to the trainable
    weights of a layer, in training. A dictionary by the path of the weight."""
    inputs = [ops.convert_to_tensor(x) for x in inputs]
    if not layer.built:
        layer(*inputs)
    if keras.backend.backend() == "jax":
        import jax

        def stateless(trainable):
            fixed = [variable.value for variable in layer.non_trainable_variables]
            output, _ = layer.stateless_call(trainable, fixed, *inputs, training=True)
            return loss(output)

        grads = jax.grad(stateless)([v.value for v in layer.trainable_variables])
    else:
        import tensorflow as tf

        with tf.GradientTape() as tape:
            value = loss(layer(*inputs, training=True))
        grads = tape.gradient(
            value,
            [v.value for v in layer.trainable_variables],
            unconnected_gradients="zero",
        )
    return {
        variable.path: np.asarray(grad)
        for variable, grad in zip(layer.trainable_variables, grads, strict=True)
    }
