"""Tercom's edit distance, which computes only a beam around the matrix' diagonal.

If few operations are enough, it equals Levenshtein's distance, which is much faster to
compute. The beam matters for long texts with little in common. It has the same cells as
sacreBLEU's.
"""

import math
from collections.abc import Iterator, Sequence

import numpy as np

from ..edit_distance import EditDistance

# Cells to the left of the diagonal; one less to its right. As in sacreBLEU.
BEAM_WIDTH = 25

# Larger than any distance.
_FAR = 10**9


class BeamEditDistance:
    """Edit distances to one reference, within the beam.

    Args:
        reference: Words.
    """

    def __init__(self, reference: Sequence[str]) -> None:
        self.reference = reference
        self._levenshtein = EditDistance(reference)

    def distances(
        self, texts: Sequence[Sequence[str]], below: float = math.inf
    ) -> list[int]:
        """The distances of texts of the same length.

        Distances of `below` or more are lower bounds, the others are exact.
        """
        distances = self._levenshtein.distances(texts)
        # The distance within the beam is never smaller than Levenshtein's.
        unsure = [
            index
            for index, distance in enumerate(distances)
            if distance < below and not self._is_within_beam(texts[index], distance)
        ]
        if unsure:
            rows = _rows([texts[index] for index in unsure], self.reference)
            for last in rows:  # noqa: B007
                pass  # keeps the last row only: all of them do not fit in memory
            for index, distance in zip(unsure, last[:, -1].tolist(), strict=True):
                distances[index] = distance
        return distances

    def operations(self, words: Sequence[str], distance: int) -> str:
        """As `EditDistance.operations`, for a text with this distance."""
        if self._is_within_beam(words, distance):
            return self._levenshtein.operations(words)
        rows = [row[0].tolist() for row in _rows([words], self.reference)]
        return _operations(rows, words, self.reference)

    def _is_within_beam(self, words: Sequence[str], distance: int) -> bool:
        """Whether the beam holds every path with this number of operations.

        Let n be the number of words, m that of the reference. A path through cell
        (i, j) inserts or deletes at least |j - i| words before the cell, and
        |(m - n) - (j - i)| words after it. So j differs from i m / n by at most
        (distance + |m - n|) / 2. Rounding adds 1.
        """
        excess = abs(len(self.reference) - len(words))
        return (
            distance + excess <= 2 * (BEAM_WIDTH - 2)
            or len(self.reference) < BEAM_WIDTH
        )


def _rows(
    texts: Sequence[Sequence[str]], reference: Sequence[str]
) -> Iterator[np.ndarray]:
    """Rows of the matrices of texts of the same length.

    Yields:
        Arrays `(texts, len(reference) + 2)`. The first column lies before the matrix.
        Cells outside the beam are `_FAR` or more.
    """
    numbers = {word: number for number, word in enumerate(reference)}
    words = np.array([[numbers.get(word, -1) for word in text] for text in texts])
    expected = np.array([-2, *map(numbers.__getitem__, reference)])
    row = np.full((len(texts), len(expected) + 1), _FAR)
    row[:, 1:] = np.arange(len(expected))
    yield row
    for index in range(words.shape[1]):
        start, stop = _beam(index + 1, words.shape[1], len(reference))
        columns = np.arange(start, stop)
        is_other = words[:, [index]] != expected[start:stop]
        substituted = row[:, start:stop] + is_other
        cells = np.minimum(substituted, row[:, start + 1 : stop + 1] + 1)
        row = np.full_like(row, _FAR)
        # The minimum over steps to the right, each of which costs 1.
        row[:, start + 1 : stop + 1] = columns + np.minimum.accumulate(
            cells - columns, axis=1
        )
        yield row


def _beam(index: int, num_words: int, num_reference: int) -> tuple[int, int]:
    """The first column of a row inside the beam, and the first column after it."""
    ratio = num_reference / num_words
    width = BEAM_WIDTH
    if BEAM_WIDTH < ratio / 2:  # so that the beams of two rows overlap
        width = math.ceil(ratio / 2 + BEAM_WIDTH)
    diagonal = math.floor(index * ratio)
    size = num_reference + 1
    stop = size if index == num_words else min(size, diagonal + width)
    return max(0, diagonal - width), stop


def _operations(
    rows: list[list[int]], words: Sequence[str], reference: Sequence[str]
) -> str:
    i, j = len(words), len(reference)
    operations = []
    while i or j:
        cell, above = rows[i][j + 1], rows[i - 1]
        is_other = not (i and j) or words[i - 1] != reference[j - 1]
        if i and j and cell == above[j] + is_other:
            operation = "S" if is_other else "="
        else:
            operation = "I" if i and cell == above[j + 1] + 1 else "D"
        operations.append(operation)
        i -= operation != "D"
        j -= operation != "I"
    return "".join(reversed(operations))
