"""Tercom's edit distance, which sees only a beam of the matrix around its diagonal.

While few operations are enough it is Levenshtein's, which is found much faster. The
beam matters for long texts with little in common; it is sacreBLEU's, to the cell.
"""

import math
from collections.abc import Iterator, Sequence

import numpy as np

from ..edit_distance import EditDistance

# Cells to the left of the diagonal, one less to its right; as in sacreBLEU.
BEAM_WIDTH = 25

# More than any distance.
_FAR = 10**9


class BeamEditDistance:
    """Distances to one reference within the beam.

    Args:
        reference: Words.
    """

    def __init__(self, reference: Sequence[str]):
        self.reference = reference
        self._levenshtein = EditDistance(reference)

    def distances(
        self, texts: Sequence[Sequence[str]], below: float = math.inf
    ) -> list[int]:
        """The distances of texts of one length; exact if they are less than `below`."""
        distances = self._levenshtein.distances(texts)
        # The beam only adds to them.
        unsure = [
            index
            for index, distance in enumerate(distances)
            if distance < below and not self._is_within_beam(texts[index], distance)
        ]
        if unsure:
            rows = _rows([texts[index] for index in unsure], self.reference)
            for last in rows:  # noqa: B007
                pass  # to the last; together they fill the memory
            for index, distance in zip(unsure, last[:, -1].tolist(), strict=True):
                distances[index] = distance
        return distances

    def operations(self, words: Sequence[str], distance: int) -> str:
        """As `EditDistance.operations`, of a text with this distance."""
        if self._is_within_beam(words, distance):
            return self._levenshtein.operations(words)
        rows = [row[0].tolist() for row in _rows([words], self.reference)]
        return _operations(rows, words, self.reference)

    def _is_within_beam(self, words, distance):
        """Whether the beam holds every way of so few operations.

        A way through cell (i, j) puts in or takes away |j - i| words before it, and
        |(m - n) - (j - i)| after it, for n words and m of the reference. So j differs
        from i m / n by at most (distance + |m - n|) / 2; rounding adds 1.
        """
        excess = abs(len(self.reference) - len(words))
        return (
            distance + excess <= 2 * (BEAM_WIDTH - 2)
            or len(self.reference) < BEAM_WIDTH
        )


def _rows(texts, reference) -> Iterator[np.ndarray]:
    """Rows of the matrices of texts of one length, `(texts, len(reference) + 2)`.

    The first column lies before the matrix. Cells outside the beam are `_FAR` or more.
    """
    numbers = {word: number for number, word in enumerate(reference)}
    own = np.array([[numbers.get(word, -1) for word in words] for words in texts])
    other = np.array([-2, *map(numbers.__getitem__, reference)])
    row = np.full((len(texts), len(other) + 1), _FAR)
    row[:, 1:] = np.arange(len(other))
    yield row
    for index in range(own.shape[1]):
        start, stop = _beam(index + 1, own.shape[1], len(reference))
        columns = np.arange(start, stop)
        substituted = row[:, start:stop] + (own[:, [index]] != other[start:stop])
        cells = np.minimum(substituted, row[:, start + 1 : stop + 1] + 1)
        row = np.full_like(row, _FAR)
        # A step to the right costs 1 too.
        row[:, start + 1 : stop + 1] = columns + np.minimum.accumulate(
            cells - columns, axis=1
        )
        yield row


def _beam(index, num_words, num_reference):
    """First column of a row that is within the beam, and the first one after it."""
    ratio = num_reference / num_words
    width = BEAM_WIDTH
    if BEAM_WIDTH < ratio / 2:  # or the beams of two rows would not meet
        width = math.ceil(ratio / 2 + BEAM_WIDTH)
    diagonal = math.floor(index * ratio)
    size = num_reference + 1
    stop = size if index == num_words else min(size, diagonal + width)
    return max(0, diagonal - width), stop


def _operations(rows, words, reference):
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
