"""What is asked of the batches that a task of a user's own draws."""

from typing import Any

import numpy as np

from ..checks import shorten
from .batch_checks import fits, shown
from .parts import Batch


def check_sampled(task: Any, batch: Batch, inputs: Any) -> Batch:
    """Returns a batch that a task of the user's own has drawn.

    Args:
        task: The task.
        batch: The batch.
        inputs: Its `Task.inputs`, which take long to be made for each batch.
    Raises:
        TypeError: If it is not a `Batch` of NumPy arrays.
        ValueError: If the arrays differ in length or in steps, or the inputs have other
            names or another shape than those of `Task.inputs`.
    """
    source = f"`{type(task).__name__}.sample` must return"
    fields = ("inputs", "targets", "mask")
    if not all(hasattr(batch, field) for field in fields):
        raise TypeError(
            f"{source} a tasks.Batch of inputs, targets and mask. "
            f"Received: {type(batch).__name__}"
        )
    batch = Batch(*batch)
    arrays = batch.named_inputs | {"targets": batch.targets, "mask": batch.mask}
    for field, array in arrays.items():
        if not isinstance(array, np.ndarray) or not array.ndim:
            raise TypeError(
                f"{source} NumPy arrays, batch first. "
                f"Received: {field}={shorten(array)}"
            )
    lengths = [len(array) for array in arrays.values()]
    if len(set(lengths)) != 1:
        raise ValueError(
            f"{source} as many inputs as targets and mask entries. Received: {lengths}"
        )
    expected = inputs if isinstance(inputs, dict) else {"inputs": inputs}
    if set(expected) != set(batch.named_inputs):
        raise ValueError(
            f"{source} inputs by the names of `inputs`: {', '.join(expected)}. "
            f"Received: {', '.join(batch.named_inputs)}"
        )
    for name, array in batch.named_inputs.items():
        if not fits(array.shape, expected[name].shape):
            raise ValueError(
                f"{source} {name} of the shape that `inputs` says, "
                f"{shown(expected[name].shape)}. Received: {array.shape}"
            )
    _check_mask(task, batch, source)
    return batch


def _check_mask(task: Any, batch: Batch, source: str) -> None:
    """Checks that there is an entry of the mask for each target, and where there is one
    for each step, for each input."""
    targets, mask = batch.targets.shape, batch.mask.shape
    if targets[: len(mask)] != mask:
        raise ValueError(
            f"{source} a mask with an entry for each target, {shown(targets[:2])}. "
            f"Received: targets of {targets} and a mask of {mask}"
        )
    if not task.every_step or isinstance(batch.inputs, dict) or len(mask) < 2:
        return
    if mask[1] != batch.inputs.shape[1]:
        raise ValueError(
            f"{source} a target for each step of the inputs. Received: inputs of "
            f"{batch.inputs.shape} and targets of {targets}"
        )
