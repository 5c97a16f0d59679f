"""The standard streams of a command, which daemons and schedulers may have closed."""

import io
import os
import sys
from typing import IO, Any

import click


class _Descriptor(io.FileIO):
    """A descriptor of a standard stream; after a failed write, writes are lost.

    Args:
        number: The descriptor.
    """

    def __init__(self, number: int) -> None:
        super().__init__(number, "w", closefd=False)
        self._has_failed = False

    def write(self, data: Any, /) -> int:
        if self._has_failed:
            return len(data)
        try:
            return super().write(data)
        except OSError as error:
            self._has_failed = True
            self.failed(error)
        return len(data)

    def failed(self, error: OSError) -> None:
        """What happens at the first failed write."""
        raise NotImplementedError


class _Results(_Descriptor):
    """Standard output: what cannot be written ends the command."""

    def failed(self, error: OSError) -> None:
        if isinstance(error, BrokenPipeError):
            raise error  # the reader has closed it; click handles it
        raise click.ClickException(
            f"Standard output cannot be written: {error.strerror}."
        ) from error


class _Messages(_Descriptor):
    """Standard error: a terminal that is gone does not end a training."""

    def failed(self, error: OSError) -> None:
        """Goes on: the results do not depend on it."""


def open_standard_streams() -> None:
    """Makes standard output and standard error streams that can be written, also where
    the process was started without them, and says of a full disk what was not written.

    Standard input stays None if it was closed: there is nothing to read.
    """
    _fill_descriptors()
    if sys.stdout is None:
        sys.stdout = _nowhere()
    elif sys.stdout is sys.__stdout__:
        sys.stdout = _stream(sys.stdout, _Results)
    if sys.stderr is None:
        sys.stderr = _nowhere()
    elif sys.stderr is sys.__stderr__:
        sys.stderr = _stream(sys.stderr, _Messages)


def _fill_descriptors() -> None:
    """Opens descriptors 0 to 2 where they are closed. A file that is opened later would
    get their numbers, and what libraries print would be written into it."""
    for number in range(3):
        try:
            os.fstat(number)
        except OSError:
            # The lowest that is free, which is this one.
            os.set_inheritable(os.open(os.devnull, os.O_RDWR), True)


def _nowhere() -> IO[str]:
    return open(os.devnull, "w", encoding="utf-8")


def _stream(stream: Any, kind: type[_Descriptor]) -> io.TextIOWrapper:
    """The stream with another descriptor below it."""
    stream.flush()
    return io.TextIOWrapper(
        io.BufferedWriter(kind(stream.fileno())),
        encoding=stream.encoding,
        errors=stream.errors,
        line_buffering=stream.line_buffering,
        write_through=stream.write_through,
    )
