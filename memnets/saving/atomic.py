"""Files that are written completely or not at all, and what stopped writers leave."""

import contextlib
import hashlib
import os
import pathlib
import platform
import re
import shutil
import tempfile
import threading
import time
from collections.abc import Iterator

# The name of a temporary file or folder says who writes it.
WRITER = r"memnets-([0-9a-f]{16})-(\d+)-(\d+)"
UNFINISHED = re.compile(rf"\..*\.{WRITER}\.unfinished(\..*)?", re.DOTALL)
FOLDER = re.compile(rf"{WRITER}-\w+")
# Heuristic: names of files have at most 255 bytes, of which some are ours.
LONGEST_STEM = 100
# Heuristic: no file takes longer to write, on another machine that shares the folder.
LONGEST_WRITE = 24 * 3600.0


@contextlib.contextmanager
def atomic_write(path: str | os.PathLike[str]) -> Iterator[pathlib.Path]:
    """Writes a temporary file beside `path` and renames it when it is on disk.

    A reader of `path` finds the old file or the new one, even after the process was
    killed or the power failed. A link is followed: the file that it names is replaced.
    Temporary files that stopped processes left in the folder are removed first.

    Args:
        path: The file to write.
    Yields:
        Path of the temporary file to write to, with the suffix of `path`.
    Raises:
        OSError: If it cannot be written; names `path`, and the old file is unchanged.
    Example:
        >>> path = getfixture("tmp_path") / "notes.txt"
        >>> with atomic_write(path) as unfinished:
        ...     _ = unfinished.write_text("all of it")
        >>> path.read_text()
        'all of it'
    """
    path = pathlib.Path(os.path.realpath(path))
    sweep(path.parent)
    # Unique to this thread: two threads may write the same file, and the last one wins.
    stem = path.stem.encode()[:LONGEST_STEM].decode(errors="ignore")
    unfinished = path.with_name(f".{stem}.{_writer()}.unfinished{path.suffix}")
    try:
        yield unfinished
        with open(unfinished, "rb+") as stream:
            os.fsync(stream.fileno())
        os.replace(unfinished, path)
    except OSError as error:
        if error.errno is None:
            raise
        # When a disk is full, the system does not name the file.
        raise OSError(error.errno, error.strerror, str(path)) from None
    finally:
        unfinished.unlink(missing_ok=True)
    folder = os.open(path.parent, os.O_RDONLY)
    try:
        os.fsync(folder)  # otherwise a power failure may undo the renaming
    finally:
        os.close(folder)


def is_unfinished(path: str | os.PathLike[str]) -> bool:
    """Whether a file is a temporary one that an interrupted `atomic_write` left."""
    return bool(UNFINISHED.fullmatch(pathlib.Path(path).name))


def sweep(folder: str | os.PathLike[str]) -> None:
    """Removes the temporary files of stopped processes from a folder.

    Args:
        folder: The folder; nothing happens if it cannot be read.
    """
    with contextlib.suppress(OSError), os.scandir(folder) as entries:
        for entry in entries:
            found = UNFINISHED.fullmatch(entry.name)
            if found and _is_abandoned(entry.stat(), *found.groups()[:3]):
                with contextlib.suppress(OSError):
                    os.unlink(entry.path)


@contextlib.contextmanager
def temporary_folder(
    place: str | os.PathLike[str] | None = None,
) -> Iterator[pathlib.Path]:
    """Makes a folder that is removed at the end of a `with` block. Folders that stopped
    processes left in the same place are removed first.

    Args:
        place: Where; the system's folder for temporary files if None.
    Yields:
        Path of the folder.
    Raises:
        OSError: If it cannot be made.
    """
    sweep_temporary_folders(place)
    with tempfile.TemporaryDirectory(prefix=f"{_writer()}-", dir=place) as folder:
        yield pathlib.Path(folder)


def sweep_temporary_folders(place: str | os.PathLike[str] | None = None) -> None:
    """Removes the folders that stopped processes left, see `temporary_folder`."""
    place = tempfile.gettempdir() if place is None else place
    with contextlib.suppress(OSError), os.scandir(place) as entries:
        for entry in entries:
            found = FOLDER.fullmatch(entry.name)
            if found and _is_abandoned(entry.stat(), *found.groups()):
                shutil.rmtree(entry.path, ignore_errors=True)


def _writer() -> str:
    """This machine, process and thread, for the name of a file."""
    return f"memnets-{_machine()}-{os.getpid()}-{threading.get_ident()}"


def _machine() -> str:
    """This machine, and the container in it: both number processes of their own."""
    container = ""
    with contextlib.suppress(OSError):  # not on Linux
        container = os.readlink("/proc/self/ns/pid")
    return hashlib.sha256(f"{platform.node()} {container}".encode()).hexdigest()[:16]


def _is_abandoned(
    status: os.stat_result, machine: str, process: str, thread: str
) -> bool:
    """Whether the writer of a file with a status does not write any more."""
    if machine != _machine():
        # The age of its file is all that is known of a process on another machine.
        return time.time() - status.st_mtime > LONGEST_WRITE
    if int(process) == os.getpid():
        return int(thread) not in {one.ident for one in threading.enumerate()}
    try:
        os.kill(int(process), 0)  # 0: only asks whether it is there
    except (ProcessLookupError, OverflowError):
        return True
    except OSError:  # of another user
        return False
    return False
