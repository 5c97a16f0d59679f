"""Alignments of preset "1.5" of METEOR, by the compiled search where there is one."""

import array
import collections
import itertools
from collections.abc import Callable, Hashable, Iterable, Sequence

from ..word_cache import LIMIT
from . import native
from .beam_alignment import beam_alignment
from .matching import Candidate, Matcher


class BeamSearch:
    """The alignments that the program METEOR 1.5 finds.

    Args:
        matcher: What finds candidates.
        beam: States kept at each word.
    Example:
        >>> search = BeamSearch(Matcher(["exact"]), 40)
        >>> search(["the", "cat"], ["a", "cat"])
        [(1, 1, 1, 1, 0)]
    """

    def __init__(self, matcher: Matcher, beam: int):
        self.matcher = matcher
        self.beam = beam
        self._records = WordRecords(matcher.identifiers)
        self._num_stages = len(matcher.identifiers(""))

    def __call__(
        self, reference: Sequence[str], hypothesis: Sequence[str]
    ) -> list[Candidate]:
        """The chosen matches, by place in the reference."""
        if native.load() is None:
            candidates = self.matcher.candidates(reference, hypothesis)
            return beam_alignment(candidates, self.beam)
        # Between two texts only, and for other threads not at all: numbers are lost.
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
    """Word -> its records for `metrics.native.align`, made on first use.

    Args:
        identifiers: Function from a word to its identifiers for each stage.
    Example:
        >>> records = WordRecords(lambda word: [[word], word[:1]])
        >>> array.array("i", records["ab"]).tolist()
        [1, 0, 1, 1]
        >>> array.array("i", records["ac"]).tolist()
        [1, 2, 1, 1]
    """

    def __init__(self, identifiers: Callable[[str], list[Iterable[Hashable]]]):
        super().__init__()
        self._identifiers = identifiers
        # Counted by itself, so that two threads never give one number twice.
        self._numbers: dict[Hashable, int] = collections.defaultdict(
            itertools.count().__next__
        )

    def __missing__(self, word):
        record = array.array("i")
        for own in self._identifiers(word):
            numbers = sorted(self._numbers[identifier] for identifier in set(own))
            record.append(len(numbers))
            record.extend(numbers)
        value = self[word] = record.tobytes()
        return value

    def __reduce__(self):
        return WordRecords, (self._identifiers,)
