"""The word alignment of NLTK's METEOR: greedy, by stage, from right to left."""

from collections.abc import Callable, Iterable, Sequence

from .alignment import count_chunks
from .matching import Candidate


def nltk_alignment(
    reference: Sequence[str],
    hypothesis: Sequence[str],
    *,
    stem: Callable[[str], str] | None,
    lemmas: Callable[[str], Iterable[str]] | None,
) -> tuple[list[Candidate], int]:
    """Aligns words as `nltk.translate.meteor_score` does.

    In each stage, each free word of the hypothesis, the last one first, takes the last
    free word of the reference that the stage allows. So the alignment may have more
    chunks than necessary. The synonym stage compares the stems of the remaining words,
    and so misses words that differ from their stems (car, automobile).
    Not to be confused with `minimal_alignment`, which has the fewest chunks.

    Args:
        reference: Words, usually in lower case.
        hypothesis: Words, usually in lower case.
        stem: Function from a word to its stem; NLTK uses Porter's. `None` means no such
            stage.
        lemmas: Function from a word to the words of its synsets. `None` means no such
            stage.
    Returns:
        `(matches, chunks)`, the matches in the order of the reference. Without matches
        there are no chunks. NLTK counts one chunk then, but its score is zero too.
    Reference:
        Banerjee and Lavie (2005), section 2, for the stages; the rest follows NLTK
        3.10.
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
    stages = [_take_equal(free_reference, free_hypothesis)]
    if stem is not None and free_reference and free_hypothesis:
        for free in (free_reference, free_hypothesis):
            free.update([(index, stem(word)) for index, word in free.items()])
        stages.append(_take_equal(free_reference, free_hypothesis))
    if lemmas is not None and free_reference and free_hypothesis:
        stages.append(_take(free_reference, free_hypothesis, lemmas))
    matches = [
        (j, 1, i, 1, stage) for stage, pairs in enumerate(stages) for j, i in pairs
    ]
    matches.sort()
    return matches, count_chunks(matches)


def _take_equal(
    reference: dict[int, str], hypothesis: dict[int, str]
) -> list[tuple[int, int]]:
    """`_take` where each word is its own partner: the first stage sees all words."""
    positions: dict[str, list[int]] = {}
    for j, word in reference.items():
        positions.setdefault(word, []).append(j)
    pairs = []
    for i, word in reversed(hypothesis.items()):
        if free := positions.get(word):
            pairs.append((free.pop(), i))
    for j, i in pairs:
        del reference[j], hypothesis[i]
    return pairs


def _take(
    reference: dict[int, str],
    hypothesis: dict[int, str],
    partners: Callable[[str], Iterable[str]],
) -> list[tuple[int, int]]:
    """Takes pairs of words out of the free words of both texts.

    Args:
        reference: Free words by position.
        hypothesis: Free words by position.
        partners: Function from a word of the hypothesis to the words that may be paired
            with it.
    """
    positions: dict[str, list[int]] = {}
    for j, word in reference.items():
        positions.setdefault(word, []).append(j)
    pairs = []
    for i, word in reversed(list(hypothesis.items())):
        last = [
            positions[other][-1] for other in partners(word) if positions.get(other)
        ]
        if last:
            j = max(last)
            positions[reference.pop(j)].pop()
            del hypothesis[i]
            pairs.append((j, i))
    return pairs
