"""Two binary numbers and a separator: how they are drawn and read, and how numbers of
any size are written."""

import dataclasses
from collections.abc import Sequence
from typing import ClassVar

import numpy as np

from ...contract.batch_checks import check_sequence
from .protocol import END, ContextSensitiveTask

# Fewest symbols that have room for two numbers.
LEAST_PAIR = 3


@dataclasses.dataclass(frozen=True)
class NumberPairTask(ContextSensitiveTask):
    """Two binary numbers from 1 on, the lowest bit first, and a symbol between them; a
    number in, the lowest bit first and without zeros after its highest, and the end
    symbol out.

    All sizes of the first number are equally likely, and so are all numbers of a size.
    A string of 1 or 2 symbols is a single number, which may be 0.
    """

    answers = f"01{END}"
    least_length = LEAST_PAIR
    # What separates the numbers.
    separator: ClassVar[str]

    def draw_strings(
        self, count: int, length: int, rng: np.random.Generator
    ) -> np.ndarray:
        if length < LEAST_PAIR:
            return rng.integers(2, size=(count, length))
        split = rng.integers(1, length - 1, (count, 1))
        steps = np.arange(length)
        # Not 0: its bits are drawn again, and its size stays.
        strings = np.zeros((count, length), np.intp)
        missing = np.arange(count)
        while len(missing):
            strings[missing] = rng.integers(2, size=(len(missing), length))
            has_both = (strings & (steps < split)).any(axis=1)
            has_both &= (strings & (steps > split)).any(axis=1)
            missing = np.flatnonzero(~has_both)
        np.put_along_axis(strings, split, self.alphabet.index(self.separator), axis=1)
        return strings

    def numbers(self, strings: np.ndarray) -> list[tuple[int, int]]:
        """The two numbers of each string `(B, T)`, T from 3 on.

        Raises:
            ValueError: If there are not two.
        """
        is_separator = strings == self.alphabet.index(self.separator)
        split = is_separator.argmax(axis=1)
        is_pair = (is_separator.sum(axis=1) == 1).all()
        is_pair &= (split > 0).all() & (split < strings.shape[1] - 1).all()
        check_sequence(self, is_pair, f"has no two numbers beside {self.separator!r}")
        before = np.arange(strings.shape[1]) < split[:, None]
        firsts = to_integers((strings == 1) & before)
        rests = to_integers((strings == 1) & ~before)
        return [
            (first, rest >> skipped + 1)
            for first, rest, skipped in zip(firsts, rests, split.tolist(), strict=True)
        ]

    def check_bits(self, strings: np.ndarray) -> None:
        """Raises `ValueError` if a string of a single number has another symbol."""
        check_sequence(self, (strings < 2).all(), "is no single number")

    def written(self, numbers: Sequence[int], steps: int, least: int = 1) -> np.ndarray:
        """Numbers and the end symbol as codes `(B, steps)`, -1 after it.

        Args:
            numbers: The numbers.
            steps: Steps of an answer.
            least: Fewest digits of a number.
        """
        digits = np.array([max(least, number.bit_length()) for number in numbers])
        bits, place = to_bits(numbers, steps), np.arange(steps)
        end = np.where(place == digits[:, None], self.answers.index(END), -1)
        return np.where(place < digits[:, None], bits, end)


def to_integers(bits: np.ndarray) -> list[int]:
    """The numbers of bits `(B, n)`, the lowest first."""
    rows = np.packbits(bits, axis=1, bitorder="little")
    return [int.from_bytes(row.tobytes(), "little") for row in rows]


def to_bits(numbers: Sequence[int], count: int) -> np.ndarray:
    """The lowest bits of numbers, `(B, count)`, the lowest first."""
    size = max(-(-max(number.bit_length(), count) // 8) for number in numbers)
    joined = b"".join(number.to_bytes(size, "little") for number in numbers)
    rows = np.frombuffer(joined, np.uint8).reshape(len(numbers), size)
    return np.unpackbits(rows, axis=1, bitorder="little")[:, :count].astype(np.intp)
