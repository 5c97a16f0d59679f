"""Words as tokens."""

import collections
import json
from collections.abc import Iterable
from typing import Self

from .tokens import SPECIAL, UNKNOWN


class Words:
    """The words of a text, parted by blanks, as tokens; all others are one token.

    Args:
        words: Every word once.
    """

    def __init__(self, words: Iterable[str]) -> None:
        self._words = [*SPECIAL, *words]
        # Without the special ones: a text may hold words that are written like them.
        learned = self._words[len(SPECIAL) :]
        self._tokens = {w: token for token, w in enumerate(learned, len(SPECIAL))}

    @classmethod
    def learn(cls, lines: Iterable[str], size: int) -> Self:
        """The most frequent words of a text; of equally frequent ones, the first by
        alphabet.

        Args:
            lines: The text.
            size: Most tokens.
        """
        counts = collections.Counter(word for line in lines for word in line.split())
        ordered = sorted(counts, key=lambda word: (-counts[word], word))
        return cls(ordered[: max(0, size - len(SPECIAL))])

    @classmethod
    def of(cls, saved: str) -> Self:
        """The vocabulary that `saved` has described."""
        return cls(json.loads(saved))

    @property
    def saved(self) -> str:
        """The vocabulary as a string."""
        return json.dumps(self._words[len(SPECIAL) :], ensure_ascii=False)

    @property
    def size(self) -> int:
        """Number of tokens."""
        return len(self._words)

    def encode(self, line: str) -> list[int]:
        """The tokens of a line."""
        return [self._tokens.get(word, UNKNOWN) for word in line.split()]

    def decode(self, tokens: Iterable[int]) -> str:
        """The line of tokens, without those that every vocabulary begins with."""
        return " ".join(self._words[int(t)] for t in tokens if t >= len(SPECIAL))

    @property
    def words(self) -> list[str | None]:
        """The word of each token; None for the special ones."""
        return [*[None] * len(SPECIAL), *self._words[len(SPECIAL) :]]

    def note_on_size(self, most: int) -> list[str]:
        """Nothing: that a text has fewer words than the most is usual."""
        return []

    def shown(self, tokens: Iterable[int]) -> list[str]:
        """Each token by itself, to be looked at."""
        return [self._words[int(token)] for token in tokens]
