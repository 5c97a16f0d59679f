"""Gradients on the backend in use, as NumPy arrays."""

import functools

import keras
import numpy as np
from keras import ops, tree

import memnets

ON_JAX = keras.backend.backend() == "jax"
ON_TORCH = keras.backend.backend() == "torch"
# JAX computes in float64 only if it is told to; Keras multiplies matrices in float32 on
# PyTorch.
HAS_DOUBLE = keras.backend.backend() == "tensorflow"


def gradient(fn, *arrays):
    """Gradients of the scalar `fn(*arrays)` with respect to each array."""
    tensors = [ops.convert_to_tensor(array) for array in arrays]
    if ON_JAX:
        import jax

        grads = jax.grad(fn, argnums=tuple(range(len(tensors))))(*tensors)
    elif ON_TORCH:
        tensors = _watched(tensors)
        grads = _torch_gradients(fn(*tensors), tensors)
    else:
        import tensorflow as tf

        with tf.GradientTape() as tape:
            for tensor in tensors:
                tape.watch(tensor)
            value = fn(*tensors)
        grads = tape.gradient(value, tensors, unconnected_gradients="zero")
    return [np.asarray(grad) for grad in grads]


def layer_gradients(layer, loss, inputs):
    """Gradients of the scalar `loss(layer(inputs))` with respect to the trainable
    weights of a layer, in training. A dictionary by the path of the weight."""
    return results_and_layer_gradients(layer, loss, inputs)[1]


def results_and_layer_gradients(layer, loss, inputs):
    """As `layer_gradients`, with a list of what the layer returns before."""
    if not layer.built:
        layer(inputs)
    results, gradients = _differentiate(
        layer, lambda results, _: loss(*results), inputs, {}
    )
    return results, {v.path: gradients[v.path] for v in layer.trainable_variables}


def values_and_gradients(layer, inputs, factors, states=None, mask=None):
    """The results of a built layer in training, and gradients of the sum of the results
    times `factors`.

    Args:
        layer: The layer.
        inputs: Its first argument, an array.
        factors: For each thing that it returns, an array of its shape, or a number.
        states: Arrays for `initial_state`, or None.
        mask: Array or None.
    Returns:
        A list of arrays and a dictionary of arrays: the gradients by the path of the
        trainable weight, and by "inputs", "state 0", "state 1" ... of the arguments.
    """
    keywords = {} if mask is None else {"mask": ops.convert_to_tensor(mask)}
    return _differentiate(layer, _projected, inputs, keywords, factors, states)


def _projected(results, factors):
    """A sum in at least float32: in half precision it may overflow."""
    return sum(
        ops.sum(ops.cast(result, _wide(result)) * ops.cast(factor, _wide(result)))
        for result, factor in zip(results, factors, strict=False)
    )


def _wide(tensor):
    return keras.backend.result_type(tensor.dtype, "float32")


def _differentiate(layer, loss, inputs, keywords, factors=None, states=None):
    weights = [variable.value for variable in layer.trainable_variables]
    names = [variable.path for variable in layer.trainable_variables] + ["inputs"]
    states = [ops.convert_to_tensor(state) for state in states or []]
    names += [f"state {i}" for i in range(len(states))]
    watched = (weights, ops.convert_to_tensor(inputs), states)
    if ON_JAX:
        fixed = [variable.value for variable in layer.non_trainable_variables]
        run = _jax_run(layer, loss, memnets.native.is_available())
        (_, results), gradients = run(*watched, fixed, keywords, factors)
    elif ON_TORCH:
        inputs, *states = _watched(watched[1:])
        if states:
            keywords = {**keywords, "initial_state": states}
        results = tree.flatten(layer(inputs, training=True, **keywords))
        value = loss(results, factors)
        gradients = _torch_gradients(value, [*weights, inputs, *states])
    else:
        import tensorflow as tf

        if states:
            keywords = {**keywords, "initial_state": states}
        with tf.GradientTape() as tape:
            tape.watch(tree.flatten(watched[1:]))
            results = tree.flatten(layer(watched[1], training=True, **keywords))
            value = loss(results, factors)
        gradients = tape.gradient(value, watched, unconnected_gradients="zero")
        # That of a table of vectors holds only the rows that were used.
        gradients = tree.map_structure(tf.convert_to_tensor, gradients)
    gradients = tree.flatten(gradients)
    return (
        [_array(result) for result in results],
        dict(zip(names, map(_array, gradients), strict=True)),
    )


def _watched(tensors):
    """Tensors for which PyTorch finds gradients, if they are of floats."""
    return [
        x.detach().clone().requires_grad_(x.is_floating_point())
        for x in tree.flatten(tensors)
    ]


def _torch_gradients(value, tensors):
    import torch

    wanted = [tensor for tensor in tensors if tensor.requires_grad]
    found = torch.autograd.grad(
        value, wanted, allow_unused=True, materialize_grads=True
    )
    found = dict(zip(map(id, wanted), found, strict=True))
    return [found.get(id(tensor), torch.zeros_like(tensor)) for tensor in tensors]


@functools.lru_cache(maxsize=256)
def _jax_run(layer, loss, native):
    """The function compiled as a whole: JAX would compile each of its operations.

    `native` is an argument only for the cache: each path is compiled separately.
    """
    import jax

    def run(weights, inputs, states, fixed, keywords, factors):
        if states:
            keywords = {**keywords, "initial_state": states}
        results, _ = layer.stateless_call(
            weights, fixed, inputs, training=True, **keywords
        )
        results = tree.flatten(results)
        return loss(results, factors), results

    return jax.jit(jax.value_and_grad(run, argnums=(0, 1, 2), has_aux=True))


def _array(tensor):
    """An array in at least float32: NumPy cannot compare bfloat16 with other types."""
    return np.asarray(ops.cast(tensor, _wide(tensor)))


def central_differences(layer, inputs, factors, mask=None):
    """Of the sum of the outputs times `factors`, along one random direction for each
    weight and for the inputs, in which every component takes part: `(name, direction,
    difference)` of each."""
    run = functools.partial(layer, mask=mask)
    if not ON_TORCH:
        import tensorflow as tf

        run = tf.function(run)  # compiled, for speed

    def loss(inputs):
        return np.sum(ops.convert_to_numpy(run(inputs)) * factors)

    rng, step = np.random.default_rng(1), 1e-5
    for variable in layer.trainable_variables:
        value, direction = np.array(variable), rng.standard_normal(variable.shape)
        variable.assign(value + step * direction)
        above = loss(inputs)
        variable.assign(value - step * direction)
        below = loss(inputs)
        variable.assign(value)
        yield variable.path, direction, (above - below) / (2 * step)
    direction = rng.standard_normal(inputs.shape)
    above, below = loss(inputs + step * direction), loss(inputs - step * direction)
    yield "inputs", direction, (above - below) / (2 * step)


def assert_central_differences(gradients, differences):
    for name, direction, difference in differences:
        np.testing.assert_allclose(
            np.sum(gradients[name] * direction),
            difference,
            rtol=1e-6,
            atol=1e-9,
            err_msg=name,
        )
