"""Files that are written completely or not at all, and what stopped writers leave."""

import contextlib
import os
import pathlib
import platform
import re
import shutil
import tempfile
import threading
import time
from collections.abc import Iterator

# The name of a temporary file says who writes it. Earlier versions named no machine.
UNFINISHED = re.compile(r"\..+\.(?:(\w+)-)?(\d+)-(\d+)\.unfinished(\.\w+)?")
FOLDER = re.compile(r"memnets-(\w+)-(\d+)-(\d+)-\w+")
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
    unfinished = path.with_name(f".{path.stem}.{_writer()}.unfinished{path.suffix}")
    try:
        yield unfinished
        with open(unfinished, "rb+") as stream:
            os.fsync(stream.fileno())
        os.replace(unfinished, path)
    except OSError as error:
        if error.errno is not None:  # of a full disk the system does not name the file
            error.filename, error.filename2 = str(path), None
        raise
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
            if found and _is_abandoned(entry, *found.groups()[:3]):
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
    place = tempfile.gettempdir() if place is None else place
    with contextlib.suppress(OSError), os.scandir(place) as entries:
        for entry in entries:
            found = FOLDER.fullmatch(entry.name)
            if found and _is_abandoned(entry, *found.groups()):
                shutil.rmtree(entry.path, ignore_errors=True)
    prefix = f"memnets-{_writer()}-"
    with tempfile.TemporaryDirectory(prefix=prefix, dir=place) as folder:
        yield pathlib.Path(folder)


def _writer():
    """This machine, process and thread, for the name of a file."""
    return f"{_machine()}-{os.getpid()}-{threading.get_ident()}"


def _machine():
    return re.sub(r"\W", "_", platform.node())[:32] or "localhost"


def _is_abandoned(entry, machine, process, thread):
    """Whether the writer that the name of a file says does not write any more."""
    if machine not in (None, _machine()):
        # Of processes elsewhere only the age of their file is known.
        with contextlib.suppress(OSError):
            return time.time() - entry.stat().st_mtime > LONGEST_WRITE
        return False
    if int(process) == os.getpid():
        return int(thread) not in {one.ident for one in threading.enumerate()}
    try:
        os.kill(int(process), 0)  # 0: only asks whether it is there
    except (ProcessLookupError, OverflowError):
        return True
    except OSError:  # of another user
        return False
    return False
