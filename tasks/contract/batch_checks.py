"""Argument validation of tasks: parameters, batches, sequences."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from ..checks import check_integer, check_number, shorten
from .parts import Batch

if TYPE_CHECKING:
    from numpy.typing import ArrayLike

# Heuristic: a single longer sequence takes minutes, so it is probably a mistake.
LONGEST = 10_000
# Heuristic: a batch of so many of the smallest sequences needs a few GiB.
LARGEST_BATCH = 1_000_000


def check_integers(task: Any, *names: str, minimum: int = 1) -> None:
    """Makes the named fields of a task Python integers.

    Raises:
        ValueError: If one is not an integer from `minimum` to `LONGEST`.
    """
    for name in names:
        value = check_integer(name, getattr(task, name), minimum, LONGEST)
        object.__setattr__(task, name, value)


def check_shares(task: Any, *names: str) -> None:
    """Makes the named fields of a task Python floats.

    Raises:
        ValueError: If one is not a number from 0 to 1.
    """
    for name in names:
        share = float(check_share(getattr(task, name), name))
        object.__setattr__(task, name, share)


def check_range(task: Any, smallest: str, largest: str) -> None:
    """Raises `ValueError` if the first named field of a task exceeds the second."""
    low, high = getattr(task, smallest), getattr(task, largest)
    if low > high:
        raise ValueError(
            f"`{smallest}` must be at most `{largest}`. "
            f"Received: {smallest}={low}, {largest}={high}"
        )


def check_length(length: int, name: str = "length", minimum: int = 1) -> int:
    """Returns a length as a Python integer.

    Raises:
        ValueError: If it is not an integer from `minimum` to `LONGEST`.
    """
    return check_integer(name, length, minimum, LONGEST)


def check_share(share: float, name: str = "share") -> float:
    """Returns a share.

    Raises:
        ValueError: If it is not a number from 0 to 1.
    """
    return check_number(name, share, minimum=0, maximum=1)


def check_draw(
    batch_size: int, rng: int | np.random.Generator | None
) -> tuple[int, np.random.Generator]:
    """Returns the batch size and a random generator, to draw a batch with.

    Raises:
        ValueError: If the size is not a positive integer, or NumPy does not accept the
            seed.
    """
    batch_size = check_integer("batch_size", batch_size, 1, LARGEST_BATCH)
    try:
        return batch_size, np.random.default_rng(rng)
    except (TypeError, ValueError) as error:
        raise ValueError(
            "`rng` must be a non-negative integer or a NumPy generator. "
            f"Received: rng={shorten(rng)}"
        ) from error


def check_inputs(task: Any, inputs: "ArrayLike") -> np.ndarray:
    """Returns inputs of a task as an array `(B, T, input_size)`.

    Raises:
        TypeError: If they are not numbers.
        ValueError: If they have another shape, or one is not finite.
    """
    inputs = _numbers("inputs", inputs, (None, None, task.input_size))
    if not np.isfinite(inputs).all():
        raise ValueError("`inputs` must be finite. Received one that is not.")
    return inputs


def check_tokens(task: Any, tokens: "ArrayLike", name: str = "inputs") -> np.ndarray:
    """Returns tokens of a task as an array `(B, T)` of integers.

    Raises:
        TypeError: If they are not numbers.
        ValueError: If they have another shape, or one is no token of the task.
    """
    tokens = _numbers(name, tokens, (None, None))
    if not np.isin(tokens, np.arange(task.input_size)).all():
        raise ValueError(
            f"`{name}` must be integers from 0 to {task.input_size - 1}. "
            "Received another one."
        )
    return tokens.astype(np.int32)


def check_sequence(task: Any, holds: Any, what: str) -> None:
    """Checks what every sequence of a task has.

    Args:
        task: The task.
        holds: Whether the sequence has it.
        what: What is wrong with the sequence if not, for the message.
    Raises:
        ValueError: If it does not hold.
    """
    if not holds:
        raise ValueError(
            f"`inputs` must be sequences of the task {task.name}. "
            f"Received one that {what}."
        )


def find_delimiter(task: Any, sequence: np.ndarray, channel: int) -> int:
    """The step at which a sequence `(T, input_size)` has its delimiter.

    Raises:
        ValueError: If the channel is not 1 at exactly one step and 0 elsewhere.
    """
    steps = np.flatnonzero(sequence[:, channel])
    check_sequence(
        task,
        len(steps) == 1 and sequence[steps[0], channel] == 1,
        f"has no delimiter, a single 1 in channel {channel}",
    )
    return int(steps[0])


def check_arrays(task: Any, batch: Batch, outputs: "ArrayLike | None" = None) -> None:
    """Checks that a batch has arrays of one length, and as many outputs.

    Raises:
        TypeError: If it is not a batch, or a part of it is not an array.
        ValueError: If the lengths differ.
    """
    inputs, *arrays = _parts(batch)
    arrays += inputs.values() if isinstance(inputs, dict) else [inputs]
    if outputs is not None:
        arrays.append(outputs)
    if not all(np.ndim(array) for array in arrays):
        raise TypeError(f"`batch` of the task {task.name} must hold arrays.")
    lengths = [len(array) for array in arrays]
    if len(set(lengths)) != 1:
        raise ValueError(
            f"`batch` of the task {task.name} must have as many inputs as targets, "
            f"mask entries and outputs. Received: {lengths}"
        )


def check_batch(task: Any, batch: Batch, outputs: "ArrayLike | None" = None) -> None:
    """Checks that a batch has a target, and an output, for each step.

    Raises:
        TypeError: If it is not a batch of arrays of numbers.
        ValueError: If an array has another shape.
    """
    inputs, targets, mask = _parts(batch)
    size, steps = _numbers("batch.mask", mask, (None, None)).shape
    _numbers("batch.inputs", inputs, (size, steps, task.input_size))
    _numbers("batch.targets", targets, (size, steps, task.output_size))
    if outputs is not None:
        _numbers("outputs", outputs, (size, steps, task.output_size))


def check_token_batch(
    task: Any, batch: Batch, outputs: "ArrayLike | None" = None
) -> None:
    """As `check_batch`, of a task whose inputs and targets are tokens.

    Raises:
        TypeError: If it is not a batch of arrays of numbers.
        ValueError: If an array has another shape, or a number is no token of the task.
    """
    inputs, targets, mask = _parts(batch)
    size, steps = check_tokens(task, inputs, "batch.inputs").shape
    check_tokens(task, targets, "batch.targets")
    _numbers("batch.targets", targets, (size, steps))
    _numbers("batch.mask", mask, (size, steps))
    if outputs is not None:
        _numbers("outputs", outputs, (size, steps, task.output_size))


def fits(shape: Sequence[int], expected: Sequence[int | None]) -> bool:
    """Whether a shape is the expected one, in which `None` stands for any size."""
    return len(shape) == len(expected) and all(
        size in (None, actual) for size, actual in zip(expected, shape, strict=True)
    )


def shown(shape: Sequence[int | None]) -> str:
    return f"({', '.join('any' if size is None else str(size) for size in shape)})"


def _parts(batch: Any) -> tuple[Any, Any, Any]:
    if not isinstance(batch, tuple) or len(batch) != 3:
        raise TypeError(
            "`batch` must be a Batch of inputs, targets and mask. "
            f"Received: {type(batch).__name__}"
        )
    return batch


def _numbers(name: str, values: Any, shape: Sequence[int | None]) -> np.ndarray:
    """Values as an array of numbers of that shape, see `fits`."""
    try:
        array = np.asarray(values)
    except (TypeError, ValueError):  # rows of several lengths
        array = np.asarray(None)
    if array.dtype.kind not in "biuf":
        raise TypeError(
            f"`{name}` must be an array of numbers. Received: {shorten(values)}"
        )
    if not fits(array.shape, shape):
        raise ValueError(
            f"`{name}` must have the shape {shown(shape)}. Received: {array.shape}"
        )
    return array
