"""Recomputing in the backward pass what would take much memory to store."""

import contextlib
import contextvars
import importlib
from collections.abc import Callable, Iterator

import keras

from ..saving.exporting import is_exporting

_is_off = contextvars.ContextVar("is_off", default=False)


def recomputed(function: Callable) -> Callable:
    """`function`, whose intermediate results are recomputed in the backward pass unless
    `without_recomputation` is in effect. It may be differentiated again."""
    if _is_off.get() or is_exporting():
        return function
    if keras.backend.backend() == "tensorflow":
        # What Keras takes there can be differentiated only once.
        return importlib.import_module(
            f"{__package__}.tensorflow_recomputation"
        ).recomputed(function)
    return keras.remat(function)


@contextlib.contextmanager
def without_recomputation() -> Iterator[None]:
    """Stores intermediate results instead, for gradients of many outputs by one."""
    token = _is_off.set(True)
    try:
        yield
    finally:
        _is_off.reset(token)
