"""Files that are there whole or not at all."""

import contextlib
import os
import pathlib
import re
import threading

UNFINISHED = re.compile(r"\..+\.\d+-\d+\.unfinished(\.\w+)?")


@contextlib.contextmanager
def atomic_write(path):
    """Writes a file beside `path`, which takes its place when it is on disk.

    Whoever reads `path` finds the old file or the new one, also after the process was
    killed or the power failed.

    Args:
        path: The file to write.
    Yields:
        Path to write to, with the suffix of `path`.
    Raises:
        OSError: If it cannot be written; the old file is as it was.
    """
    path = pathlib.Path(path)
    suffix = path.suffix
    # Of this thread: two may write the same file, and the last of them remains.
    writer = f"{os.getpid()}-{threading.get_ident()}"
    unfinished = path.with_name(f".{path.stem}.{writer}.unfinished{suffix}")
    try:
        yield unfinished
        with open(unfinished, "rb+") as stream:
            os.fsync(stream.fileno())
        os.replace(unfinished, path)
    finally:
        unfinished.unlink(missing_ok=True)
    folder = os.open(path.parent, os.O_RDONLY)
    try:
        os.fsync(folder)  # or the new name may be lost
    finally:
        os.close(folder)


def is_unfinished(path) -> bool:
    """Whether a file is one that `atomic_write` did not finish."""
    return bool(UNFINISHED.fullmatch(pathlib.Path(path).name))
