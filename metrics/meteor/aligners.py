"""The alignment of two texts by each preset of METEOR, and its statistics."""

from collections.abc import Callable, Iterable, Sequence
from typing import NamedTuple, Protocol

from ..tokenizers.stemmers import check_stemmer, get_stemmer
from .beam_alignment import beam_alignment
from .compiled_search import CompiledSearch
from .matching import Candidate, Matcher
from .minimal_alignment import minimal_alignment
from .nltk_alignment import nltk_alignment
from .paraphrases import Paraphrases, check_path
from .score import Formula
from .settings import USERS, Settings
from .synonyms import as_lemmas, as_synonyms


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
    """What finds the matches of the tokens of two texts."""

    def __call__(self, reference: list[str], hypothesis: list[str]) -> Aligned:
        """Aligns two texts."""

    def statistics(self, reference: list[str], hypothesis: list[str]) -> list[float]:
        """The statistics of their matches, as `Formula.statistics` counts them."""


class CandidateAligner:
    """The best alignment of all candidates, by the compiled search if it was built.

    Args:
        matcher: Finds the candidates.
        formula: Counts the statistics.
        beam: Number of states that the search of the program METEOR 1.5 keeps at each
            word. `None` means the alignment with the fewest chunks.
    """

    def __init__(
        self, matcher: Matcher, formula: Formula, beam: int | None = None
    ) -> None:
        self._matcher = matcher
        self._formula = formula
        self._beam = beam
        self._compiled = CompiledSearch(matcher, formula.weigh, beam)

    def __call__(self, reference: list[str], hypothesis: list[str]) -> Aligned:
        if reference == hypothesis:
            return _aligned_with_itself(reference)
        found = self._compiled.matches(reference, hypothesis)
        if found is None:
            found = self._search_in_python(reference, hypothesis)
        matches, minimal = found
        return Aligned(matches, None, minimal)

    def _search_in_python(
        self, reference: list[str], hypothesis: list[str]
    ) -> tuple[list[Candidate], bool]:
        candidates = self._matcher.candidates(reference, hypothesis)
        if self._beam is None:
            return minimal_alignment(candidates)
        return beam_alignment(candidates, self._beam), False

    def statistics(self, reference: list[str], hypothesis: list[str]) -> list[float]:
        if reference != hypothesis:
            counts = self._compiled.counts(reference, hypothesis)
            if counts is not None:
                return self._formula.forgiven(counts, reference, hypothesis)
        matches, _, _ = self(reference, hypothesis)
        return self._formula.statistics(matches, reference, hypothesis)


class GreedyAligner:
    """The alignment of NLTK.

    Args:
        formula: Counts the statistics.
        stem: Function from a word to its stem. `None` means no stage "stem".
        lemmas: Function from a word to the words of its synsets. `None` means no stage
            "synonym".
    """

    def __init__(
        self,
        formula: Formula,
        stem: Callable[[str], str] | None,
        lemmas: Callable[[str], Iterable[str]] | None,
    ) -> None:
        self._formula = formula
        self._stem = stem
        self._lemmas = lemmas

    def __call__(self, reference: list[str], hypothesis: list[str]) -> Aligned:
        matches, chunks = nltk_alignment(
            reference, hypothesis, stem=self._stem, lemmas=self._lemmas
        )
        return Aligned(matches, chunks, False)

    def statistics(self, reference: list[str], hypothesis: list[str]) -> list[float]:
        matches, chunks, _ = self(reference, hypothesis)
        return self._formula.statistics(matches, reference, hypothesis, chunks)


def _aligned_with_itself(words: Sequence[str]) -> Aligned:
    return Aligned([(j, 1, j, 1, 0) for j in range(len(words))], None, True)


def aligner_of(
    settings: Settings, stages: tuple[str, ...], formula: Formula
) -> Aligner:
    """The aligner that the settings of METEOR ask for.

    Args:
        settings: The settings.
        stages: Result of `Settings.stage_names`.
        formula: Result of `Settings.formula`.
    Raises:
        TypeError: If stemmer, synonyms or paraphrases are of the wrong type.
        ValueError: If there is no such stemmer or source of synonyms, if no stage uses
            what was given, or if the table of paraphrases cannot be read.
    """
    # All three are checked, even if no stage uses them.
    stemmer = settings.resolved_stemmer()
    check_stemmer(stemmer)
    stem = get_stemmer(stemmer, settings.language_name) if "stem" in stages else None
    merge = settings.preset == "1.5"
    synonyms = as_synonyms(
        settings.synonyms, merge_parts_of_speech=merge, lowercase=settings.lowercase
    )
    if settings.paraphrases is not None:
        check_path("paraphrases", settings.paraphrases)
    _check_used(settings, stages)
    has_synonyms = "synonym" in stages
    if settings.preset == "nltk":
        lemmas = as_lemmas(settings.synonyms) if has_synonyms else None
        return GreedyAligner(formula, stem, lemmas)
    table = None
    if settings.paraphrases is not None and "paraphrase" in stages:
        table = Paraphrases(settings.paraphrases)
    synsets = synonyms.synsets if has_synonyms else None
    matcher = Matcher(stages, stem=stem, synsets=synsets, paraphrases=table)
    beam = settings.beam_width() if settings.preset == "1.5" else None
    return CandidateAligner(matcher, formula, beam)


def _check_used(settings: Settings, stages: tuple[str, ...]) -> None:
    for name, stage in USERS.items():
        if getattr(settings, name) is not None and stage not in stages:
            raise ValueError(
                f"`{name}` must be left out without the stage {stage!r}. To use it, "
                "pass `stages`, and `weights` if the constants have none. Received: "
                f"stages={stages!r}"
            )
