"""Pieces of words as tokens, learned by SentencePiece."""

import base64
import io
import re
import zlib
from collections.abc import Iterable
from typing import Any, Self

from ..checks import shorten
from .tokens import END, PAD, SPECIAL, START, UNKNOWN

# How SentencePiece writes the blank before a word.
BLANK = "\u2581"


def _sentencepiece() -> Any:
    try:
        import sentencepiece
    except ImportError:
        raise ValueError(
            "`unit` must be 'word', unless SentencePiece is installed: "
            "pip install 'memnets[text]'. Received: unit='piece'"
        ) from None
    return sentencepiece


def _possible(reason: str) -> str:
    """The sizes that a text allows, as SentencePiece names them."""
    if fewest := re.search(r"smaller than required_chars\. \d+ vs (\d+)", reason):
        return f"at least {fewest[1]} for this text"
    return f"one that the text allows: {shorten(reason.strip().splitlines()[-1])}"


class Subwords:
    """Byte-pair encoding: frequent words are one token, others several. A character
    that is in no piece is written as bytes, so that no text is unknown.

    Args:
        model: A SentencePiece model, as bytes.
    Raises:
        ValueError: If SentencePiece is not installed, or it is no such model.
    Reference:
        Sennrich, Haddow, Birch (2016), Neural Machine Translation of Rare Words with
        Subword Units.
    """

    def __init__(self, model: bytes) -> None:
        self._model = model
        try:
            self._pieces: Any = _sentencepiece().SentencePieceProcessor(
                model_proto=model
            )
        except RuntimeError as error:
            raise ValueError(
                f"`model` must be a SentencePiece model: {error}"
            ) from None

    @classmethod
    def learn(cls, lines: Iterable[str], size: int) -> Self:
        """Learns the pieces of a text.

        Args:
            lines: The text.
            size: Most tokens; fewer if the text is too short for so many.
        Raises:
            ValueError: If the text has more characters.
        """
        lines, model = list(lines), io.BytesIO()
        try:
            _sentencepiece().SentencePieceTrainer.train(
                sentence_iterator=iter(lines),
                model_writer=model,
                vocab_size=size,
                model_type="bpe",
                character_coverage=1.0,
                byte_fallback=True,
                # Text is kept as it is: normalising would change the references.
                normalization_rule_name="identity",
                # With more threads the file differs, though not the pieces.
                num_threads=1,
                pad_id=PAD,
                unk_id=UNKNOWN,
                bos_id=START,
                eos_id=END,
                minloglevel=2,
            )
        except RuntimeError as error:
            # SentencePiece could take the size as a bound, but its models, which runs
            # are recognised by, would differ for all texts.
            if most := re.search(r"set it to a value <= (\d+)", str(error)):
                return cls.learn(lines, int(most[1]))
            raise ValueError(
                f"`vocabulary_size` must be {_possible(str(error))}. "
                f"Received: vocabulary_size={size}"
            ) from None
        return cls(model.getvalue())

    @classmethod
    def of(cls, saved: str) -> Self:
        """The vocabulary that `saved` has described."""
        return cls(zlib.decompress(base64.b64decode(saved)))

    @property
    def saved(self) -> str:
        """The vocabulary as a string."""
        return base64.b64encode(zlib.compress(self._model, 9)).decode()

    @property
    def size(self) -> int:
        """Number of tokens."""
        return self._pieces.get_piece_size()

    def encode(self, line: str) -> list[int]:
        """The tokens of a line."""
        return self._pieces.encode(line)

    def decode(self, tokens: Iterable[int]) -> str:
        """The line of tokens, without those that every vocabulary begins with."""
        return self._pieces.decode([int(t) for t in tokens if t >= len(SPECIAL)])

    @property
    def words(self) -> list[str | None]:
        """The word of each token; None if it does not begin a word, or is a special
        one. A piece with a blank before it is taken for a word."""
        pieces = self.shown(range(self.size))
        return [piece[1:] if piece[:1] == BLANK else None for piece in pieces]

    def note_on_size(self, most: int) -> list[str]:
        """That there are fewer tokens than were asked for, if there are."""
        if self.size == most:
            return []
        return [
            f"The text allows {self.size:,} tokens, not {most:,} (`vocabulary_size`): "
            "it has no more pieces."
        ]

    def shown(self, tokens: Iterable[int]) -> list[str]:
        """Each token by itself, to be looked at; a blank is U+2581."""
        return [self._pieces.id_to_piece(int(token)) for token in tokens]
