"""How often words occur near one another in a text: the matrix X of GloVe."""

import dataclasses
import itertools
from collections.abc import Callable, Iterable, Iterator
from typing import TYPE_CHECKING, Any

import numpy as np

from ..checks import check_boolean, check_integer
from ..plain_text import readable_again
from . import native
from .memory import SHARE, PairArrays, bytes_of
from .numbered_text import NumberedText
from .pair_counts import Rows, count_pairs, sums_of
from .text import Path, check_files

if TYPE_CHECKING:
    from numpy.typing import ArrayLike

# A word of a part takes its number, also in a piece of the text, its place, and a line
# end now and then.
WORD_BYTES = 16
# Places are 32-bit numbers, in a part and the window before it.
MAX_WINDOW = 2**20
MAX_PART = 2**31 - MAX_WINDOW


@dataclasses.dataclass(frozen=True)
class Cooccurrence:
    """The nonzero counts X_ij of words j in the context of words i, row by row.

    Attributes:
        words: The words, the most frequent first, V of them.
        frequencies: How often each occurs, int64 `(V,)`.
        starts: The pairs of word i are `starts[i]` to `starts[i + 1]`, int64
            `(V + 1,)`.
        columns: The other word of each pair, int32 `(pairs,)`.
        counts: The count of each pair, float32 `(pairs,)`.
        sha256: SHA-256 of the text.
    """

    words: list[str]
    frequencies: np.ndarray
    starts: np.ndarray
    columns: np.ndarray
    counts: np.ndarray
    sha256: str = ""

    def __len__(self) -> int:
        """Number of pairs."""
        return len(self.columns)

    def dense(self) -> np.ndarray:
        """The matrix X, `(V, V)`, for small vocabularies."""
        size = len(self.words)
        matrix = np.zeros((size, size), np.float32)
        rows = np.repeat(np.arange(size), np.diff(self.starts))
        matrix[rows, self.columns] = self.counts
        return matrix

    @classmethod
    def of(cls, words: Iterable[str], matrix: "ArrayLike") -> "Cooccurrence":
        """The nonzero counts of a matrix.

        Args:
            words: The words.
            matrix: X, `(V, V)`.
        Raises:
            ValueError: If the shape is another one, a count is negative or not finite,
                or a word is there twice.
        """
        names, dense = list(words), np.asarray(matrix, np.float32)
        if len(set(names)) < len(names):
            raise ValueError("`words` must be different words.")
        if dense.shape != (len(names), len(names)):
            raise ValueError(
                f"`matrix` must have the shape {(len(names), len(names))}, a row and a "
                f"column for each word. Received: shape {dense.shape}"
            )
        if not (np.isfinite(dense).all() and (dense >= 0).all()):
            raise ValueError("`matrix` must be finite counts of at least 0.")
        rows, columns = np.nonzero(dense)
        starts = np.searchsorted(rows, np.arange(len(names) + 1))
        frequencies = dense.sum(axis=1).astype(np.int64)
        counts = dense[rows, columns]
        return cls(names, frequencies, starts, columns.astype(np.int32), counts)


def count_cooccurrences(
    files: Path | Iterable[Path],
    window: int = 10,
    *,
    min_count: int = 5,
    symmetric: bool = True,
    memory: str | int = "2GB",
    advance: Callable[[int], Any] = lambda count: None,
) -> Cooccurrence:
    """Counts pairs of words at most `window` apart in a line, each with the weight
    1 / distance.

    Words outside the vocabulary are left out, and do not count as distance.

    Args:
        files: UTF-8 text, also gzipped, with blanks between words; also streams, or `-`
            for standard input.
        window: Largest distance of a pair.
        min_count: Words that are rarer are outside the vocabulary.
        symmetric: Whether the words to the right count too, or only those to the left.
        memory: About how much to use; more goes to temporary files.
        advance: Is called with the bytes of text that were read; a text that does not
            fit into memory is read twice.
    Raises:
        ValueError: If a file is not text, no word is frequent enough, no two words
            occur together, or an argument is out of range.
    Reference:
        Pennington, Socher, Manning (2014), GloVe, section 4.2; the program cooccur.c.
    Example:
        >>> path = getfixture("tmp_path") / "text"
        >>> _ = path.write_text("a b a")
        >>> count_cooccurrences(path, min_count=1).dense().tolist()
        [[1.0, 2.0], [2.0, 0.0]]
    """
    paths = check_files(files)
    check_integer("window", window, 1, MAX_WINDOW)
    check_integer("min_count", min_count)
    check_boolean("symmetric", symmetric)
    limit = bytes_of(memory) // SHARE
    with readable_again(paths) as readable:
        text = NumberedText(readable, min_count, limit, advance)
        words = text.words
        # NumPy sorts all pairs of a part, with their keys, counts and order.
        pair_bytes = 0 if native.load() else 32 * 2 * window
        most = min(MAX_PART, max(1, limit // (WORD_BYTES + pair_bytes)))
        runs: list[Rows] = []
        for part, begin in text.parts(window, most):
            counted = sum(len(columns) for _, columns, _ in runs) * PairArrays.BYTES
            left = max(0, limit - counted)
            runs.append(count_pairs(part, begin, len(words), window, symmetric, left))
    starts, columns, counts = _merged(runs, len(words), limit)
    if not len(columns):
        raise ValueError(
            "`files` must have lines with at least two words of the vocabulary. "
            f"Received: {len(words)} words, no two of them in a line"
        )
    return Cooccurrence(words, text.frequencies, starts, columns, counts, text.sha256)


def _merged(runs: list[Rows], size: int, limit: int) -> Rows:
    """The sums of the pairs of several parts."""
    if len(runs) == 1:
        return runs[0]
    merged, sizes = PairArrays(limit), np.zeros(size, np.int64)
    totals = np.sum([np.diff(starts) for starts, _, _ in runs], axis=0)
    # Rows are merged in groups of about so many pairs, each of some 40 bytes.
    ends = np.cumsum(totals) // max(1, limit // 40)
    for first, last in _groups(ends):
        keys, values = [], []
        for starts, columns, counts in runs:
            pairs = slice(starts[first], starts[last])
            rows = np.arange(first, last).repeat(np.diff(starts[first : last + 1]))
            keys.append(rows * size + columns[pairs])
            values.append(counts[pairs])
        cells, sums = sums_of(np.concatenate(keys), np.concatenate(values))
        sizes[first:last] = np.bincount(cells // size - first, minlength=last - first)
        merged.append((cells % size).astype(np.int32), sums.astype(np.float32))
    return (np.append(0, np.cumsum(sizes)), *merged.finished())


def _groups(numbers: np.ndarray) -> Iterator[tuple[int, int]]:
    """The beginnings and ends of runs of equal numbers."""
    edges = np.flatnonzero(np.diff(numbers)) + 1
    return itertools.pairwise([0, *edges.tolist(), len(numbers)])
