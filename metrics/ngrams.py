"""N-grams of tokens, and their matches with references.

Two functions count matches. `clipped_matches` is the definition, for one segment.
`block_matches` returns the same numbers for thousands of segments together.
"""

import itertools
from collections.abc import Iterable, Iterator, Sequence

import numpy as np

Tokens = Sequence[str]

# Largest n of an n-gram. Heuristic: nobody needs more, and a much larger number given
# by mistake would fill the memory.
MAX_ORDER = 100


def ngrams(tokens: Tokens, order: int) -> Iterator[tuple[str, ...]]:
    """The n-grams of a text, from left to right.

    Args:
        tokens: The tokens of the text.
        order: Number of tokens in an n-gram, n.
    Example:
        >>> list(ngrams(["to", "be", "or"], 2))
        [('to', 'be'), ('be', 'or')]
    """
    return zip(*[tokens[start:] for start in range(order)], strict=False)


def clipped_matches(
    references: Sequence[Tokens], hypothesis: Tokens, max_order: int
) -> list[int]:
    """Clipped n-gram matches of a hypothesis, for each order from 1 to `max_order`.

    An n-gram counts as often as it occurs in the hypothesis, but at most as often as in
    the reference in which it occurs most often.

    Args:
        references: The tokens of each reference.
        hypothesis: The tokens of the hypothesis.
        max_order: Largest n.
    Reference:
        Papineni, Roukos, Ward, Zhu (2002), BLEU: a Method for Automatic Evaluation of
        Machine Translation, section 2.1.
    Example:
        >>> clipped_matches([["the", "cat"], ["the", "the"]], ["the"] * 7, 2)
        [2, 1]
    """
    matches: list[int] = []
    # Each text without its first tokens: the n-grams start in the first of these lists.
    own, others = [hypothesis], [[reference] for reference in references]
    for order in range(max_order):
        if order:
            for text in (own, *others):
                text.append(text[0][order:])
        found = list(zip(*own, strict=False))
        known = [zip(*text, strict=False) for text in others]
        distinct = set(found)
        # In most sentences only words repeat, so that no longer n-gram is counted.
        if len(distinct) == len(found):
            count = len(distinct.intersection(itertools.chain.from_iterable(known)))
        else:
            count = _clipped(known, found)
        if not count:  # then no longer n-gram matches
            break
        matches.append(count)
    return [*matches, *[0] * (max_order - len(matches))]


def _clipped(
    references: Iterable[Iterable[tuple[str, ...]]], hypothesis: list[tuple[str, ...]]
) -> int:
    """Clipped matches of the n-grams of one order."""
    left: dict[tuple[str, ...], int] = {}
    for reference in references:
        counts: dict[tuple[str, ...], int] = {}
        for ngram in reference:
            counts[ngram] = number = counts.get(ngram, 0) + 1
            if number > left.get(ngram, 0):
                left[ngram] = number
    matches = 0
    for ngram in hypothesis:
        number = left.get(ngram, 0)
        if number:
            left[ngram] = number - 1
            matches += 1
    return matches


def block_matches(
    segments: Iterable[tuple[Sequence[Tokens], Tokens]], max_order: int
) -> np.ndarray:
    """`clipped_matches` of many segments together.

    All texts are concatenated to one array of numbers, the hypotheses first. An n-gram
    is the pair of the (n-1)-grams that start at its first and second token. The pairs
    are renumbered for each order, so that no number overflows. The number 0 means the
    end of a text, or an n-gram without a match. No longer n-gram that contains it can
    match, so each order has less to count.

    Args:
        segments: The tokens of the references and of the hypothesis of each segment. It
            may be an iterator, because no tokens are kept.
        max_order: Largest n.
    Returns:
        Array `(segments, max_order)`.
    """
    texts, lengths = _numbered(segments)
    ends = np.cumsum([len(text) for text in texts])
    grams = np.concatenate(texts)
    segment = np.repeat(np.arange(len(lengths)), np.array(lengths) + 1)
    size = len(segment) + 1
    matches = np.zeros((len(lengths), max_order))
    for order in range(max_order):
        if order:
            grams, size = _next_order(grams, size)
        counts, *reference_counts = (
            np.bincount(part, minlength=size) for part in np.split(grams, ends[:-1])
        )
        clipped = np.minimum(counts, np.max(reference_counts, axis=0))
        clipped[0] = 0
        segment_of = np.zeros(size, dtype=np.int64)
        segment_of[grams[: len(segment)]] = segment
        matches[:, order] = np.bincount(segment_of, clipped, minlength=len(lengths))
        grams = np.where(clipped, np.arange(size), 0)[grams]
    return matches


def _numbered(
    segments: Iterable[tuple[Sequence[Tokens], Tokens]],
) -> tuple[list[np.ndarray], list[int]]:
    """Arrays of the hypotheses, the first references, the second references, ...

    The number of a token is its last position in its hypothesis, counted over all
    hypotheses, so no two segments share a number. 0 is the end of a text, or a token of
    a reference that is not in the hypothesis.

    Returns:
        The arrays, and the lengths of the hypotheses.
    """
    texts: list[list[int]] = [[]]
    lengths = []
    for references, hypothesis in segments:
        start = len(texts[0]) + 1
        number = dict(zip(hypothesis, itertools.count(start), strict=False))
        lengths.append(len(hypothesis))
        while len(texts) <= len(references):
            texts.append([])
        for numbers, tokens in zip(texts, (hypothesis, *references), strict=False):
            numbers.extend(map(number.get, tokens, itertools.repeat(0)))
            numbers.append(0)
    return [np.array(numbers, dtype=np.int64) for numbers in texts], lengths


def _next_order(grams: np.ndarray, size: int) -> tuple[np.ndarray, int]:
    """The numbers of the n-grams from those of the (n-1)-grams, and their limit."""
    starts = np.flatnonzero((grams[:-1] > 0) & (grams[1:] > 0))
    pairs = grams[starts] * size + grams[starts + 1]
    kinds, numbers = np.unique(pairs, return_inverse=True)
    longer = np.zeros_like(grams)
    longer[starts] = numbers + 1
    return longer, len(kinds) + 1
