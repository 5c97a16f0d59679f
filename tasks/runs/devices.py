"""The devices and processes that a training is spread over, see `keras.distribution`.

Keras is imported inside functions: reading a run does not need it.
"""

import contextlib
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from ..checks import shorten
from ..models.keras_model import uncompiled

if TYPE_CHECKING:
    import keras


def _distribution() -> Any:
    """The distribution of Keras that cuts batches; None if there is none."""
    import keras

    distribution = keras.distribution.distribution()
    return distribution if getattr(distribution, "batch_dim_name", None) else None


def num_shards() -> int:
    """Number of parts that a batch is cut into, one for each device."""
    distribution = _distribution()
    if distribution is None:
        return 1
    mesh = distribution.device_mesh
    return int(mesh.shape[mesh.axis_names.index(distribution.batch_dim_name)])


def num_processes() -> int:
    """Number of processes that train together; 1 if this one trains alone."""
    distribution = _distribution()
    return 1 if distribution is None else int(distribution.num_processes)


def process_index() -> int:
    """Number of this process among those that train together, from 0 on."""
    distribution = _distribution()
    return 0 if distribution is None else int(distribution.data_shard_id)


def device_kind() -> str:
    """The kind of device that the backend computes on, as "CPU" or "GPU"; "CPU" also
    where Keras does not list the devices of a backend."""
    from memnets import backends

    return backends.current().device_kind()


def check_divides(batch_size: int) -> None:
    """Raises ValueError if the devices do not divide a batch."""
    shards = num_shards()
    if batch_size % shards:
        raise ValueError(
            f"`batch_size` must be a multiple of {shards}, the number of devices that "
            f"a batch is spread over. Received: batch_size={batch_size}"
        )


def check_alone(option: str) -> None:
    """Raises ValueError if a batch is spread over devices, for an option that cannot be
    used then."""
    if num_shards() > 1:
        raise ValueError(
            f"`{option}` must be False where batches are spread over devices. "
            f"Received: {option}=True, {num_shards()} devices"
        )


@contextlib.contextmanager
def alone() -> Iterator[None]:
    """Within it this process makes, loads and calls models for itself. A variable of a
    distribution over several processes can only be set by all of them together."""
    import keras

    distribution = keras.distribution.distribution()
    keras.distribution.set_distribution(None)
    try:
        yield
    finally:
        keras.distribution.set_distribution(distribution)


def own_copy(model: "keras.Model") -> "keras.Model":
    """A model that this process evaluates and saves by itself: the given one, or a copy
    with weights of its own if several processes train together.

    Raises:
        TypeError: If it cannot be copied, because its inputs are not known.
    """
    import keras

    if num_processes() == 1:
        return model
    if not getattr(model, "inputs", None):
        raise TypeError(
            "`model` must be a Sequential or functional Keras model to be trained by "
            f"several processes. Received: model={shorten(model)}"
        )
    with alone():
        return keras.models.clone_model(uncompiled(model))
