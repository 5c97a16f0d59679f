"""What Keras' recurrent layers put out at masked steps."""

import keras
from keras import ops

from ..numerics.tensor_checks import Tensor
from . import current


def outputs_under_mask(
    layer: keras.layers.Layer, outputs: Tensor, first_output: Tensor, mask: Tensor
) -> tuple[Tensor, Tensor]:
    """The outputs of Keras at masked steps, and the last output of a step that is not
    masked, which is part of the state.

    Args:
        layer: The recurrent layer.
        outputs: `(B, T, units)`, or `(B, 1, units)` of the last step if the layer does
            not return sequences. Those of a masked step are those of the last step
            before that is not masked; anything if there is none.
        first_output: `(B, units)`, that of the first state.
        mask: `(B, T)`, boolean, in the order of processing.
    """
    has_begun = ops.cumsum(ops.cast(mask, "int32"), axis=1) > 0  # (B, T)
    last_output = ops.where(has_begun[:, -1:], outputs[:, -1], first_output)
    if not layer.return_sequences:
        mask, has_begun = mask[:, -1:], has_begun[:, -1:]
    if layer.zero_output_for_mask:
        return ops.where(mask[..., None], outputs, 0.0), last_output
    is_zero = current().zero_before_first_step
    before = 0.0 if is_zero else first_output[:, None]
    return ops.where(has_begun[..., None], outputs, before), last_output


def latest_steps(mask: Tensor) -> Tensor:
    """The number of the last step that is not masked, up to each step, `(B, T)`; of a
    masked one if there is none.

    Args:
        mask: `(B, T)`, boolean.
    """
    steps = ops.shape(mask)[1]
    numbers = ops.arange(steps, dtype="int32")[None]
    # Those that are not masked come first, in their order.
    order = ops.argsort(ops.where(mask, numbers, numbers + steps), axis=1)
    so_far = ops.cumsum(ops.cast(mask, "int32"), axis=1)
    return ops.take_along_axis(order, ops.maximum(so_far - 1, 0), axis=1)
