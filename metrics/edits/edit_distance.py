"""Levenshtein distance and edit operations, with bit-parallel integer arithmetic.

Cell (i, j) of the matrix is the distance between the first i words of the hypothesis
and the first j words of the reference. Neighbouring cells differ by at most 1, so a row
is stored as the bits of a few Python integers, which have any size.

Reference:
    Myers (1999), A Fast Bit-Vector Algorithm for Approximate String Matching; Hyyrö
    (2003), A Bit-Vector Algorithm for Computing Levenshtein and Damerau Edit Distances.
"""

import collections
from collections.abc import Hashable, Iterable, Iterator, Sequence

Words = Sequence[Hashable]

# Rows that are stored together to find operations. Heuristic: a text of 100,000 words
# or characters then takes 50 MB.
BLOCK = 2048

_BITS_SET = bytes(byte.bit_count() for byte in range(256))


class EditDistance:
    """Levenshtein distances to one reference.

    Args:
        reference: A sequence of words or of other hashable objects. A string is
            a sequence of characters.
    Example:
        >>> to_sitting = EditDistance("sitting")
        >>> to_sitting.distance("kitten")
        3
        >>> to_sitting.operations("kitten")
        'S===S=D'
    """

    def __init__(self, reference: Words) -> None:
        self.reference = reference
        # Bit j of an integer: word j of the reference is this word.
        self._positions: dict[Hashable, int] = {}
        for index, word in enumerate(reference):
            self._positions[word] = self._positions.get(word, 0) | 1 << index

    def distance(self, hypothesis: Words) -> int:
        """The smallest number of substitutions, insertions and deletions."""
        full = (1 << len(self.reference)) - 1
        plus, minus = full, 0
        equal = (self._positions.get(word, 0) for word in hypothesis)
        for _, _, plus, minus in _rows(equal, 1, full, full, 0):  # noqa: B007
            pass
        return len(hypothesis) + plus.bit_count() - minus.bit_count()

    def distances(self, hypotheses: Sequence[Words]) -> list[int]:
        """The distances of several hypotheses of the same length, in one pass.

        Each hypothesis has a lane of whole bytes in the integers. Each lane has a spare
        bit for the carry of the addition.
        """
        size = len(self.reference) // 8 + 1
        lanes = collections.defaultdict(lambda: bytes(size))
        for word, positions in self._positions.items():
            lanes[word] = positions.to_bytes(size, "little")
        equal = (
            int.from_bytes(b"".join(map(lanes.__getitem__, words)), "little")
            for words in zip(*hypotheses, strict=True)
        )
        first = int.from_bytes((b"\1" + bytes(size - 1)) * len(hypotheses), "little")
        full = first * ((1 << len(self.reference)) - 1)
        plus, minus = full, 0
        for _, _, plus, minus in _rows(equal, first, full, full, 0):  # noqa: B007
            pass
        more, less = (
            integer.to_bytes(size * len(hypotheses), "little").translate(_BITS_SET)
            for integer in (plus, minus)
        )
        return [
            len(hypotheses[0]) + sum(more[at : at + size]) - sum(less[at : at + size])
            for at in range(0, len(more), size)
        ]

    def operations(self, hypothesis: Words) -> str:
        """The smallest number of operations that turn a hypothesis into the reference.

        "=" keeps a word, "S" substitutes it, "I" removes an inserted word, "D" adds
        a deleted word. Among solutions of the same size, the operations are chosen from
        the end: "=" and "S" are preferred to "I", and "I" to "D".
        """
        equal = [self._positions.get(word, 0) for word in hypothesis]
        rows = self._rows_backwards(equal)
        row, num_rows = next(rows, None), len(equal)
        column = 1 << len(self.reference) >> 1
        operations = []
        while row and column:
            equals, as_diagonal, below = row
            if equals & column:
                operation = "="
            elif not as_diagonal & column:
                operation = "S"
            else:
                operation = "I" if below & column else "D"
            operations.append(operation)
            if operation != "D":
                row, num_rows = next(rows, None), num_rows - 1
            if operation != "I":
                column >>= 1
        operations.append("I" * num_rows + "D" * column.bit_length())
        return "".join(reversed(operations))

    def _rows_backwards(self, equal) -> Iterator[tuple[int, int, int]]:
        """Equal words and the first two integers of `_rows`, from the last row to the
        first.

        The rows of two long texts do not fit in memory. So they are computed twice:
        once to find the first row of each block, then block by block from the end.
        """
        full = (1 << len(self.reference)) - 1
        starts = [(full, 0)]
        for start in range(0, len(equal) - BLOCK, BLOCK):
            plus, minus = starts[-1]
            for row in _rows(equal[start : start + BLOCK], 1, full, plus, minus):
                _, _, plus, minus = row
            starts.append((plus, minus))
        for number, (plus, minus) in reversed(list(enumerate(starts))):
            block = equal[number * BLOCK : (number + 1) * BLOCK]
            rows = _rows(block, 1, full, plus, minus)
            found = [(e, *row[:2]) for e, row in zip(block, rows, strict=True)]
            yield from reversed(found)


def _rows(
    equal: Iterable[int], first: int, full: int, plus: int, minus: int
) -> Iterator[tuple[int, int, int, int]]:
    """The rows of the matrix after a given row, four integers each.

    Bit j - 1 of the four integers of row i tells whether cell (i, j)
    - equals cell (i - 1, j - 1),
    - is cell (i - 1, j) plus 1,
    - is cell (i, j - 1) plus 1,
    - is cell (i, j - 1) minus 1.

    Args:
        equal: For each word of the hypothesis an integer. Bit j - 1 tells whether it
            equals word j of the reference.
        first: Bit 0 of each lane.
        full: All bits of all lanes.
        plus, minus: The last two integers of the given row. They are `full` and 0 for
            the first row of the matrix.
    """
    for positions in equal:
        diagonal = ((((positions & plus) + plus) ^ plus) | positions | minus) & full
        below = minus | (full ^ (diagonal | plus))
        above = (diagonal & plus) << 1 & full
        shifted = (below << 1 | first) & full
        plus, minus = above | (full ^ (diagonal | shifted)), diagonal & shifted
        yield diagonal, below, plus, minus
