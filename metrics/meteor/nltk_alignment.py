"""The word alignment of NLTK's METEOR: greedy, stage by stage, from right to left."""

from collections.abc import Callable, Iterable, Sequence

from .alignment import Match, count_chunks


def nltk_alignment(
    reference: Sequence[str],
    hypothesis: Sequence[str],
    *,
    stem: Callable[[str], str] | None,
    lemmas: Callable[[str], Iterable[str]] | None,
) -> tuple[list[Match], int]:
    """Aligns words as `nltk.translate.meteor_score` does.

    Stage by stage, each word of the hypothesis that is still free, the last one first,
    takes the last free word of the reference that the stage allows. So the alignment
    may have more chunks than need be. The synonym stage sees the stems that the stage
    before it left, and misses words that are no stems of themselves (car, automobile).
    Not to be confused with `minimal_alignment`, which has the fewest chunks.

    Args:
        reference: Words, as a rule in lower case.
        hypothesis: Words, likewise.
        stem: Function from a word to its stem, NLTK's being Porter's; no such stage if
            `None`.
        lemmas: Function from a word to the words of its synsets; no such stage if
            `None`.
    Returns:
        `(matches, chunks)`, the matches in the order of the reference. No matches are
        no chunks, where NLTK counts one; its score is zero all the same.
    Reference:
        Banerjee and Lavie (2005), section 2, names the stages; the rest was read off
        NLTK 3.10.
    Example:
        >>> matches, chunks = nltk_alignment(
        ...     "on the mat the cat sat".split(),
        ...     "the cat sat on the mat".split(),
        ...     stem=None,
        ...     lemmas=None,
        ... )
        >>> chunks
        5
    """
    free_reference = dict(enumerate(reference))
    free_hypothesis = dict(enumerate(hypothesis))
    stages = [_take(free_reference, free_hypothesis, _itself)]
    if stem is not None:
        for free in (free_reference, free_hypothesis):
            free.update([(index, stem(word)) for index, word in free.items()])
        stages.append(_take(free_reference, free_hypothesis, _itself))
    if lemmas is not None:
        stages.append(_take(free_reference, free_hypothesis, lemmas))
    matches = [
        Match(j, 1, i, 1, stage) for stage, own in enumerate(stages) for j, i in own
    ]
    matches.sort()
    return matches, count_chunks(matches)


def _itself(word):
    return (word,)


def _take(reference, hypothesis, partners):
    """Takes pairs of words out of what is free on both sides.

    Args:
        reference: Position -> word.
        hypothesis: Position -> word.
        partners: Function from a word of the hypothesis to those it may be paired with.
    """
    places: dict[str, list[int]] = {}
    for j, word in reference.items():
        places.setdefault(word, []).append(j)
    pairs = []
    for i, word in reversed(list(hypothesis.items())):
        last = [places[other][-1] for other in partners(word) if places.get(other)]
        if last:
            j = max(last)
            places[reference.pop(j)].pop()
            del hypothesis[i]
            pairs.append((j, i))
    return pairs
