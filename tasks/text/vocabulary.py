"""The characters that a model of text knows, as tokens."""

import dataclasses
import math
from collections.abc import Iterable

import numpy as np

# The token of every character that is not in the vocabulary.
UNKNOWN = 0
# Stands for unknown characters in decoded text: U+FFFD of Unicode, made for this.
REPLACEMENT = "\ufffd"
# After these, the first of them that a text has, something new begins in it.
BEGINNINGS = "\n\r\u2029\u2028 \u3000"
# Code points of Unicode that are characters: 0 to 10FFFF without the surrogates.
CODE_POINTS = 0x110000 - 0x800


@dataclasses.dataclass(frozen=True)
class Vocabulary:
    """Characters and their tokens, numbered from 1; all others are the token 0.

    Args:
        characters: Every character once, in the order of Unicode.
    """

    characters: str

    @classmethod
    def of(cls, text: str) -> "Vocabulary":
        """The vocabulary of the characters of a text."""
        return cls("".join(sorted(set(text))))

    @property
    def size(self) -> int:
        """Number of tokens, the unknown one among them."""
        return len(self.characters) + 1

    @property
    def beginning(self) -> str:
        """What a text is begun with unless told otherwise: a line break, or else a
        blank, or else the first character that it has."""
        known = set(self.characters)
        return next((sign for sign in BEGINNINGS if sign in known), self.characters[:1])

    def encode(self, text: str) -> np.ndarray:
        """The tokens of a text, `(T,)`."""
        points, known = _code_points(text), _code_points(self.characters)
        places = np.searchsorted(known, points)
        is_known = np.append(known, 0)[places] == points
        return np.where(is_known, places + 1, UNKNOWN).astype(np.int32)

    def decode(self, tokens: Iterable[int]) -> str:
        """The text of tokens, with U+FFFD for the unknown one."""
        return "".join(
            REPLACEMENT if token == UNKNOWN else self.characters[token - 1]
            for token in tokens
        )

    def unknown(self, text: str) -> list[str]:
        """The characters of a text that are not in the vocabulary, each once."""
        return sorted(set(text) - set(self.characters))

    def with_unknown(self, values: np.ndarray, tokens: np.ndarray) -> np.ndarray:
        """Log-probabilities of characters from those of their tokens.

        All unknown characters have equal shares in the probability of their token, so
        that the probabilities of all characters of Unicode sum to one. An unknown
        character costs about 20 bits more than the token.
        """
        share = -math.log(CODE_POINTS - len(self.characters))
        return np.where(tokens == UNKNOWN, values + share, values)


def _code_points(text: str) -> np.ndarray:
    # Half a surrogate pair is no character, but may stand in a string of Python.
    return np.frombuffer(text.encode("utf-32-le", "surrogatepass"), np.uint32)
