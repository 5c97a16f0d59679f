"""The lock of a run directory: one process at a time trains in it."""

import contextlib
import os
import pathlib
from collections.abc import Iterable, Iterator

import filelock

from .output_file import check_not_an_input
from .output_folder import LOCK, OutputFolder, RunError


@contextlib.contextmanager
def locked(path: str | os.PathLike[str]) -> Iterator[None]:
    """Locks a run directory for this process, in a `with` block; creates the directory
    if it does not exist.

    Raises:
        RunError: If another process has it, or it cannot be written.
    """
    path = pathlib.Path(path)
    if path.exists() and not path.is_dir():
        raise RunError(f"`out` must be a directory. Received: `{path}`, a file.")
    # The system releases the lock when a process ends, however it ends.
    lock = filelock.FileLock(path / LOCK)
    try:
        path.mkdir(parents=True, exist_ok=True)
        lock.acquire(timeout=0.5)  # `in_use` holds it for a moment
    except filelock.Timeout:
        raise RunError(f"`{path}` is in use: another process trains in it.") from None
    except OSError as error:
        raise RunError(f"`{path}` cannot be written: {error.strerror}.") from None
    try:
        yield
    finally:
        lock.release()


@contextlib.contextmanager
def claimed(output: OutputFolder, inputs: Iterable[str] = ()) -> Iterator[None]:
    """Checks, locks and marks a folder that is to be written into, in a `with` block.

    Args:
        output: The folder.
        inputs: Files and folders that are read.
    Raises:
        RunError: If it holds what is not our own work of its kind, or what is read;
            another process has it, or it cannot be written.
    """
    output.check()  # before the lock, which is a file in it
    check_not_an_input([output.path / name for name in output.listed()], inputs)
    with locked(output.path):
        output.check()  # another process may have written there meanwhile
        output.claim()
        yield


def in_use(path: str | os.PathLike[str]) -> bool:
    """Whether a process trains in a run directory; also if it cannot be determined."""
    lock = pathlib.Path(path) / LOCK
    if not lock.exists():
        return False
    try:
        with filelock.FileLock(lock, timeout=0):
            return False
    except filelock.Timeout:
        return True
    except OSError:  # a directory of another user, which may only be read
        return True
