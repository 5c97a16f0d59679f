"""Recomputing in the backward pass what would take much memory to store."""

import contextlib
import contextvars
from collections.abc import Callable, Iterator

from . import current
from .exporting import is_exporting

_is_off = contextvars.ContextVar("is_off", default=False)


def recomputed(function: Callable) -> Callable:
    """`function`, whose intermediate results are recomputed in the backward pass unless
    `without_recomputation` is in effect. It may be differentiated again."""
    if _is_off.get() or is_exporting():
        return function
    return current().recomputed(function)


@contextlib.contextmanager
def without_recomputation() -> Iterator[None]:
    """Stores intermediate results instead, for gradients of many outputs by one."""
    token = _is_off.set(True)
    try:
        yield
    finally:
        _is_off.reset(token)
