"""Levenshtein distance and alignment, a row of the matrix in a few integer operations.

Cell (i, j) of the matrix is the distance of the first i words of the hypothesis to the
first j of the reference. Neighbours differ by at most 1, so that a row fits into the
bits of Python's integers, which have any size.

Reference:
    Myers (1999), A Fast Bit-Vector Algorithm for Approximate String Matching; Hyyrö
    (2003), A Bit-Vector Algorithm for Computing Levenshtein and Damerau Edit Distances.
"""

import collections
from collections.abc import Hashable, Iterable, Iterator, Sequence

Words = Sequence[Hashable]

# Rows kept at a time to find operations; chosen: a text of 100,000 words or characters
# takes 50 MB.
BLOCK = 2048

_BITS_SET = bytes(byte.bit_count() for byte in range(256))


class EditDistance:
    """Levenshtein distances to one reference.

    Args:
        reference: Words, or any other hashable things; a string is its characters.
    Example:
        >>> to_sitting = EditDistance("sitting")
        >>> to_sitting.distance("kitten")
        3
        >>> to_sitting.operations("kitten")
        'S===S=D'
    """

    def __init__(self, reference: Words):
        self.reference = reference
        self._places: dict[
            Hashable, int
        ] = {}  # bit j: the word is the reference's j-th
        for index, word in enumerate(reference):
            self._places[word] = self._places.get(word, 0) | 1 << index

    def distance(self, hypothesis: Words) -> int:
        """Fewest substitutions, insertions and deletions."""
        full = (1 << len(self.reference)) - 1
        plus, minus = full, 0
        equal = (self._places.get(word, 0) for word in hypothesis)
        for _, _, plus, minus in _rows(equal, 1, full, full, 0):  # noqa: B007
            pass
        return len(hypothesis) + plus.bit_count() - minus.bit_count()

    def distances(self, hypotheses: Sequence[Words]) -> list[int]:
        """The distances of hypotheses of one length, in one pass.

        Each hypothesis has a lane of whole bytes in the same integers, with a bit to
        spare for the carry of the addition.
        """
        size = len(self.reference) // 8 + 1
        lanes = collections.defaultdict(lambda: bytes(size))
        for word, places in self._places.items():
            lanes[word] = places.to_bytes(size, "little")
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
        """The fewest operations that turn a hypothesis into the reference.

        "=" keeps a word, "S" substitutes it, "I" takes it away as inserted, "D" puts in
        a deleted one. Where several are fewest, seen from the end "=" and "S" go before
        "I", and "I" before "D".
        """
        equal = [self._places.get(word, 0) for word in hypothesis]
        rows = self._rows_backwards(equal)
        row, num_rows = next(rows, None), len(equal)
        place = 1 << len(self.reference) >> 1
        operations = []
        while row and place:
            equals, as_diagonal, below = row
            if equals & place:
                operation = "="
            elif not as_diagonal & place:
                operation = "S"
            else:
                operation = "I" if below & place else "D"
            operations.append(operation)
            if operation != "D":
                row, num_rows = next(rows, None), num_rows - 1
            if operation != "I":
                place >>= 1
        operations.append("I" * num_rows + "D" * place.bit_length())
        return "".join(reversed(operations))

    def _rows_backwards(self, equal) -> Iterator[tuple[int, int, int]]:
        """What is equal, and two integers of `_rows`, from the last row to the first.

        The rows of two long texts fill the memory, so they are found once to know how
        each block of them starts, and again block by block from the end.
        """
        full = (1 << len(self.reference)) - 1
        starts = [(full, 0)]
        for start in range(0, len(equal) - BLOCK, BLOCK):
            plus, minus = starts[-1]
            for row in _rows(equal[start : start + BLOCK], 1, full, plus, minus):
                _, _, plus, minus = row
            starts.append((plus, minus))
        for number, (plus, minus) in reversed(list(enumerate(starts))):
            own = equal[number * BLOCK : (number + 1) * BLOCK]
            rows = _rows(own, 1, full, plus, minus)
            found = [(e, *row[:2]) for e, row in zip(own, rows, strict=True)]
            yield from reversed(found)


def _rows(
    equal: Iterable[int], first: int, full: int, plus: int, minus: int
) -> Iterator[tuple[int, int, int, int]]:
    """The rows of the matrix that follow one, as four integers each.

    Bit j - 1 of them says of cell (i, j): it is the same as (i - 1, j - 1); it is one
    more than (i - 1, j); one more than (i, j - 1); one less than (i, j - 1).

    Args:
        equal: For each word of the hypothesis, bit j - 1: it is the reference's j-th.
        first: Bit 0 of each lane.
        full: All bits of all lanes.
        plus, minus: The last two integers of the row before; of the first row all bits,
            and none.
    """
    for places in equal:
        diagonal = ((((places & plus) + plus) ^ plus) | places | minus) & full
        below = minus | (full ^ (diagonal | plus))
        above = (diagonal & plus) << 1 & full
        shifted = (below << 1 | first) & full
        plus, minus = above | (full ^ (diagonal | shifted)), diagonal & shifted
        yield diagonal, below, plus, minus
