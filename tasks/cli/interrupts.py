"""Ctrl-C: one line and the exit status 130, at any moment of a command."""

import contextlib
import functools
import os
import signal
import types
from collections.abc import Iterator
from typing import Any

STATUS = 130  # 128 + SIGINT, as in shells
STANDARD_ERROR = 2


def end_at_once() -> None:
    """From here on Ctrl-C ends the process. There is nothing to keep while modules are
    imported, and libraries catch a KeyboardInterrupt there, or print where it was."""
    _set(signal.default_int_handler, functools.partial(_end, STANDARD_ERROR))


@contextlib.contextmanager
def ending_at_once() -> Iterator[None]:
    """Within it Ctrl-C ends the process, also where standard error is redirected."""
    descriptor = os.dup(STANDARD_ERROR)
    try:
        with _within(signal.default_int_handler, functools.partial(_end, descriptor)):
            yield
    finally:
        os.close(descriptor)


@contextlib.contextmanager
def raising() -> Iterator[None]:
    """Within it Ctrl-C is a KeyboardInterrupt again, for what must end in order."""
    before = signal.getsignal(signal.SIGINT)
    with _within(before if _is_end(before) else None, signal.default_int_handler):
        yield


@contextlib.contextmanager
def _within(expected: Any, handler: Any) -> Iterator[None]:
    before = signal.getsignal(signal.SIGINT)
    is_set = _set(expected, handler)
    try:
        yield
    finally:
        if is_set:
            signal.signal(signal.SIGINT, before)


def _set(expected: Any, handler: Any) -> bool:
    """Sets a handler in place of the expected one. Others are left, as of a process in
    the background, which ignores Ctrl-C."""
    if expected is None or signal.getsignal(signal.SIGINT) is not expected:
        return False
    try:
        signal.signal(signal.SIGINT, handler)
    except ValueError:  # only the main thread may
        return False
    return True


def _is_end(handler: Any) -> bool:
    return isinstance(handler, functools.partial) and handler.func is _end


def _end(descriptor: int, signum: int, frame: types.FrameType | None) -> None:
    with contextlib.suppress(OSError):
        os.write(descriptor, b"Interrupted.\n")
    os._exit(STATUS)
