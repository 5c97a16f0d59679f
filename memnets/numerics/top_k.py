"""The largest of many numbers."""

from collections.abc import Callable
from typing import Any

from keras import ops

from .tensor_checks import Tensor

# Below every sum of log-probabilities: of a hypothesis that does not exist.
NONE = -1e18


def take_places(values: Tensor, places: Tensor) -> Tensor:
    """The given places of each row, as `ops.take_along_axis` on axis 1.

    Args:
        values: `(B, N, ...)`.
        places: `(B, K)`, from 0 to N - 1.
    Returns:
        `(B, K, ...)`.
    """
    rest = values.shape[2:]
    # As one list of rows: Keras on TensorFlow would transpose the values first.
    first = ops.arange(ops.shape(values)[0], dtype="int32") * values.shape[1]
    rows = first[:, None] + ops.cast(places, "int32")
    return ops.take(ops.reshape(values, (-1, *rest)), rows, axis=0)


# Tuned: numbers in a group.
GROUP = 32


def top_k(
    values: Tensor, count: int, top: Callable = ops.top_k, group: int = GROUP
) -> tuple[Tensor, Any]:
    """As `ops.top_k`, which takes longer where there are many numbers.

    The largest number of each of many groups is found first. The `count` largest
    numbers are in the `count` groups whose largest numbers are the largest. Of equal
    numbers the first comes first, as each group has consecutive numbers, and the groups
    that are left are kept in their order.

    Args:
        values: `(B, N)`, each above 10 times `NONE`.
        count: How many to find, at most N.
        top: Finds the largest of fewer numbers: `ops.top_k` or `in_turn`.
        group: How many numbers are in a group.
    Returns:
        The largest values of each row, `(B, count)`, in descending order, and their
        places, int32.
    """
    size = values.shape[-1]
    if size <= 2 * count * group:
        found, places = top(values, count)
        return found, ops.cast(places, "int32")
    missing = -size % group
    if missing:
        values = ops.pad(values, ((0, 0), (0, missing)), constant_values=10 * NONE)
    groups = ops.reshape(values, (-1, (size + missing) // group, group))
    _, chosen = top(ops.max(groups, axis=-1), count)
    chosen = ops.sort(ops.cast(chosen, "int32"), axis=-1)
    left = take_places(groups, chosen)
    found, places = top(ops.reshape(left, (-1, count * group)), count)
    places = ops.cast(places, "int32")
    chosen = take_places(chosen, places // group)
    return found, chosen * group + places % group


def in_turn(values: Tensor, count: int) -> tuple[Tensor, Any]:
    """As `ops.top_k` for a small count, by one search after the other.

    A model that JAX has compiled with `ops.top_k` cannot be read by the TensorFlow of
    the same time.

    Args:
        values: `(..., N)`, each above 10 times `NONE`.
        count: How many to find, at most N.
    Returns:
        The largest values, `(..., count)`, in descending order, and their places,
        int32.
    """
    found, places = [], []
    numbers = ops.arange(values.shape[-1], dtype="int32")
    for _ in range(count):
        best, place = first_largest(values)
        found.append(best)
        places.append(place)
        taken = numbers == ops.expand_dims(place, -1)
        values = ops.where(taken, ops.cast(10 * NONE, values.dtype), values)
    return ops.stack(found, axis=-1), ops.stack(places, axis=-1)


def first_largest(values: Tensor) -> tuple[Tensor, Tensor]:
    """The largest number of `(..., N)`, and the first of its places, int32.

    `ops.argmax` of floats looks at the bits of zeros. ONNX and LiteRT have no operation
    for this, so that a model with it could not be exported.
    """
    *rows, _ = values.shape
    if 0 in rows:  # Keras has no largest number of nothing on PyTorch.
        return ops.zeros(rows, values.dtype), ops.zeros(rows, "int32")
    best = ops.max(values, axis=-1, keepdims=True)
    place = ops.argmax(ops.cast(values == best, "int32"), axis=-1)
    return best[..., 0], ops.cast(place, "int32")
