"""Argument validation of layers: tensors, shapes, sizes, cells, policies."""

import numbers

import keras

from .checks import check_integer, check_number, shorten

# Tensor sizes must fit a signed 32-bit integer.
MAX_SIZE = 2**31 - 1


def check_size(name: str, value: object, minimum: int = 1) -> int:
    """Returns the size of a tensor axis as a Python integer.

    Raises:
        ValueError: If it is not an integer from `minimum` to `MAX_SIZE`.
    """
    return check_integer(name, value, minimum, MAX_SIZE)


def bound(name, value):
    """Returns `value` as a `float` from 1e-30 to 1e30, which every type of float has,
    or raises `ValueError` naming it."""
    value = float(check_number(name, value))
    if not 1e-30 <= value <= 1e30:
        raise ValueError(
            f"`{name}` must be from 1e-30 to 1e30. Received: {name}={value}"
        )
    return value


def policy(name, value):
    """Returns `value`, a data type policy of Keras that computes with floating point
    numbers, or raises `ValueError` naming it."""
    try:
        found = keras.dtype_policies.get(value)
        floats = keras.backend.is_float_dtype(found.compute_dtype)
    except (ValueError, TypeError, AttributeError):
        floats = False
    if not floats:
        raise ValueError(
            f"`{name}` must be a floating point type or a data type policy of Keras, "
            f"such as 'mixed_bfloat16'. Received: {name}={shorten(value)}"
        )
    return value


def tensor(name, value, shape):
    """Raises `TypeError` or `ValueError` that names `value` unless it is a tensor of
    real numbers of that shape; a letter in `shape` stands for any size."""
    wanted = f"({', '.join(map(str, shape))})"
    if not _is_tensor_of_numbers(value):
        dtype = getattr(value, "dtype", None)
        received = f"={shorten(value)}" if dtype is None else f" of type {dtype}"
        raise TypeError(
            f"`{name}` must be a tensor of real numbers, of shape {wanted}. "
            f"Received: {name}{received}"
        )
    actual = tuple(value.shape)
    if len(actual) != len(shape) or any(
        isinstance(size, int) and found not in (None, size)
        for found, size in zip(actual, shape, strict=True)
    ):
        raise ValueError(
            f"`{name}` must have the shape {wanted}. Received: {name} of shape {actual}"
        )


def _is_tensor_of_numbers(value):
    if not hasattr(value, "shape") or not hasattr(value, "dtype"):
        return False
    try:
        dtype = keras.backend.standardize_dtype(value.dtype)
    except ValueError:
        return False
    return dtype.startswith(("float", "bfloat", "int", "uint", "bool"))


def sequences(value, mask, features):
    """Raises unless `value` is a tensor `(B, T, features)` of at least one step and
    `mask` a tensor `(B, T)` or None. `features` is None if any number will do.

    Returns:
        The batch size, or `"B"` where it is not known yet.
    """
    width = "features" if features is None else features
    tensor("sequences", value, ("B", "T", width))
    batch_size, steps, width = value.shape
    if width is None:
        raise ValueError(
            "`sequences` must have a known number of features. Received: sequences of "
            f"shape {tuple(value.shape)}"
        )
    if steps == 0:
        raise ValueError(
            "`sequences` must have at least one step. Received: sequences of shape "
            f"{tuple(value.shape)}"
        )
    batch_size = "B" if batch_size is None else batch_size
    if mask is not None:
        tensor("mask", mask, (batch_size, "T" if steps is None else steps))
    return batch_size


def states(name, value, batch_size, sizes):
    """Raises unless `value` holds tensors `(batch_size, size)` of the sizes in the list
    `sizes`, however deep either nests them."""
    parts, sizes = keras.tree.flatten(value), keras.tree.flatten(sizes)
    if len(parts) != len(sizes):
        raise ValueError(
            f"`{name}` must hold {len(sizes)} tensors, of the sizes {sizes}. "
            f"Received: {len(parts)}"
        )
    for part, size in zip(parts, sizes, strict=True):
        tensor(name, part, (batch_size, size))


def step(inputs, cell_states, features, sizes):
    """Raises unless `inputs` is a tensor `(B, features)` and `cell_states` fit it, for
    one step of a cell. `features` is None if any number will do."""
    width = "features" if features is None else features
    tensor("inputs", inputs, ("B", width))
    batch_size = "B" if inputs.shape[0] is None else inputs.shape[0]
    states("states", cell_states, batch_size, sizes)


def batch_size(value):
    """Raises `ValueError` unless `value` can be a batch size: a number, or whatever a
    backend has for one that is not known yet."""
    if value is None or isinstance(value, (numbers.Number, str, tuple, list, dict)):
        check_size("batch_size", value, minimum=0)


def features(name, shape, rank):
    """Returns the last entry of the shape of inputs, or raises `ValueError` if it is
    not known."""
    if (
        not isinstance(shape, (tuple, list))
        or len(shape) != rank
        or not isinstance(shape[-1], numbers.Integral)
    ):
        wanted = "(B, T, features)" if rank == 3 else "(B, features)"
        raise ValueError(
            f"`{name}` must be {wanted} with a known number of features. "
            f"Received: {name}={shorten(shape)}"
        )
    return int(shape[-1])


def cell(name, value):
    """Returns `value`, or raises `ValueError` that names it unless it is a recurrent
    cell of Keras."""
    if isinstance(value, keras.layers.RNN):
        raise ValueError(
            f"`{name}` must be a cell, such as keras.layers.LSTMCell(100), not a layer "
            f"that runs one. Received: {name}={shorten(value)}"
        )
    if isinstance(value, type) or not callable(value) or not _has_states(value):
        raise ValueError(
            f"`{name}` must be a cell, such as keras.layers.LSTMCell(100). "
            f"Received: {name}={shorten(value)}"
        )
    return value


def _has_states(value):
    return hasattr(value, "state_size") and hasattr(value, "call")
