"""Files that are written completely or not at all."""

import contextlib
import os
import pathlib
import re
import threading
from collections.abc import Iterator

UNFINISHED = re.compile(r"\..+\.\d+-\d+\.unfinished(\.\w+)?")


@contextlib.contextmanager
def atomic_write(path: str | os.PathLike[str]) -> Iterator[pathlib.Path]:
    """Writes a temporary file beside `path` and renames it when it is on disk.

    A reader of `path` finds the old file or the new one, even after the process was
    killed or the power failed.

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
    path = pathlib.Path(path)
    suffix = path.suffix
    # Unique to this thread: two threads may write the same file, and the last one wins.
    writer = f"{os.getpid()}-{threading.get_ident()}"
    unfinished = path.with_name(f".{path.stem}.{writer}.unfinished{suffix}")
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
