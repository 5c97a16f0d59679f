"""All pairs of words, or phrases, that the stages of METEOR would match."""

from collections import Counter
from collections.abc import Callable, Hashable, Iterable, Sequence

from ..word_cache import LIMIT

# A match as a plain tuple, in the order of `metrics.alignment.Match`: there are many.
Candidate = tuple[int, int, int, int, int]


class Matcher:
    """Finds candidates: every match that some stage allows, whatever the others take.

    Args:
        stages: Names, in order: exact, stem, synonym, paraphrase.
        stem: Function from word to stem, for the stage stem.
        synsets: Function from word to its set of synset ids, for the stage synonym.
        paraphrases: Function from a list of words and a position to the paraphrases of
            the phrases that start there, as pairs (length, words); for paraphrase.
    """

    def __init__(
        self,
        stages: Sequence[str],
        *,
        stem: Callable | None = None,
        synsets: Callable | None = None,
        paraphrases: Callable | None = None,
    ):
        self.stages = tuple(stages)
        self.stem = stem
        self.synsets = synsets
        self.paraphrases = paraphrases
        self._relatives = Relatives(synsets)

    def candidates(self, reference, hypothesis) -> list[list[Candidate]]:
        """Candidates that start at each word of the reference, by stage, then place."""
        found: list[list[Candidate]] = [[] for _ in reference]
        for number, stage in enumerate(self.stages):
            getattr(self, f"_{stage}")(number, reference, hypothesis, found)
        return found

    def _exact(self, stage, reference, hypothesis, found):
        places = _places(hypothesis)
        for j, word in enumerate(reference):
            if equal := places.get(word):
                found[j] += [(j, 1, i, 1, stage) for i in equal]

    def _stem(self, stage, reference, hypothesis, found):
        places = _places(map(self.stem, hypothesis))
        for j, word in enumerate(reference):
            if equal := places.get(self.stem(word)):
                found[j] += [
                    (j, 1, i, 1, stage) for i in equal if hypothesis[i] != word
                ]

    def _synonym(self, stage, reference, hypothesis, found):
        places = _places(hypothesis)
        self._relatives.forget_if_many()
        for word in (*places, *reference):
            self._relatives.meet(word)
        for j, word in enumerate(reference):
            if related := self._relatives[word] & places.keys():
                found[j] += sorted(
                    (j, 1, i, 1, stage) for other in related for i in places[other]
                )

    def _paraphrase(self, stage, reference, hypothesis, found):
        for j in range(len(reference)):
            for length, phrase in self.paraphrases(reference, j):
                for i in _occurrences(phrase, hypothesis):
                    found[j].append((j, length, i, len(phrase), stage))
        for i in range(len(hypothesis)):
            for length, phrase in self.paraphrases(hypothesis, i):
                for j in _occurrences(phrase, reference):
                    found[j].append((j, len(phrase), i, length, stage))

    def phrases(self, reference, hypothesis) -> list[Candidate]:
        """The candidates of the stage paraphrase alone."""
        if "paraphrase" not in self.stages:
            return []
        found: list[list[Candidate]] = [[] for _ in reference]
        stage = self.stages.index("paraphrase")
        self._paraphrase(stage, reference, hypothesis, found)
        return [match for own in found for match in own]

    def identifiers(self, word: str) -> list[Iterable[Hashable]]:
        """What a word shares with the words it matches, for each stage of words."""
        found: list[Iterable[Hashable]] = [(word,)]
        if "stem" in self.stages and self.stem is not None:
            found.append((self.stem(word),))
        if "synonym" in self.stages and self.synsets is not None:
            found.append(self.synsets(word))
        return found


class Relatives(dict[str, set[str]]):
    """Word -> the words met so far, other than itself, that share a synset with it.

    To find the synonyms in a sentence is then to intersect two sets. All words are
    forgotten at a limit.

    Args:
        synsets: Function from a word to its set of synset ids.
    Example:
        >>> relatives = Relatives({"car": {1, 2}, "auto": {1}, "dog": {3}}.get)
        >>> for word in ("car", "dog", "auto"):
        ...     relatives.meet(word)
        >>> relatives["car"]
        {'auto'}
    """

    def __init__(self, synsets):
        super().__init__()
        self._synsets = synsets
        self._members: dict[Hashable, list[str]] = {}

    def meet(self, word: str) -> None:
        """Takes note of a word; nothing happens if it is known."""
        if word in self:
            return
        related: set[str] = set()
        for synset in self._synsets(word):
            members = self._members.setdefault(synset, [])
            related.update(members)
            members.append(word)
        for other in related:
            self[other].add(word)
        self[word] = related

    def forget_if_many(self) -> None:
        """Forgets all words if they are too many; between two sentences only."""
        if len(self) > LIMIT:
            self.clear()
            self._members.clear()

    def __reduce__(self):
        return Relatives, (self._synsets,)


def _places(words):
    places = {}
    for i, word in enumerate(words):
        places.setdefault(word, []).append(i)
    return places


def _occurrences(phrase, words):
    for i in range(len(words) - len(phrase) + 1):
        if words[i : i + len(phrase)] == phrase:
            yield i


def definite(candidates: list[list[Candidate]]) -> list[Candidate | None]:
    """For each word of the reference, the match that nothing competes with, if any.

    It is the only candidate that starts there, and no other candidate covers any of its
    words. It is part of every best alignment.
    """
    every = [match for own in candidates for match in own]
    in_reference = Counter(m[0] + k for m in every for k in range(m[1]))
    in_hypothesis = Counter(m[2] + k for m in every for k in range(m[3]))

    def alone(match):
        j, reference_length, i, length, _ = match
        return all(in_reference[k] == 1 for k in range(j, j + reference_length)) and (
            all(in_hypothesis[k] == 1 for k in range(i, i + length))
        )

    return [own[0] if len(own) == 1 and alone(own[0]) else None for own in candidates]
