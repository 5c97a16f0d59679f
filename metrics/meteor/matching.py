"""Candidates: all pairs of words, or phrases, that the stages of METEOR can match."""

from collections import Counter
from collections.abc import Callable, Hashable, Iterable, Iterator, Sequence
from typing import Any, TypeAlias

from ..tokenizers.word_cache import LIMIT

# A match as a plain tuple with the fields of `alignment.Match`, because there are many.
Candidate = tuple[int, int, int, int, int]
# The matches of a search so far: those before the last one, and the last one.
MatchPath: TypeAlias = "tuple[MatchPath, Candidate] | None"


def matches_of(path: MatchPath) -> list[Candidate]:
    """The matches of a search, from the last one to the first."""
    matches = []
    while path is not None:
        path, match = path
        matches.append(match)
    return matches


class Matcher:
    """Finds candidates: every match that a stage allows, independent of other stages.

    Args:
        stages: Names in this order: exact, stem, synonym, paraphrase.
        stem: Function from a word to its stem, for the stage stem.
        synsets: Function from a word to its set of synset ids, for the stage synonym.
        paraphrases: Function from a list of words and a position to the paraphrases of
            the phrases that start there, as pairs (length, words), for the stage
            paraphrase.
    """

    def __init__(
        self,
        stages: Sequence[str],
        *,
        stem: Callable[[str], str] | None = None,
        synsets: Callable[[str], Any] | None = None,
        paraphrases: Callable[[list[str], int], Iterable[Any]] | None = None,
    ) -> None:
        self.stages = tuple(stages)
        self.stem = stem
        self.synsets = synsets
        self.paraphrases = paraphrases
        self._relatives = Relatives(synsets)

    def candidates(
        self, reference: list[str], hypothesis: list[str]
    ) -> list[list[Candidate]]:
        """Candidates that start at each reference word, by stage and position."""
        found: list[list[Candidate]] = [[] for _ in reference]
        for number, stage in enumerate(self.stages):
            getattr(self, f"_{stage}")(number, reference, hypothesis, found)
        return found

    def _exact(
        self,
        stage: int,
        reference: list[str],
        hypothesis: list[str],
        found: list[list[Candidate]],
    ) -> None:
        positions = _positions(hypothesis)
        for j, word in enumerate(reference):
            if equal := positions.get(word):
                found[j] += [(j, 1, i, 1, stage) for i in equal]

    def _stem(
        self,
        stage: int,
        reference: list[str],
        hypothesis: list[str],
        found: list[list[Candidate]],
    ) -> None:
        if self.stem is None:
            return
        positions = _positions(map(self.stem, hypothesis))
        for j, word in enumerate(reference):
            if equal := positions.get(self.stem(word)):
                found[j] += [
                    (j, 1, i, 1, stage) for i in equal if hypothesis[i] != word
                ]

    def _synonym(
        self,
        stage: int,
        reference: list[str],
        hypothesis: list[str],
        found: list[list[Candidate]],
    ) -> None:
        positions = _positions(hypothesis)
        self._relatives.clear_if_large()
        for word in (*positions, *reference):
            self._relatives.add(word)
        for j, word in enumerate(reference):
            if related := self._relatives[word] & positions.keys():
                found[j] += sorted(
                    (j, 1, i, 1, stage) for other in related for i in positions[other]
                )

    def _paraphrase(
        self,
        stage: int,
        reference: list[str],
        hypothesis: list[str],
        found: list[list[Candidate]],
    ) -> None:
        if self.paraphrases is None:
            return
        for j in range(len(reference)):
            for length, phrase in self.paraphrases(reference, j):
                for i in _occurrences(phrase, hypothesis):
                    found[j].append((j, length, i, len(phrase), stage))
        for i in range(len(hypothesis)):
            for length, phrase in self.paraphrases(hypothesis, i):
                for j in _occurrences(phrase, reference):
                    found[j].append((j, len(phrase), i, length, stage))

    def phrases(self, reference: list[str], hypothesis: list[str]) -> list[Candidate]:
        """The candidates of the stage paraphrase only."""
        if "paraphrase" not in self.stages:
            return []
        found: list[list[Candidate]] = [[] for _ in reference]
        stage = self.stages.index("paraphrase")
        self._paraphrase(stage, reference, hypothesis, found)
        return [match for starting in found for match in starting]

    def identifiers(self, word: str) -> list[Iterable[Hashable]]:
        """The identifiers of a word for each stage of words.

        Two words match in a stage if they share an identifier.
        """
        found: list[Iterable[Hashable]] = [(word,)]
        if "stem" in self.stages and self.stem is not None:
            found.append((self.stem(word),))
        if "synonym" in self.stages and self.synsets is not None:
            found.append(self.synsets(word))
        return found


class Relatives(dict[str, set[str]]):
    """A dictionary from the words seen so far to the others that share a synset.

    The synonyms in a sentence are then the intersection of two sets. The dictionary is
    cleared when it is larger than `word_cache.LIMIT`.

    Args:
        synsets: Function from a word to its set of synset ids.
    Example:
        >>> relatives = Relatives({"car": {1, 2}, "auto": {1}, "dog": {3}}.get)
        >>> for word in ("car", "dog", "auto"):
        ...     relatives.add(word)
        >>> relatives["car"]
        {'auto'}
    """

    def __init__(self, synsets: Callable[[str], Any] | None) -> None:
        super().__init__()
        self._synsets = synsets
        self._members: dict[Hashable, list[str]] = {}

    def add(self, word: str) -> None:
        """Adds a word, if it is not known."""
        if word in self or self._synsets is None:
            return
        related: set[str] = set()
        for synset in self._synsets(word):
            members = self._members.setdefault(synset, [])
            related.update(members)
            members.append(word)
        for other in related:
            self[other].add(word)
        self[word] = related

    def clear_if_large(self) -> None:
        """Clears a dictionary that is too large. For use between two sentences only."""
        if len(self) > LIMIT:
            self.clear()
            self._members.clear()

    def __reduce__(self) -> tuple[Any, ...]:
        return Relatives, (self._synsets,)


def _positions(words: Iterable[str]) -> dict[str, list[int]]:
    positions: dict[str, list[int]] = {}
    for i, word in enumerate(words):
        positions.setdefault(word, []).append(i)
    return positions


def _occurrences(phrase: list[str], words: list[str]) -> Iterator[int]:
    for i in range(len(words) - len(phrase) + 1):
        if words[i : i + len(phrase)] == phrase:
            yield i


def definite(candidates: list[list[Candidate]]) -> list[Candidate | None]:
    """The definite match of each word of the reference, or None.

    A match is definite if it is the only candidate that starts at its word, and no
    other candidate covers any of its words. It is part of every best alignment.
    """
    matches = [match for starting in candidates for match in starting]
    in_reference = Counter(m[0] + k for m in matches for k in range(m[1]))
    in_hypothesis = Counter(m[2] + k for m in matches for k in range(m[3]))

    def has_no_rival(match: Candidate) -> bool:
        j, reference_length, i, length, _ = match
        return all(in_reference[k] == 1 for k in range(j, j + reference_length)) and (
            all(in_hypothesis[k] == 1 for k in range(i, i + length))
        )

    return [
        starting[0] if len(starting) == 1 and has_no_rival(starting[0]) else None
        for starting in candidates
    ]
