"""The compiled loops of counting and training, optional: NumPy does the same."""

import ctypes
import functools
import importlib.machinery
import os
import pathlib
from typing import Any

import numpy as np

LIBRARY = pathlib.Path(__file__).with_name(
    f"_vectors{importlib.machinery.EXTENSION_SUFFIXES[-1]}"
)


@functools.cache
def load() -> Any:
    """Loads the compiled library.

    Returns:
        A `ctypes.CDLL`. `None` if the library was not built (there was no C++
        compiler), cannot be loaded, or is switched off by `MEMNETS_NATIVE=0` in the
        environment.
    """
    if os.environ.get("MEMNETS_NATIVE") == "0":
        return None
    try:
        library = ctypes.CDLL(str(LIBRARY))
    except OSError:
        return None
    size, pointer, number = ctypes.c_int64, ctypes.c_void_p, ctypes.c_float
    library.memnets_glove_round.argtypes = [
        *(pointer, pointer, size, size, pointer, pointer, pointer, size),
        *(number, size, pointer),
    ]
    library.memnets_glove_round.restype = size
    library.memnets_order_places.argtypes = [pointer, size, size, pointer, pointer]
    library.memnets_order_places.restype = None
    library.memnets_count_rows.argtypes = [
        *(pointer, size, size, size, pointer, pointer, size, ctypes.c_int32),
        *(size, size, pointer, pointer, pointer, pointer, pointer),
    ]
    library.memnets_count_rows.restype = size
    return library


def status() -> str:
    """What counts and trains here, for the first line of a training."""
    if load() is not None:
        return "compiled library"
    return "NumPy, many times slower than the compiled library, which is not there"


def train_round(
    state: np.ndarray,
    width: int,
    cells: np.ndarray,
    firsts: np.ndarray,
    lasts: np.ndarray,
    *,
    rate: float,
    threads: int,
) -> tuple[np.ndarray, int]:
    """Trains on tiles that share no row and no column. It needs the library of `load`.

    Args:
        state: Of `glove.first_state`, `(2, V, stride)`; changed in place.
        width: Number of weights of a row, padding included.
        cells: Of `Tiles`.
        firsts: The first cell of each tile, int64.
        lasts: The cell after the last of each tile, int64.
        rate: The learning rate.
        threads: Number of threads. The result does not depend on it.
    Returns:
        `(costs, skipped)`: the cost of each tile, and the number of cells whose cost
        was not finite.
    """
    costs = np.zeros(len(firsts))
    skipped = load().memnets_glove_round(
        state[0].ctypes.data,
        state[1].ctypes.data,
        width,
        state.shape[-1],
        cells.ctypes.data,
        firsts.ctypes.data,
        lasts.ctypes.data,
        len(firsts),
        rate,
        threads,
        costs.ctypes.data,
    )
    return costs, skipped


class RowCounter:
    """Counts the pairs of words of a text, row by row. It needs the library of `load`.

    Args:
        words: The numbers of the words, int32; -1 at the end of a line.
        begin: Pairs are counted whose later word is at this place or after it.
        vocabulary_size: Number of different words, V.
        window: Largest distance of a pair.
        symmetric: Whether the words to the right count too.
    """

    # Pairs that are written at once: 32 MB.
    CAPACITY = 2**22

    def __init__(
        self,
        words: np.ndarray,
        begin: int,
        vocabulary_size: int,
        *,
        window: int,
        symmetric: bool,
    ) -> None:
        self.words = np.ascontiguousarray(words, np.int32)
        self.begin, self.size = begin, vocabulary_size
        self.window, self.symmetric = window, symmetric
        self.starts = np.empty(vocabulary_size + 1, np.int64)
        self.places = np.empty(len(words), np.int32)
        load().memnets_order_places(
            self.words.ctypes.data,
            len(words),
            vocabulary_size,
            self.starts.ctypes.data,
            self.places.ctypes.data,
        )
        self._sums = np.zeros(vocabulary_size)
        self._found = np.empty(vocabulary_size, np.int32)
        capacity = max(self.CAPACITY, vocabulary_size)
        self._columns = np.empty(capacity, np.int32)
        self._values = np.empty(capacity, np.float32)
        self._sizes = np.empty(vocabulary_size, np.int64)

    def rows(self, first: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """The pairs of some rows from `first` on.

        Returns:
            `(sizes, columns, values)`: how many pairs each row has, and the other word
            and the count of each pair. They are overwritten by the next call.
        """
        done = load().memnets_count_rows(
            self.words.ctypes.data,
            len(self.words),
            self.begin,
            self.size,
            self.starts.ctypes.data,
            self.places.ctypes.data,
            self.window,
            self.symmetric,
            first,
            len(self._columns),
            self._sums.ctypes.data,
            self._found.ctypes.data,
            self._columns.ctypes.data,
            self._values.ctypes.data,
            self._sizes.ctypes.data,
        )
        sizes = self._sizes[:done]
        pairs = int(sizes.sum())
        return sizes, self._columns[:pairs], self._values[:pairs]
