"""Argument validation of layers: tensors, shapes, sizes, cells, policies."""

import numbers
from collections.abc import Sequence
from typing import Any, TypeAlias

import keras

from ..checks import check_integer, check_number, shorten

# A tensor of the backend, a symbolic one of Keras, or an array: no type fits all three.
Tensor: TypeAlias = Any
# Tensors in lists, tuples and dicts, which `keras.tree` takes apart.
Structure: TypeAlias = Any
Shape: TypeAlias = Sequence[int | None]
# Tensor sizes must fit a signed 32-bit integer.
MAX_SIZE = 2**31 - 1


def check_size(name: str, value: Any, minimum: int = 1) -> int:
    """Returns the size of a tensor axis as a Python integer.

    Raises:
        ValueError: If it is not an integer from `minimum` to `MAX_SIZE`.
    """
    return check_integer(name, value, minimum, MAX_SIZE)


def check_bound(name: str, value: Any) -> float:
    """Returns the bound of a clipped tensor as a `float`.

    Raises:
        ValueError: If it is not from 1e-30 to 1e30, which every type of float can hold.
    """
    value = float(check_number(name, value))
    if not 1e-30 <= value <= 1e30:
        raise ValueError(
            f"`{name}` must be from 1e-30 to 1e30. Received: {name}={value}"
        )
    return value


def check_policy(
    name: str, value: Any
) -> str | dict[str, Any] | keras.DTypePolicy | None:
    """Returns `value`, a data type policy of Keras or the name of one.

    Raises:
        ValueError: If it does not compute with floating point numbers.
    """
    try:
        policy = keras.dtype_policies.get(value)
        is_float = keras.backend.is_float_dtype(policy.compute_dtype)
    except (ValueError, TypeError, AttributeError):
        is_float = False
    if not is_float:
        raise ValueError(
            f"`{name}` must be a floating point type or a data type policy of Keras, "
            f"such as 'mixed_bfloat16'. Received: {name}={shorten(value)}"
        )
    return value


def check_tensor(name: str, value: Tensor, shape: tuple[int | str, ...]) -> None:
    """Checks that `value` is a tensor of real numbers of the given shape.

    Args:
        name: Name of the argument.
        value: The tensor.
        shape: Sizes of the axes; a name such as "B" stands for any size.
    Raises:
        TypeError: If it is not a tensor of real numbers.
        ValueError: If it has another shape.
    """
    expected = f"({', '.join(map(str, shape))})"
    if not _is_tensor_of_numbers(value):
        dtype = getattr(value, "dtype", None)
        received = f"={shorten(value)}" if dtype is None else f" of type {dtype}"
        if isinstance(value, list | tuple):
            received += ". Of numbers in a list, numpy.asarray makes an array"
        raise TypeError(
            f"`{name}` must be a tensor of real numbers, of shape {expected}. "
            f"Received: {name}{received}"
        )
    actual = tuple(value.shape)
    if len(actual) != len(shape) or any(
        isinstance(size, int) and found not in (None, size)
        for found, size in zip(actual, shape, strict=True)
    ):
        raise ValueError(
            f"`{name}` must have the shape {expected}. "
            f"Received: {name} of shape {actual}"
        )


def _is_tensor_of_numbers(value: object) -> bool:
    if not hasattr(value, "shape") or not hasattr(value, "dtype"):
        return False
    try:
        dtype = keras.backend.standardize_dtype(value.dtype)
    except ValueError:
        return False
    return dtype.startswith(("float", "bfloat", "int", "uint", "bool"))


def check_rank(rank: int, **tensors: Tensor) -> None:
    """Checks the number of axes of each tensor, as far as it is known without
    computing.

    Raises:
        ValueError: If one has another number of axes than `rank`.
    """
    for name, tensor in tensors.items():
        try:
            shape = tuple(tensor.shape)
        except (AttributeError, ValueError):  # a list, or a rank not known yet
            continue
        if len(shape) != rank:
            raise ValueError(
                f"`{name}` must have {rank} axes. Received: {name} of shape {shape}"
            )


def check_sequences(
    value: Tensor, mask: Tensor | None, features: int | None
) -> int | str:
    """Checks sequences `(B, T, features)` and a mask `(B, T)` or None.

    Args:
        value: The sequences.
        mask: The mask.
        features: Number of features of a layer that is built; None for any.
    Returns:
        The batch size, or `"B"` where it is not known yet.
    Raises:
        TypeError: If one is not a tensor of real numbers.
        ValueError: If a shape is wrong, or there is no step.
    """
    width = "features" if features is None else features
    try:
        check_tensor("sequences", value, ("B", "T", width))
    except ValueError as error:
        if len(value.shape) != 2:
            raise
        hint = "A recurrent layer before this one needs return_sequences=True"
        raise ValueError(f"{error}. {hint}.") from None
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
        check_tensor("mask", mask, (batch_size, "T" if steps is None else steps))
    return batch_size


def check_states(
    name: str, value: Structure, batch_size: int | str, sizes: Structure
) -> None:
    """Checks that `value` holds tensors `(batch_size, size)`, one for each of `sizes`.

    Both may be nested.

    Raises:
        TypeError: If one is not a tensor of real numbers.
        ValueError: If a shape is wrong, or there are more or fewer tensors.
    """
    parts, sizes = keras.tree.flatten(value), keras.tree.flatten(sizes)
    check_count(name, parts, sizes)
    for part, size in zip(parts, sizes, strict=True):
        check_tensor(name, part, (batch_size, size))


def check_count(name: str, value: list[Tensor], sizes: list[int]) -> None:
    """Checks that there is a tensor for each of `sizes`.

    Raises:
        ValueError: If there are more or fewer.
    """
    if len(value) != len(sizes):
        raise ValueError(
            f"`{name}` must hold {len(sizes)} tensors, of the sizes {sizes}. "
            f"Received: {len(value)} {'tensor' if len(value) == 1 else 'tensors'}"
        )


def check_step(
    inputs: Tensor, cell_states: Structure, features: int | None, sizes: Structure
) -> None:
    """Checks the arguments of one step of a cell.

    Args:
        inputs: Tensor `(B, features)`.
        cell_states: The states, see `check_states`.
        features: Number of features of a cell that is built; None for any.
        sizes: Sizes of the states.
    Raises:
        TypeError: If one is not a tensor of real numbers.
        ValueError: If a shape is wrong.
    """
    width = "features" if features is None else features
    check_tensor("inputs", inputs, ("B", width))
    batch_size = "B" if inputs.shape[0] is None else inputs.shape[0]
    check_states("states", cell_states, batch_size, sizes)


def check_batch_size(value: Any) -> None:
    """Checks a batch size: a non-negative integer, or a scalar tensor of the backend
    if it is not known yet.

    Raises:
        ValueError: If it is something else.
    """
    if value is None or isinstance(value, (numbers.Number, str, tuple, list, dict)):
        check_size("batch_size", value, minimum=0)


def check_features(name: str, shape: Any, rank: int) -> int:
    """Returns the last entry of the shape of inputs.

    Raises:
        ValueError: If it is not known, or there are more or fewer than `rank` axes.
    """
    if (
        not isinstance(shape, (tuple, list))
        or len(shape) != rank
        or not isinstance(shape[-1], numbers.Integral)
    ):
        expected = "(B, T, features)" if rank == 3 else "(B, features)"
        raise ValueError(
            f"`{name}` must be {expected} with a known number of features. "
            f"Received: {name}={shorten(shape)}"
        )
    return int(shape[-1])


def check_biases(name: str, value: Any, heads: int) -> float | tuple[float, ...]:
    """Returns an initial bias: a number, or a tuple with one for each head.

    Raises:
        ValueError: If it is something else.
    """
    if not isinstance(value, (tuple, list)):
        return check_number(name, value)
    if len(value) != heads:
        raise ValueError(
            f"`{name}` must be a number, or one for each of the {heads} heads. "
            f"Received: {name}={shorten(value)}"
        )
    return tuple(check_number(name, bias) for bias in value)
