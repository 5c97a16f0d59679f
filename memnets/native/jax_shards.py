"""Calls of the kernel on the shards of a batch, under data parallelism on JAX."""

from collections.abc import Callable
from typing import Any

import jax
import keras

from ..numerics.tensor_checks import Structure, Tensor


def on_each_shard(
    function: Callable[..., Any], of_batch: tuple[Tensor, ...], whole: Tensor
) -> Structure:
    """The results of a function that XLA cannot look into, such as a custom call.

    Without help, the partitioner of XLA gathers the whole batch on every device and
    calls the function there. This calls it on each device with its part of the batch.

    Args:
        function: Takes `(*of_batch, whole)`; its results have the batch first.
        of_batch: Tensors `(B, ...)`, or without any entries, which are passed whole.
        whole: A tensor that every device has, the weights. Its gradient is the sum over
            the devices.
    Reference:
        https://github.com/jax-ml/jax/issues/32098
    """
    mesh, axis = mesh_of_batch(of_batch[0].shape[0])
    if mesh is None:
        return function(*of_batch, whole)
    specs = [jax.P(axis) if tensor.size else jax.P() for tensor in of_batch]
    return jax.shard_map(
        function,
        mesh=mesh,
        in_specs=(*specs, jax.P()),
        out_specs=jax.P(axis),
        check_vma=False,  # a custom call has no types of varying axes
    )(*of_batch, whole)


def mesh_of_batch(batch_size: int) -> tuple[Any, Any]:
    """The mesh of devices that Keras spreads batches over, and the name of its axis of
    the batch; None and None if there is none, or it does not divide the batch."""
    distribution = keras.distribution.distribution()
    axis = getattr(distribution, "batch_dim_name", None)
    if axis is None:
        return None, None
    mesh = distribution.device_mesh.backend_mesh
    return (mesh, axis) if batch_size % mesh.shape[axis] == 0 else (None, None)


def devices_here() -> int:
    """Number of devices of this process that compute at the same time."""
    return 1 if keras.distribution.distribution() is None else jax.local_device_count()
