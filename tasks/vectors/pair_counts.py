"""Counts of pairs of words in a text of numbers, compiled or with NumPy."""

import numpy as np

from . import native
from .memory import PairArrays

# The rows of a matrix: where each begins, the columns, the values.
Rows = tuple[np.ndarray, np.ndarray, np.ndarray]


def count_pairs(
    words: np.ndarray,
    begin: int,
    vocabulary_size: int,
    window: int,
    symmetric: bool,
    limit: int,
) -> Rows:
    """Counts pairs, each with the weight 1 / distance.

    Args:
        words: The numbers of the words, int32; -1 at the end of a line.
        begin: Pairs are counted whose later word is at this place or after it.
        vocabulary_size: Number of different words, V.
        window: Largest distance of a pair.
        symmetric: Whether a word is also in the context of those to its left.
        limit: Bytes of pairs that may lie in memory.
    Returns:
        `(starts, columns, counts)`, as those of `Cooccurrence`.
    """
    pairs = PairArrays(limit)
    if native.load() is None:
        starts, columns, counts = _with_numpy(
            words, begin, vocabulary_size, window, symmetric
        )
        pairs.append(columns, counts)
        return (starts, *pairs.finished())
    counter = native.RowCounter(
        words, begin, vocabulary_size, window=window, symmetric=symmetric
    )
    row = 0
    starts = np.zeros(vocabulary_size + 1, np.int64)
    while row < vocabulary_size:
        sizes, columns, counts = counter.rows(row)
        starts[row + 1 : row + 1 + len(sizes)] = sizes
        pairs.append(columns, counts)
        row += len(sizes)
    return (np.cumsum(starts), *pairs.finished())


def _with_numpy(
    words: np.ndarray, begin: int, size: int, window: int, symmetric: bool
) -> Rows:
    lines = np.cumsum(words < 0)
    keys, weights = [np.empty(0, np.int64)], [np.empty(0)]
    for distance in range(1, min(window, len(words) - 1) + 1):
        # From the first pair on whose later word is at `begin`.
        first = max(0, begin - distance)
        earlier, later = words[first:-distance], words[first + distance :]
        # A line end belongs to the line after it: it is never in a line with a word
        # before it, and is left out where it is the earlier one.
        same = lines[first:-distance] == lines[first + distance :]
        same &= earlier >= 0
        earlier, later = earlier[same].astype(np.int64), later[same].astype(np.int64)
        found = [later * size + earlier]
        if symmetric:
            found.append(earlier * size + later)
        keys += found
        weights += [np.full(len(part), 1 / distance) for part in found]
    cells, sums = sums_of(np.concatenate(keys), np.concatenate(weights))
    starts = np.searchsorted(cells, np.arange(size + 1) * size)
    return starts, (cells % size).astype(np.int32), sums.astype(np.float32)


def sums_of(keys: np.ndarray, values: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Sums of values with the same key.

    Args:
        keys: int64 `(n,)`.
        values: `(n,)`.
    Returns:
        `(keys, sums)`, each key once and sorted; the sums are float64.
    """
    order = np.argsort(keys, kind="stable")
    ordered = keys[order]
    firsts = np.flatnonzero(np.diff(ordered, prepend=-1))
    if not len(firsts):
        return ordered, np.empty(0)
    return ordered[firsts], np.add.reduceat(values[order].astype(float), firsts)
