"""The edits of the translation edit rate: shifts of words, then Levenshtein edits.

Finding the fewest shifts and edits is NP-hard. Tercom shifts greedily, within limits
that change the result. sacreBLEU follows Tercom, and this file follows sacreBLEU.
"""

import collections
import itertools
from collections.abc import Iterable, Iterator, Sequence

from .beam import BeamEditDistance

# Limits of sacreBLEU. The first two are Tercom's, the last is sacreBLEU's own.
MAX_SHIFT_SIZE = 10
MAX_SHIFT_DISTANCE = 50
MAX_TRIED = 1000


def translation_edits(hypothesis: Sequence[str], reference: Sequence[str]) -> int:
    """The number of shifts, substitutions, insertions and deletions to a reference.

    While a shift lowers the distance, the shift that lowers it most is done. Of equal
    shifts the one with the most words is done, then the first in the hypothesis, then
    the one with the first target. The search ends when it has tried 1,000 shifts.

    Reference:
        Snover et al. (2006), A Study of Translation Edit Rate with Targeted Human
        Annotation.
    Example:
        >>> translation_edits("c d a b".split(), "a b c d".split())
        1
    """
    if not reference:
        return len(hypothesis)
    to_reference = BeamEditDistance(reference)
    words = list(hypothesis)
    distance = to_reference.distances([words])[0]
    # No order of the words has a smaller distance.
    fewest = max(len(words), len(reference)) - _num_common(words, reference)
    num_shifts = num_tried = 0
    while distance > fewest:
        operations = to_reference.operations(words, distance)
        shifts = _shifts(words, reference, operations)
        tried = list(itertools.islice(shifts, MAX_TRIED - num_tried))
        num_tried += len(tried)
        if not tried or num_tried == MAX_TRIED:
            break
        # The most words first, then by their position in the hypothesis.
        ranked = sorted(set(tried), key=lambda shift: (-shift[0], *shift[1:]))
        shifted = [_shifted(words, *shift) for shift in ranked]
        distances = to_reference.distances(shifted, below=distance)
        least = min(distances)
        if least >= distance:
            break
        words, distance = shifted[distances.index(least)], least
        num_shifts += 1
    return num_shifts + distance


def _num_common(words: Iterable[str], others: Iterable[str]) -> int:
    return sum((collections.Counter(words) & collections.Counter(others)).values())


def _shifts(words, reference, operations) -> Iterator[tuple[int, int, int]]:
    """Shifts to try, as (length, start, target).

    A shift moves words that the reference has at another position. At least one of them
    must be wrong at the old position, and at least one must be missing at the new one.
    """
    positions = collections.defaultdict(list)
    for position, word in enumerate(reference):
        positions[word].append(position)
    # The operation at each word of the hypothesis, and at each word of the reference.
    by_word, by_reference = operations.replace("D", ""), operations.replace("I", "")
    targets = _targets(operations)
    for start, word in enumerate(words):
        for position in positions.get(word, ()):
            if abs(position - start) > MAX_SHIFT_DISTANCE:
                continue
            pairs = zip(
                words[start : start + MAX_SHIFT_SIZE],
                reference[position : position + MAX_SHIFT_SIZE],
                strict=False,
            )
            for length, (shifted, expected) in enumerate(pairs, start=1):
                is_inside = start < targets[position + 1] <= start + length
                if shifted != expected or is_inside:
                    break
                if (
                    by_word.count("=", start, start + length) < length
                    and by_reference.count("=", position, position + length) < length
                ):
                    for target in set(targets[position : position + length + 1]):
                        yield length, start, target


def _targets(operations: str) -> list[int]:
    """The number of hypothesis words before the end of reference word 0, 1, ..."""
    num_words = 0
    targets = [0]
    for operation in operations:
        num_words += operation != "D"
        if operation != "I":
            targets.append(num_words)
    return targets


def _shifted(words: list[str], length: int, start: int, target: int) -> list[str]:
    """The words after a shift.

    A target inside the shifted words moves them to the right by as many words.
    """
    end = start + length
    rest = words[:start] + words[end:]
    position = target if target <= end else target - length
    return [*rest[:position], *words[start:end], *rest[position:]]
