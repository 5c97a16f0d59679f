"""Recomputing in the backward pass what would take much memory to store."""

import contextlib
import contextvars
from collections.abc import Callable, Iterator

import keras

_is_off = contextvars.ContextVar("is_off", default=False)


def recomputed(function: Callable) -> Callable:
    """`function`, whose intermediate results are recomputed in the backward pass unless
    `without_recomputation` is in effect."""
    return function if _is_off.get() else keras.remat(function)


@contextlib.contextmanager
def without_recomputation() -> Iterator[None]:
    """Stores intermediate results: TensorFlow differentiates a recomputed function only
    once."""
    token = _is_off.set(True)
    try:
        yield
    finally:
        _is_off.reset(token)
