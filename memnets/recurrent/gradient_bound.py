"""A bound of the gradients that leave a layer, by the errors that enter it.

Heuristic: of no paper. What was tried stands in benchmarks/trials.md, "Plain Adam".
"""

from collections.abc import Callable

import keras
from keras import ops, tree

from .. import backends
from ..numerics.precision import at_least_float32
from ..numerics.tensor_checks import Structure, Tensor


def with_bounded_gradients(
    layer: keras.layers.Layer,
    bound: float,
    call: Callable[..., Structure],
    *inputs: Structure,
) -> Structure:
    """`call(*inputs)`, with bounded gradients.

    An error is the gradient of the loss with respect to one output vector of one
    sequence, E the sum of the norms of all errors. The gradients of the weights and of
    the inputs, taken together as one vector g, become g min(1, bound E / |g|): their
    direction stays.

    |g| / E does not depend on the scale of the loss, so a loss that is a sum, loss
    scaling and loss weights change nothing. While a network learns, its errors change
    slowly, and what spikes is |g|: the product of many steps.

    Args:
        layer: The layer whose trainable weights are bounded.
        bound: The largest |g| / E.
        call: A function of the inputs that uses the weights of the layer.
        *inputs: Structures of tensors, in which None may stand.
    Returns:
        What `call` returns: a structure of tensors `(..., size)`.
    """
    leaves = tree.flatten(inputs)
    # Integers have no gradient.
    places = [
        place
        for place, x in enumerate(leaves)
        if x is not None and keras.backend.is_float_dtype(x.dtype)
    ]
    weights = layer.trainable_variables
    tensors = [
        *(ops.convert_to_tensor(weight) for weight in weights),
        *(leaves[place] for place in places),
    ]
    if not tensors:
        return call(*inputs)
    *tensors, errors = _enter(bound, at_least_float32(layer.compute_dtype), tensors)
    for place, x in zip(places, tensors[len(weights) :], strict=True):
        leaves[place] = x
    # Keras' way to let a layer compute with other values than those of its variables.
    others = layer.non_trainable_variables
    values = zip(weights, tensors[: len(weights)], strict=True)
    with keras.StatelessScope([*values, *((v, v.value) for v in others)]) as scope:
        before = [scope.get_current_value(variable) for variable in others]
        results = call(*tree.pack_sequence_as(inputs, leaves))
    for variable, old in zip(others, before, strict=True):
        new = scope.get_current_value(variable)
        if new is not old:
            variable.assign(new)
    return tree.pack_sequence_as(results, _leave(errors, tree.flatten(results)))


def _enter(bound: float, dtype: str, tensors: list[Tensor]) -> list[Tensor]:
    """The tensors and a zero, whose gradient shall be E. Backward, the bound."""

    @backends.current().custom_gradient
    def enter(*tensors: Tensor) -> tuple[tuple[Tensor, ...], Callable]:
        def gradient(*upstream: Structure) -> tuple[Tensor, ...]:
            *gradients, errors = tree.flatten(upstream)
            wide, unit = _in_units(gradients, dtype)
            norm = unit * ops.sqrt(sum(ops.sum(ops.square(g)) for g in wide))
            limit = bound * ops.stop_gradient(errors)
            # What is not finite stays as it is: optimizers skip such a step.
            is_above = norm > limit
            factor = ops.where(is_above, limit / ops.where(is_above, norm, 1.0), 1.0)
            return tuple(g * ops.cast(factor, g.dtype) for g in gradients)

        return (*tensors, ops.zeros((), dtype)), gradient

    return enter(*tensors)


def _leave(errors: Tensor, results: list[Tensor]) -> list[Tensor]:
    """The results. Backward, `errors` gets E as its gradient."""

    @backends.current().custom_gradient
    def leave(errors: Tensor, *results: Tensor) -> tuple[tuple[Tensor, ...], Callable]:
        def gradient(*upstream: Structure) -> tuple[Tensor, ...]:
            gradients = tree.flatten(upstream)
            wide, unit = _in_units(gradients, errors.dtype)
            norms = [ops.sqrt(ops.sum(ops.square(g), axis=-1)) for g in wide]
            return (unit * sum(map(ops.sum, norms)), *gradients)

        return results, gradient

    return list(leave(errors, *results))


def _in_units(gradients: list[Tensor], dtype: str) -> tuple[list[Tensor], Tensor]:
    """Gradients divided by the size of their largest number, so that no square
    overflows, and that size. They count as constants in a second gradient."""
    wide = [ops.stop_gradient(ops.cast(g, dtype)) for g in gradients]
    largest = ops.max(ops.stack([ops.max(ops.abs(g), initial=0.0) for g in wide]))
    unit = ops.where(largest > 0, largest, 1.0)
    return [g / unit for g in wide], unit
