"""The alignments of METEOR's preset "1.5", by the compiled search if it was built."""

import array
import collections
import itertools
from collections.abc import Callable, Hashable, Iterable
from typing import Any

from ..tokenizers.word_cache import LIMIT
from . import native
from .beam_alignment import beam_alignment
from .matching import Candidate, Matcher


class BeamSearch:
    """The alignments that the program METEOR 1.5 finds.

    Args:
        matcher: Finds the candidates.
        beam: Number of states that are kept at each word.
    Example:
        >>> search = BeamSearch(Matcher(["exact"]), 40)
        >>> search(["the", "cat"], ["a", "cat"])
        [(1, 1, 1, 1, 0)]
    """

    def __init__(self, matcher: Matcher, beam: int) -> None:
        self.matcher = matcher
        self.beam = beam
        self._records = WordRecords(matcher.identifiers)
        self._num_stages = len(matcher.identifiers(""))

    def __call__(self, reference: list[str], hypothesis: list[str]) -> list[Candidate]:
        """The chosen matches, ordered by their position in the reference."""
        if native.load() is None:
            candidates = self.matcher.candidates(reference, hypothesis)
            return beam_alignment(candidates, self.beam)
        # A new object, and only between two texts: the numbers of words change. Another
        # thread keeps the old object until its text is done.
        if len(self._records) > LIMIT:
            self._records = WordRecords(self.matcher.identifiers)
        record = self._records.__getitem__
        phrases = self.matcher.phrases(reference, hypothesis)
        return native.align(
            list(map(record, reference)),
            list(map(record, hypothesis)),
            b"".join(itertools.starmap(native.MATCH.pack, phrases)),
            num_stages=self._num_stages,
            beam=self.beam,
        )


class WordRecords(dict[str, bytes]):
    """A dictionary from words to their records for `native.align`, filled on first use.

    Args:
        identifiers: Function from a word to its identifiers in each stage.
    Example:
        >>> records = WordRecords(lambda word: [[word], word[:1]])
        >>> array.array("i", records["ab"]).tolist()
        [1, 0, 1, 1]
        >>> array.array("i", records["ac"]).tolist()
        [1, 2, 1, 1]
    """

    def __init__(self, identifiers: Callable[[str], list[Iterable[Hashable]]]) -> None:
        super().__init__()
        self._identifiers = identifiers
        # The counter is atomic, so two threads never give the same number.
        self._numbers: dict[Hashable, int] = collections.defaultdict(
            itertools.count().__next__
        )

    def __missing__(self, word: str) -> bytes:
        record = array.array("i")
        for identifiers in self._identifiers(word):
            numbers = sorted(
                self._numbers[identifier] for identifier in set(identifiers)
            )
            record.append(len(numbers))
            record.extend(numbers)
        value = self[word] = record.tobytes()
        return value

    def __reduce__(self) -> tuple[Any, ...]:
        return WordRecords, (self._identifiers,)
