"""Recomputing in the backward pass on TensorFlow."""

from collections.abc import Callable, Sequence

import tensorflow as tf

from ..numerics.tensor_checks import Tensor

# The operation whose gradient recomputes a function, by which TensorFlow finds it.
RECOMPUTED = "MemnetsRecomputed"


def recomputed(function: Callable[..., list[Tensor]]) -> Callable[..., list[Tensor]]:
    """`function`, whose intermediate results are recomputed in the backward pass.

    Unlike `tf.recompute_grad`, it may be differentiated more than once, and the graph
    in which it is called can be forgotten: a `tf.custom_gradient` would keep the graph
    of every model forever. In a graph it is recomputed in the body of a loop alone: a
    tape, which records what is outside of loops, uses what was stored.

    Args:
        function: Takes tensors, and returns a list of tensors; has no variables.
    """

    @tf.custom_gradient
    def eager(*arguments: Tensor) -> tuple[list[Tensor], Callable[..., list[Tensor]]]:
        def gradient(*upstream: Tensor) -> list[Tensor]:
            return _gradients(function, arguments, upstream)

        return function(*arguments), gradient

    def run(*arguments: Tensor) -> list[Tensor]:
        if tf.executing_eagerly():
            return eager(*arguments)
        results, graph = function(*arguments), tf.compat.v1.get_default_graph()
        with graph.gradient_override_map({"IdentityN": RECOMPUTED}):
            same = tf.identity_n([*results, *arguments])
        # On the graph, so that it is forgotten together with it.
        if not hasattr(graph, RECOMPUTED):
            setattr(graph, RECOMPUTED, {})
        getattr(graph, RECOMPUTED)[same[0].op.name] = function, len(results)
        return same[: len(results)]

    return run


@tf.RegisterGradient(RECOMPUTED)
def _gradient_of_recomputed(operation: tf.Operation, *upstream: Tensor) -> list[Tensor]:
    function, count = getattr(operation.graph, RECOMPUTED)[operation.name]
    arguments = operation.inputs[count:]
    return [None] * count + _gradients(function, arguments, upstream[:count])


def _gradients(
    function: Callable[..., list[Tensor]],
    arguments: Sequence[Tensor],
    upstream: Sequence[Tensor],
) -> list[Tensor]:
    """The gradients of the arguments, of a function that is computed once more."""
    with tf.GradientTape() as tape:
        again = [x + _zero_after(upstream[0], x.dtype) for x in arguments]
        tape.watch(again)
        results = function(*again)
    return tape.gradient(
        results, again, output_gradients=upstream, unconnected_gradients="zero"
    )


def _zero_after(tensor: Tensor, dtype: tf.DType) -> Tensor:
    """A zero that depends on a tensor, so that XLA does not take the recomputed results
    from the forward pass."""
    largest = tf.cast(tf.reduce_max(tf.reshape(tensor, [-1])[:1]), "bool")
    return tf.cast(tf.where(largest == largest, 0.0, float("nan")), dtype)
