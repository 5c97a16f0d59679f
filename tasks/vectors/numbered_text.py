"""The words of a text as numbers: the vocabulary, and the text in parts."""

import collections
import hashlib
import itertools
import warnings
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from ..plain_text import Path as Readable
from ..plain_text import name_of
from .text import LINE_END, words_of

# Numbers of words outside the vocabulary, which are left out, and of line ends.
UNKNOWN, END = -2, -1


class NumberedText:
    """The words of files, numbered by frequency; of equally frequent words, the first
    by alphabet comes first.

    Args:
        paths: The files, which are read twice if the text is long.
        min_count: Words that are rarer are left out.
        limit: Bytes of numbers that may be kept, so that the files are read only once.
        advance: Is called with the bytes that were read.
    Attributes:
        words: The vocabulary, V words.
        frequencies: How often each occurs, int64 `(V,)`.
        sha256: SHA-256 of the text.
    Raises:
        ValueError: If a file is not text, or the vocabulary is empty.
    """

    def __init__(
        self,
        paths: list[Readable],
        min_count: int,
        limit: int,
        advance: Callable[[int], Any],
    ) -> None:
        self._paths, self._advance = paths, advance
        # Numbers in the order of first occurrence: a missing word gets the next one.
        first: collections.defaultdict[str, int] = collections.defaultdict()
        first.default_factory = first.__len__
        counts = self._read(first, limit)
        if len(counts) == 1:
            raise ValueError("`files` must have at least one word. Received: none")
        for name in self._without_words:
            warnings.warn(f"{name} has no words.", stacklevel=3)
        ordered = sorted(
            (word for word in first if counts[first[word]] >= min_count),
            key=lambda word: (-counts[first[word]], word),
        )
        self.words = [word for word in ordered if word != LINE_END]
        if not self.words:
            raise ValueError(
                f"`min_count` must be at most {counts[1:].max()}, the count of the "
                f"most frequent word. Received: min_count={min_count}"
            )
        places = np.array([first[word] for word in self.words])
        self.frequencies = counts[places]
        self._numbers = np.full(len(first), UNKNOWN, np.int32)
        self._numbers[places] = np.arange(len(places))
        self._numbers[first[LINE_END]] = END

    def _read(self, first: dict[str, int], limit: int) -> np.ndarray:
        """Numbers the words; returns how often each occurs."""
        first[LINE_END]
        digest = hashlib.sha256()

        def seen(data: bytes) -> None:
            digest.update(data)
            self._advance(len(data))

        counts = np.zeros(1, np.int64)
        self._pieces: collections.deque[np.ndarray] | None = collections.deque()
        size = 0
        self._without_words = []
        for path in self._paths:
            has_words = False
            for block in words_of([path], seen):
                piece = np.fromiter(map(first.__getitem__, block), np.int32, len(block))
                counts.resize(len(first), refcheck=False)
                counts += np.bincount(piece, minlength=len(first))
                size += piece.nbytes
                has_words = has_words or bool(piece.any())  # 0 is the end of a line
                if size > limit:
                    self._pieces = None
                if self._pieces is not None:
                    self._pieces.append(piece)
            if not has_words:
                self._without_words.append(name_of(path))
        self.sha256 = digest.hexdigest()
        return counts

    def _numbered(self) -> Iterator[np.ndarray]:
        """The text as numbers, piece by piece."""
        if self._pieces is not None:
            while self._pieces:
                yield self._numbers[self._pieces.popleft()]
            return
        numbers = {word: number for number, word in enumerate(self.words)}
        numbers[LINE_END] = END
        for block in words_of(self._paths, lambda data: self._advance(len(data))):
            found = map(numbers.get, block, itertools.repeat(UNKNOWN))
            yield np.fromiter(found, np.int32, len(block))

    def parts(self, window: int, most: int) -> Iterator[tuple[np.ndarray, int]]:
        """The text as numbers, -1 at the end of a line, in parts. To be called once.

        Args:
            window: Words that a part repeats of those before it.
            most: Words of a part, without these.
        Yields:
            `(part, begin)`: the part's own words begin at `begin`.
        """
        pieces: list[np.ndarray] = []
        size, before = 0, np.empty(0, np.int32)
        for piece in self._numbered():
            pieces.append(piece[piece != UNKNOWN])
            size += len(pieces[-1])
            while size >= most:
                text = np.concatenate(pieces)
                part = np.concatenate([before, text[:most]])
                yield part, len(before)
                before = part[-window:]
                pieces, size = [text[most:]], size - most
        if size:
            yield np.concatenate([before, *pieces]), len(before)
