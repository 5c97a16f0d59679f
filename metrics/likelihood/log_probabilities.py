"""Log-probabilities of the tokens of texts: what they must be, and masks."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from ..checks import shorten

# Rounding errors may put a log-probability above 0 by this much. Heuristic: far below
# any probability that is passed without taking its logarithm.
ROUNDING = 1e-3

# A list or array of log-probabilities, or of booleans, for each text.
Rows = Sequence[Any] | np.ndarray


def checked_tokens(log_probabilities: Rows, mask: Rows | None) -> dict[int, Any]:
    """The tokens of each text, by its row. Rows of padding alone are no texts."""
    rows = enumerate(unmasked(log_probabilities, mask))
    tokens = {index: row for index, row in rows if mask is None or row.size}
    if not tokens:
        raise ValueError("`mask` must be true for at least one token. Received: none.")
    for index, values in tokens.items():
        check_log_probabilities(values, f"log_probabilities[{index}]")
    return tokens


def unmasked(log_probabilities: Rows, mask: Rows | None = None) -> list[Any]:
    """Returns the numbers where the mask is true, an array for each text.

    Args:
        log_probabilities: As for `perplexity`.
        mask: As for `perplexity`.
    Raises:
        TypeError: If the mask is not boolean.
        ValueError: If the shapes differ, or there are no texts.
    Example:
        >>> unmasked([[-1.0, -2.0, 0.0]], [[True, True, False]])
        [array([-1., -2.])]
    """
    check_segments("log_probabilities", log_probabilities)
    if mask is None:
        return list(log_probabilities)
    check_segments("mask", mask)
    if len(mask) != len(log_probabilities):
        raise ValueError(
            "`mask` must have an entry for each text. Received: "
            f"{len(mask)} and {len(log_probabilities)} texts."
        )
    return [
        _unmasked_row(row, values, index)
        for index, (row, values) in enumerate(zip(mask, log_probabilities, strict=True))
    ]


def _unmasked_row(row: Any, values: Any, index: int) -> np.ndarray:
    values = _array(values, f"log_probabilities[{index}]")
    kept = _array(row, f"mask[{index}]")
    if kept.dtype != bool:
        raise TypeError(f"`mask[{index}]` must be boolean. Received: {shorten(row)}")
    if kept.shape != values.shape:
        raise ValueError(
            f"`mask[{index}]` must have the shape of its log-probabilities, "
            f"{values.shape}. Received: {kept.shape}"
        )
    return values[kept]


def check_log_probabilities(values: Sequence[float] | np.ndarray, name: str) -> None:
    """Checks the log-probabilities of a segment.

    Args:
        values: The argument: a list or 1-D array.
        name: Its name, for messages.
    Raises:
        TypeError: If something is not a real number.
        ValueError: If it is not 1-D, is empty, or has a number that is positive or NaN.
    """
    array = _array(values, name)
    if array.dtype.kind in "OSUbcmM" or array.dtype.names:
        raise TypeError(f"`{name}` must be real numbers. Received: {shorten(values)}")
    if array.ndim != 1 or not array.size:
        raise ValueError(
            f"`{name}` must be 1-D, with at least one number: a single text goes into "
            f"a list of its own. Received: shape {array.shape}"
        )
    wrong = np.flatnonzero(~(as_floats(array) <= ROUNDING))
    if wrong.size:
        raise ValueError(
            f"`{name}` must be at most 0, the natural logarithm of probabilities. "
            f"Received: {array[wrong[0]]} at position {wrong[0]}"
        )


def _array(values: Any, name: str) -> np.ndarray:
    try:
        return np.asarray(values)
    except (TypeError, ValueError):  # rows of different lengths, or no array at all
        raise ValueError(f"`{name}` must be 1-D. Received: {shorten(values)}") from None


def as_floats(values: Any) -> np.ndarray:
    with np.errstate(over="ignore"):  # a longer type may have numbers beyond float64
        return np.asarray(values).astype(float)


def check_segments(name: str, value: Any) -> None:
    is_array = isinstance(value, np.ndarray) and value.ndim
    if not is_array and not isinstance(value, list | tuple):
        raise TypeError(
            f"`{name}` must be a list, with an entry for each segment. Received: "
            f"{shorten(value)}"
        )
    if not len(value):
        raise ValueError(f"`{name}` must hold at least one segment. Received none.")
