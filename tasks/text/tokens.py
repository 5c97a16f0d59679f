"""The tokens that every vocabulary of words or pieces begins with."""

from collections.abc import Iterable
from typing import Protocol, Self

from ..wording import counted

PAD, UNKNOWN, START, END = range(4)
SPECIAL = ("<pad>", "<unknown>", "<start>", "<end>")
# Tokens that are never written.
NEVER_WRITTEN = (PAD, UNKNOWN, START)

# Pairs of texts as tokens: those of a source and of its target.
TokenPair = tuple[list[int], list[int]]


class TokenVocabulary(Protocol):
    """A vocabulary of texts, `Words` or `Subwords`, that is learned from some."""

    @classmethod
    def learn(cls, lines: Iterable[str], size: int) -> Self:
        """The vocabulary of a text, with at most so many tokens."""

    @classmethod
    def of(cls, saved: str) -> Self:
        """The vocabulary that `saved` has described."""

    @property
    def saved(self) -> str:
        """The vocabulary as a string."""

    @property
    def size(self) -> int:
        """Number of tokens."""

    @property
    def words(self) -> list[str | None]:
        """The word of each token; None if it is not one."""

    def note_on_size(self, most: int) -> list[str]:
        """What is to be said of the size, if at most so many tokens were asked for."""

    def encode(self, line: str) -> list[int]:
        """The tokens of a line."""

    def decode(self, tokens: Iterable[int]) -> str:
        """The line of tokens, without those that every vocabulary begins with."""

    def shown(self, tokens: Iterable[int]) -> list[str]:
        """Each token by itself, to be looked at."""


class SavedVocabulary(str):
    """A vocabulary as a string, which is shown by its length: that of pieces is bytes
    of SentencePiece."""

    __slots__ = ()

    def __repr__(self) -> str:
        return f"<vocabulary of {counted(len(self), 'character')}>"


class SavedVocabularies(tuple[str, ...]):
    """Vocabularies as strings, each shown by its length."""

    __slots__ = ()

    def __repr__(self) -> str:
        return f"({', '.join(repr(SavedVocabulary(saved)) for saved in self)})"
