"""Languages whose words count: after enough symbols, the rest of a word is certain."""

import dataclasses
import re
from typing import NamedTuple

import numpy as np

from ..checks import check_choice
from ..contract.batch_checks import check_sequence
from ..contract.symbol_presentation import BLANK
from .strings import StringTask

# Comes after the last symbol of a word.
END = "."


class Pattern(NamedTuple):
    """The words of a language.

    Attributes:
        form: How they are written.
        counts: How often each symbol is repeated, as multiples of the number n; for
            words of n and m, of their sum, without the symbols that share it.
        has_two_numbers: Whether a word begins with n times a and m times b.
    """

    form: str
    counts: tuple[int, ...]
    has_two_numbers: bool = False


PATTERNS = {
    "anbn": Pattern("a^n b^n", (1, 1)),
    "anbncn": Pattern("a^n b^n c^n", (1, 1, 1)),
    "anbncndn": Pattern("a^n b^n c^n d^n", (1, 1, 1, 1)),
    "anb2n": Pattern("a^n b^2n", (1, 2)),
    "anbmcnm": Pattern("a^n b^m c^(n+m)", (1, 1), has_two_numbers=True),
}


@dataclasses.dataclass(frozen=True)
class Counting(StringTask):
    """A word of a language that counts in, such as aaabbb; at each step its next symbol
    out, and a full stop after the last.

    Only symbols that are certain count: all from the second symbol of a kind on that
    depends on a number. How many symbols a begin the word is not known before. The
    length of a sequence is n, or n + m.

    Args:
        pattern: The language: anbn (a^n b^n), anbncn, anbncndn, anb2n (a^n b^2n) or
            anbmcnm (a^n b^m c^(n+m), n from 1 and m from 0).
        min_length: Smallest number.
        max_length: Largest number.
    Raises:
        ValueError: If a parameter is not a positive integer, `min_length >
            max_length`, or the pattern is unknown.
    Reference:
        Joulin, Mikolov (2015), Inferring Algorithmic Patterns with Stack-Augmented
        Recurrent Nets, arXiv:1503.01007, section 4.

        Deviation: there, words follow each other without an end. Here a sequence is one
        word, and its end is a symbol.
    """

    pattern: str = "anbncn"
    min_length: int = 1
    max_length: int = 19

    name = "counting"
    eval_factors = (1, 2, 3)

    def __post_init__(self) -> None:
        super().__post_init__()
        check_choice("pattern", self.pattern, PATTERNS)

    @property
    def input_names(self) -> tuple[str, ...]:
        pattern = PATTERNS[self.pattern]
        return tuple("abcd"[: len(pattern.counts) + pattern.has_two_numbers])

    @property
    def outputs(self) -> tuple[str, ...]:
        return (*self.input_names, END)

    def steps(self, length: int) -> int:
        return length * sum(PATTERNS[self.pattern].counts)

    def draw_string(self, length: int, rng: np.random.Generator) -> str:
        pattern = PATTERNS[self.pattern]
        if pattern.has_two_numbers:
            first = int(rng.integers(1, length + 1))
            return "a" * first + "b" * (length - first) + "c" * length
        return "".join(
            name * count * length
            for name, count in zip(self.input_names, pattern.counts, strict=True)
        )

    def answer(self, string: str) -> str:
        pattern, word = PATTERNS[self.pattern], string.rstrip(BLANK)
        known = self._known(word)
        repeats = [word.count(name) for name in self.input_names]
        number = repeats[0]
        expected = [count * number for count in pattern.counts]
        if pattern.has_two_numbers:
            number += repeats[1]
            expected = [*repeats[:2], number]
        is_word = number and repeats == expected and known is not None
        check_sequence(self, is_word, f"is no word of {pattern.form}: {word[:40]!r}")
        due = BLANK * (known or 0) + word[known or 0 :][1:] + END
        return due.ljust(len(string), BLANK)

    def _known(self, word: str) -> int | None:
        """The step from which on the next symbol is certain; None if symbols are not in
        order."""
        first, *others = self.input_names
        if PATTERNS[self.pattern].has_two_numbers:
            first, others = f"{first}+b", others[1:]
        found = re.fullmatch(
            f"({first}*)({''.join(name + '+' for name in others)})", word
        )
        return found and found.end(1)
