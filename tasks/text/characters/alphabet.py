"""Characters as tokens."""

import dataclasses
from collections.abc import Iterable

from ...checks import shorten

# The token of steps that hold no character.
BLANK = 0


@dataclasses.dataclass(frozen=True)
class Alphabet:
    """Characters and their tokens, which are numbered from 1; 0 is blank.

    Args:
        characters: Every character once.
    """

    characters: str

    @property
    def size(self) -> int:
        """Number of tokens, the blank one among them."""
        return len(self.characters) + 1

    def tokens(self, text: str) -> list[int]:
        """The tokens of a text.

        Raises:
            ValueError: If it has a character that is not of this alphabet.
        """
        # `find` gives -1 for a character that is not there.
        tokens = [self.characters.find(character) + 1 for character in text]
        if BLANK in tokens:
            unknown = text[tokens.index(BLANK)]
            raise ValueError(
                f"`text` must have only the characters {self.characters!r}. "
                f"Received: {shorten(unknown)}"
            )
        return tokens

    def text(self, tokens: Iterable[int]) -> str:
        """The text of tokens; blank ones are left out."""
        return "".join(self.characters[token - 1] for token in tokens if token != BLANK)
