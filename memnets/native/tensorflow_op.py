"""The kernel as an operation of TensorFlow, with its gradient.

Under XLA it is a custom call. Elsewhere it is a Python function in the graph, the only
public way to call a library that was not compiled for a certain version of TensorFlow.
"""

from collections.abc import Callable, Sequence

import numpy as np
import tensorflow as tf

from ..cores import available_cores, threads_named
from ..numerics.tensor_checks import Shape, Tensor
from . import library, tensorflow_xla
from .kernel_layout import Layout


def why_not(sequences: Tensor | None = None) -> str | None:
    """Why the kernel cannot run in the present context; None if it can.

    Args:
        sequences: Not used: TensorFlow puts all it can on a GPU.
    """
    if tf.config.list_logical_devices("GPU"):
        return "TensorFlow computes on a GPU"
    if tensorflow_xla.is_tracing() and (reason := tensorflow_xla.why_not()):
        return f"this version of TensorFlow does not take it under XLA: {reason}"
    return None


def threads() -> int:
    """Number of threads that TensorFlow uses within an operation: that of its setting,
    else of the environment, else a thread a core."""
    configured = tf.config.threading.get_intra_op_parallelism_threads()
    named = threads_named("TF_NUM_INTRAOP_THREADS")
    return configured or named or len(available_cores())


def network(
    layout: Layout,
    inputs: Tensor,
    mask: Tensor | None,
    state: Tensor,
    weights: Tensor,
    training: bool,
) -> tuple[Tensor, Tensor]:
    """Runs the kernel.

    Args:
        layout: A `Layout`.
        inputs: `(B, T, features)`.
        mask: `(B, T)`, boolean, or None.
        state: `(B, size)`.
        weights: `(size,)`, see `weights_of`.
        training: Whether gradients will be needed. If it is False and they are needed
            nevertheless, the kernel repeats the forward pass.
    Returns:
        `(features, last_state)`, `(B, T, units + reads)` and `(B, size)`.
    """
    # The library trusts the sizes of the inputs. Reshaping raises an error if the mask
    # or the state has another batch size.
    batch, steps = tf.unstack(tf.shape(inputs)[:2])
    if mask is None:
        mask = tf.zeros((0, 0), "uint8")
    else:
        mask = tf.reshape(tf.cast(mask, "uint8"), (batch, steps))
    state = tf.reshape(state, (batch, layout.state_size))
    state.set_shape((inputs.shape[0], layout.state_size))

    @tf.custom_gradient
    def differentiable(
        inputs: Tensor, state: Tensor, weights: Tensor
    ) -> tuple[tuple[Tensor, ...], Callable[..., Sequence[Tensor]]]:
        arguments = [inputs, mask, state, weights]
        *results, ticket = _forward(layout, bool(training), *arguments)

        def gradient(*gradients: Tensor) -> Sequence[Tensor]:
            return _backward(layout, *arguments, ticket, *gradients)

        return tuple(results), gradient

    return differentiable(inputs, state, weights)


def _forward(layout: Layout, saves: bool, *arguments: Tensor) -> Sequence[Tensor]:
    if tensorflow_xla.is_tracing():
        return tensorflow_xla.forward(layout, threads(), saves, *arguments)
    batch, steps = arguments[0].shape[:2]
    return _python_function(
        lambda *arrays: library.forward(layout, threads(), saves, *arrays),
        arguments,
        [(batch, steps, layout.features_size), (batch, layout.state_size), (2,)],
        ["float32", "float32", "int32"],
    )


def _backward(layout: Layout, *arguments: Tensor) -> Sequence[Tensor]:
    """The gradients. A gradient of these is an error, where TensorFlow would silently
    take 0."""

    @tf.custom_gradient
    def once(*arguments: Tensor) -> tuple[Sequence[Tensor], Callable[..., None]]:
        return _gradients(layout, *arguments), _refuse_second_gradients

    return once(*arguments)


def _refuse_second_gradients(*gradients: Tensor) -> None:
    raise NotImplementedError(library.NO_SECOND_GRADIENTS)


def _gradients(layout: Layout, *arguments: Tensor) -> Sequence[Tensor]:
    if tensorflow_xla.is_tracing():
        return tensorflow_xla.backward(layout, threads(), *arguments)
    inputs, _, state, weights, *_ = arguments
    return _python_function(
        lambda *arrays: library.backward(layout, threads(), *arrays),
        arguments,
        [inputs.shape, state.shape, weights.shape],
        ["float32"] * 3,
    )


def _python_function(
    function: Callable[..., list[np.ndarray]],
    arguments: Sequence[Tensor],
    shapes: Sequence[Shape],
    types: Sequence[str],
) -> Sequence[Tensor]:
    results = tf.numpy_function(function, arguments, types, stateful=False)
    for result, shape in zip(results, shapes, strict=True):
        result.set_shape(shape)
    return results
