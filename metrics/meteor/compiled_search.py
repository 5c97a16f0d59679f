"""The alignments of METEOR by the compiled searches, if they were built."""

import array
import collections
import itertools
from collections.abc import Callable, Hashable, Iterable
from typing import Any

from ..tokenizers.word_cache import LIMIT
from . import native
from .matching import Candidate, Matcher
from .minimal_alignment import MAX_WIDTH

# What is known of a word: its identifiers in each stage, and its size and whether it is
# a function word.
Identify = Callable[[str], list[Iterable[Hashable]]]
Weigh = Callable[[str], tuple[int, bool]]


class CompiledSearch:
    """The alignments, or their statistics only, by the compiled searches.

    Args:
        matcher: Finds the candidates.
        weigh: Function from a word to its size and whether it is a function word.
        beam: Number of states that the search of the program METEOR 1.5 keeps at each
            word. `None` means the search for the fewest chunks.
    Example:
        >>> search = CompiledSearch(Matcher(["exact"]), lambda word: (1, False), 40)
        >>> search.matches(["the", "cat"], ["a", "cat"]) if native.load() else 0
        ([(1, 1, 1, 1, 0)], False)
    """

    def __init__(self, matcher: Matcher, weigh: Weigh, beam: int | None) -> None:
        self._matcher = matcher
        self._weigh = weigh
        self._beam = beam
        self._records = WordRecords(matcher.identifiers, weigh)
        self._num_stages = len(matcher.identifiers(""))

    def matches(
        self, reference: list[str], hypothesis: list[str], width: int = MAX_WIDTH
    ) -> tuple[list[Candidate], bool] | None:
        """The chosen matches, ordered by their position in the reference.

        Args:
            reference: Tokens of the reference.
            hypothesis: Tokens of the hypothesis.
            width: As of `minimal_alignment`, for the fewest chunks.
        Returns:
            The matches, and whether they are proven to have the fewest chunks. `None`
            if the search was not built, or the texts are too long for it.
        """
        texts = self._texts(reference, hypothesis)
        return texts and native.align(texts, self._beam, width)

    def counts(self, reference: list[str], hypothesis: list[str]) -> list[float] | None:
        """The statistics of the chosen matches, as `Formula.statistics` counts them,
        with all chunks. `None` as of `matches`."""
        texts = self._texts(reference, hypothesis)
        return texts and native.count(texts, self._beam)

    def _texts(
        self, reference: list[str], hypothesis: list[str]
    ) -> native.Texts | None:
        size = max(len(reference), len(hypothesis))
        if native.load() is None or (self._beam is None and size > native.MAX_WORDS):
            return None
        # A new object, and only between two texts: the numbers of words change. Another
        # thread keeps the old object until its text is done.
        if len(self._records) > LIMIT:
            self._records = WordRecords(self._matcher.identifiers, self._weigh)
        record = self._records.__getitem__
        phrases = self._matcher.phrases(reference, hypothesis)
        return (
            b"".join(map(record, reference)),
            len(reference),
            b"".join(map(record, hypothesis)),
            len(hypothesis),
            self._num_stages,
            b"".join(itertools.starmap(native.MATCH.pack, phrases)),
            len(phrases),
        )


class WordRecords(dict[str, bytes]):
    """A dictionary from words to their records for `native`, filled on first use.

    Args:
        identifiers: Function from a word to its identifiers in each stage.
        weigh: Function from a word to its size and whether it is a function word.
    Example:
        >>> def identifiers(word):
        ...     return [[word], word[:1]]
        >>> records = WordRecords(identifiers, lambda word: (5, True))
        >>> array.array("i", records["ab"]).tolist()
        [5, 1, 1, 0, 1, 1]
        >>> array.array("i", records["ac"]).tolist()
        [5, 1, 1, 2, 1, 1]
    """

    def __init__(self, identifiers: Identify, weigh: Weigh) -> None:
        super().__init__()
        self._identifiers = identifiers
        self._weigh = weigh
        # The counter is atomic, so two threads never give the same number.
        self._numbers: dict[Hashable, int] = collections.defaultdict(
            itertools.count().__next__
        )

    def __missing__(self, word: str) -> bytes:
        record = array.array("i", self._weigh(word))
        for identifiers in self._identifiers(word):
            numbers = sorted(
                self._numbers[identifier] for identifier in set(identifiers)
            )
            record.append(len(numbers))
            record.extend(numbers)
        value = self[word] = record.tobytes()
        return value

    def __reduce__(self) -> tuple[Any, ...]:
        return WordRecords, (self._identifiers, self._weigh)
