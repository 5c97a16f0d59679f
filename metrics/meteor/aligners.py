"""The alignment of two texts by each preset of METEOR."""

from collections.abc import Callable, Iterable, Sequence
from typing import NamedTuple, Protocol

from .compiled_search import BeamSearch
from .matching import Candidate, Matcher
from .minimal_alignment import minimal_alignment
from .nltk_alignment import nltk_alignment


class Aligned(NamedTuple):
    """Matches between two texts.

    Attributes:
        matches: Ordered by their position in the reference.
        chunks: Number of chunks, if the preset counts them in its own way.
        minimal: Whether the matches are proven to have the fewest chunks.
    """

    matches: Sequence[Candidate]
    chunks: int | None
    minimal: bool


class Aligner(Protocol):
    """A function from the tokens of reference and hypothesis to their matches."""

    def __call__(self, reference: list[str], hypothesis: list[str]) -> Aligned:
        """Aligns two texts."""


class MinimalAligner:
    """The alignment with the fewest chunks.

    Args:
        matcher: Finds the candidates.
    """

    def __init__(self, matcher: Matcher) -> None:
        self._matcher = matcher

    def __call__(self, reference: list[str], hypothesis: list[str]) -> Aligned:
        if reference == hypothesis:
            return _aligned_with_itself(reference)
        candidates = self._matcher.candidates(reference, hypothesis)
        matches, minimal = minimal_alignment(candidates)
        return Aligned(matches, None, minimal)


class ProgramAligner:
    """The alignment that the program METEOR 1.5 finds.

    Args:
        matcher: Finds the candidates.
        beam: Number of states that are kept at each word.
    """

    def __init__(self, matcher: Matcher, beam: int) -> None:
        self._search = BeamSearch(matcher, beam)

    def __call__(self, reference: list[str], hypothesis: list[str]) -> Aligned:
        if reference == hypothesis:
            return _aligned_with_itself(reference)
        return Aligned(self._search(reference, hypothesis), None, False)


class GreedyAligner:
    """The alignment of NLTK.

    Args:
        stem: Function from a word to its stem. `None` means no stage "stem".
        lemmas: Function from a word to the words of its synsets. `None` means no stage
            "synonym".
    """

    def __init__(
        self,
        stem: Callable[[str], str] | None,
        lemmas: Callable[[str], Iterable[str]] | None,
    ) -> None:
        self._stem = stem
        self._lemmas = lemmas

    def __call__(self, reference: list[str], hypothesis: list[str]) -> Aligned:
        matches, chunks = nltk_alignment(
            reference, hypothesis, stem=self._stem, lemmas=self._lemmas
        )
        return Aligned(matches, chunks, False)


def _aligned_with_itself(words: Sequence[str]) -> Aligned:
    return Aligned([(j, 1, j, 1, 0) for j in range(len(words))], None, True)
