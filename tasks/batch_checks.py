"""Argument validation of tasks: parameters, batches, sequences."""

import numpy as np

from .checks import check_integer, check_number, shorten

# Chosen. Beyond it a single sequence takes minutes: a longer one is taken for a slip.
LONGEST = 10_000
# Chosen: of the smallest sequences there are so many in a few GiB.
LARGEST_BATCH = 1_000_000


def check_integers(task, *names, minimum=1):
    """Makes the named fields of a task integers of Python, or raises `ValueError` if
    one is no integer from `minimum` to `LONGEST`."""
    for name in names:
        value = check_integer(name, getattr(task, name), minimum, LONGEST)
        object.__setattr__(task, name, value)


def check_shares(task, *names):
    """Makes the named fields of a task floats of Python, or raises `ValueError` if one
    is no number from 0 to 1."""
    for name in names:
        share = float(check_share(getattr(task, name), name))
        object.__setattr__(task, name, share)


def check_range(task, smallest, largest):
    """Raises `ValueError` if the first named field of a task exceeds the second."""
    low, high = getattr(task, smallest), getattr(task, largest)
    if low > high:
        raise ValueError(
            f"`{smallest}` must be at most `{largest}`. "
            f"Received: {smallest}={low}, {largest}={high}"
        )


def check_length(length, name="length", minimum=1):
    """Returns a length as an integer of Python, or raises `ValueError` unless it is one
    from `minimum` to `LONGEST`."""
    return check_integer(name, length, minimum, LONGEST)


def check_share(share, name="share"):
    """Returns a share, or raises `ValueError` unless it is a number from 0 to 1."""
    return check_number(name, share, minimum=0, maximum=1)


def check_draw(batch_size, rng):
    """Checks what a batch is drawn with.

    Returns:
        The batch size, and a generator of random numbers.
    Raises:
        ValueError: If the size is not a positive integer, or NumPy takes no such seed.
    """
    batch_size = check_integer("batch_size", batch_size, 1, LARGEST_BATCH)
    try:
        return batch_size, np.random.default_rng(rng)
    except (TypeError, ValueError) as error:
        raise ValueError(
            "`rng` must be a seed, which is a non-negative integer, or a generator of "
            f"NumPy. Received: rng={shorten(rng)}"
        ) from error


def check_inputs(task, inputs):
    """Returns inputs of a task as an array `(B, T, input_size)`.

    Raises:
        TypeError: If they are not numbers.
        ValueError: If they have another shape, or one is not finite.
    """
    inputs = _numbers("inputs", inputs, (None, None, task.input_size))
    if not np.isfinite(inputs).all():
        raise ValueError("`inputs` must be finite. Received one that is not.")
    return inputs


def check_sequence(task, holds, what):
    """Raises `ValueError` unless a condition holds that every sequence of a task meets;
    `what` says which."""
    if not holds:
        raise ValueError(
            f"`inputs` must be sequences of the task {task.name}. "
            f"Received one that {what}."
        )


def find_delimiter(task, sequence, channel):
    """The step `(T, input_size)` at which a sequence has its delimiter."""
    steps = np.flatnonzero(sequence[:, channel])
    check_sequence(
        task,
        len(steps) == 1 and sequence[steps[0], channel] == 1,
        f"has no delimiter, a single 1 in channel {channel}",
    )
    return int(steps[0])


def check_arrays(task, batch, outputs=None):
    """Raises `TypeError` or `ValueError` unless this is a batch of arrays of one
    length, and as many outputs, if there are any."""
    if not isinstance(batch, tuple) or len(batch) != 3:
        raise TypeError(
            "`batch` must be a Batch of inputs, targets and mask. "
            f"Received: {type(batch).__name__}"
        )
    arrays = batch if outputs is None else (*batch, outputs)
    lengths = {len(array) for array in arrays}
    if len(lengths) != 1:
        raise ValueError(
            f"`batch` of the task {task.name} must have as many inputs as targets, "
            f"mask entries and outputs. Received: {[len(array) for array in arrays]}"
        )


def check_batch(task, batch, outputs=None):
    """Raises `TypeError` or `ValueError` unless this is a batch of a task, and the
    outputs have the shape of its targets."""
    if not isinstance(batch, tuple) or len(batch) != 3:
        raise TypeError(
            "`batch` must be a Batch of inputs, targets and mask. "
            f"Received: {type(batch).__name__}"
        )
    inputs, targets, mask = batch
    size, steps = _numbers("batch.mask", mask, (None, None)).shape
    _numbers("batch.inputs", inputs, (size, steps, task.input_size))
    _numbers("batch.targets", targets, (size, steps, task.output_size))
    if outputs is not None:
        _numbers("outputs", outputs, (size, steps, task.output_size))


def _numbers(name, values, shape):
    """Values as an array of numbers; in the shape `None` stands for any size."""
    try:
        array = np.asarray(values)
    except (TypeError, ValueError):  # rows of several lengths
        array = np.asarray(None)
    if array.dtype.kind not in "biuf":
        raise TypeError(
            f"`{name}` must be an array of numbers. Received: {shorten(values)}"
        )
    if array.ndim != len(shape) or any(
        size not in (None, actual)
        for size, actual in zip(shape, array.shape, strict=True)
    ):
        expected = ", ".join("any" if size is None else str(size) for size in shape)
        raise ValueError(
            f"`{name}` must have the shape ({expected}). Received: {array.shape}"
        )
    return array


def lookup(kind, name, registry):
    """The entry of that name, or `ValueError` with the names that exist."""
    if not isinstance(name, str) or name not in registry:
        raise ValueError(
            f"`{kind}` must be one of {', '.join(sorted(registry))}, or registered "
            f"first (memnets --import FILE). Received: {kind}={shorten(name)}"
        )
    return registry[name]
