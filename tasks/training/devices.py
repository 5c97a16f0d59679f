"""The devices that a training is spread over, see `keras.distribution`."""

import keras


def num_shards() -> int:
    """Number of parts that a batch is cut into, one for each device."""
    distribution = keras.distribution.distribution()
    axis = getattr(distribution, "batch_dim_name", None)
    if axis is None:
        return 1
    mesh = distribution.device_mesh
    return int(mesh.shape[mesh.axis_names.index(axis)])


def check_divides(batch_size: int) -> None:
    """Raises ValueError if the devices do not divide a batch."""
    shards = num_shards()
    if batch_size % shards:
        raise ValueError(
            f"`batch_size` must be a multiple of {shards}, the number of devices that "
            f"a batch is spread over. Received: batch_size={batch_size}"
        )
