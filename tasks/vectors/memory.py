"""A limit of memory, and arrays of pairs that move to a file when they reach it."""

import contextlib
import os
import re
import tempfile
from collections.abc import Iterator
from typing import IO, TYPE_CHECKING, Any

import numpy as np

from ..checks import check_integer, shorten

if TYPE_CHECKING:
    from numpy.typing import DTypeLike

UNITS = {"": 1, "K": 10**3, "M": 10**6, "G": 10**9, "T": 10**12}
SMALLEST = 10**6
# A text with its places, and the pairs counted in it, take one part of the memory each,
# tiles take two.
SHARE = 4


def bytes_of(memory: int | str) -> int:
    """A limit of memory in bytes.

    Args:
        memory: Bytes, or a string such as `"500MB"` or `"2GB"`.
    Raises:
        ValueError: If it is neither, or less than a megabyte.
    """
    found = isinstance(memory, str) and re.fullmatch(
        r"\s*(\d+(?:\.\d+)?)\s*([KMGT]?)B?\s*", memory.upper()
    )
    if found:
        memory = int(float(found[1]) * UNITS[found[2]])
    elif isinstance(memory, str):
        raise ValueError(
            '`memory` must be a number of bytes or a string such as "2GB". '
            f"Received: memory={shorten(memory)}"
        )
    return check_integer("memory", memory, SMALLEST)


class PairArrays:
    """Columns and values of pairs, appended in pieces.

    The arrays move to a temporary file without a name when they become too large. The
    system removes that file when the process ends, however it ends.

    Args:
        limit: Bytes that may lie in memory.
    """

    BYTES = 8  # of a pair

    def __init__(self, limit: int) -> None:
        self._limit = limit
        self._size = 0
        self._arrays = [np.empty(0, np.int32), np.empty(0, np.float32)]
        self._files: list[Any] = []

    def append(self, columns: np.ndarray, values: np.ndarray) -> None:
        """Appends copies of int32 columns and float32 values."""
        size = self._size + len(columns)
        if not self._files and size * self.BYTES > self._limit:
            with _place_named():
                self._files = [tempfile.TemporaryFile() for _ in self._arrays]
                for file, array in zip(self._files, self._arrays, strict=True):
                    array[: self._size].tofile(file)
            self._arrays = []
        with _place_named():
            for file, piece in zip(self._files, (columns, values), strict=False):
                piece.tofile(file)
        for array, piece in zip(self._arrays, (columns, values), strict=False):
            if size > len(array):
                array.resize(size + size // 2, refcheck=False)
            array[self._size : size] = piece
        self._size = size

    def finished(self) -> tuple[np.ndarray, np.ndarray]:
        """The columns and the values; nothing can be appended afterwards."""
        if self._files:
            kinds = (np.int32, np.float32)
            columns, values = (
                mapped(file, kind, self._size)
                for file, kind in zip(self._files, kinds, strict=True)
            )
            return columns, values
        for array in self._arrays:
            array.resize(self._size, refcheck=False)
        columns, values = self._arrays
        return columns, values


def mapped(file: IO[bytes], dtype: "DTypeLike", size: int) -> np.ndarray:
    """The content of a file as an array that the system reads when needed; the file is
    closed."""
    with file:
        file.flush()
        return np.memmap(file, dtype, "r+", shape=(size,))


def empty(dtype: "DTypeLike", size: int, limit: int) -> np.ndarray:
    """An array, in memory if it takes at most `limit` bytes, else in a temporary
    file."""
    count = size * np.dtype(dtype).itemsize
    if count <= limit or not size:
        return np.empty(size, dtype)
    with _place_named(), contextlib.ExitStack() as stack:
        file = stack.enter_context(tempfile.TemporaryFile())
        # Room that is only promised would end the process when the disk is full.
        os.posix_fallocate(file.fileno(), 0, count)
        return mapped(file, dtype, size)


@contextlib.contextmanager
def _place_named() -> Iterator[None]:
    """An error of the system within names the folder of temporary files."""
    try:
        yield
    except OSError as error:
        place = tempfile.gettempdir()
        raise OSError(
            f"Temporary files cannot be written in {place}: "
            f"{error.strerror or error}. More `memory`, or another folder in the "
            "environment variable TMPDIR, may help."
        ) from error
