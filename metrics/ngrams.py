"""N-grams of tokens: listing them, and matching them against references.

Matches are counted twice here: `clipped_matches` is the definition, for one segment;
`block_matches` has the same numbers for thousands of segments at a time.
"""

import itertools
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence

import numpy as np

Tokens = Sequence[str]

# Largest n of an n-gram; chosen: nobody counts as many, and a slip is not left to fill
# the memory.
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
    return zip(*(tokens[start:] for start in range(order)), strict=False)


def clipped_matches(
    references: Sequence[Tokens], hypothesis: Tokens, max_order: int
) -> list[int]:
    """Clipped n-gram matches of a hypothesis, for each order from 1 to `max_order`.

    An n-gram counts as often as it occurs in the hypothesis, but not more often than in
    the reference that has the most of it.

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
    matches = []
    for order in range(1, max_order + 1):
        own = Counter(ngrams(hypothesis, order))
        clipped: dict[tuple[str, ...], int] = {}
        for reference in references:
            other = Counter(ngrams(reference, order))
            for ngram in own.keys() & other.keys():
                count = min(own[ngram], other[ngram])
                clipped[ngram] = max(clipped.get(ngram, 0), count)
        matches.append(sum(clipped.values()))
    return matches


def block_matches(
    segments: Iterable[tuple[Sequence[Tokens], Tokens]], max_order: int
) -> np.ndarray:
    """`clipped_matches` of many segments at a time.

    All texts are laid end to end as one array of numbers, the hypotheses first. There,
    an n-gram is the pair of the (n-1)-grams that start at its first and second token,
    and the pairs are numbered anew for each order, so that no number overflows. The
    number 0 stands for the end of a text and for an n-gram without a match: no longer
    n-gram that contains it can match, and each order has less left to count.

    Args:
        segments: References and hypothesis of each segment, in tokens. An iterator
            will do; a segment's tokens are not kept.
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
        own, *others = (
            np.bincount(part, minlength=size) for part in np.split(grams, ends[:-1])
        )
        clipped = np.minimum(own, np.max(others, axis=0))
        clipped[0] = 0
        segment_of = np.zeros(size, dtype=np.int64)
        segment_of[grams[: len(segment)]] = segment
        matches[:, order] = np.bincount(segment_of, clipped, minlength=len(lengths))
        grams = np.where(clipped, np.arange(size), 0)[grams]
    return matches


def _numbered(segments):
    """The hypotheses, the first references, the second ones ... as an array each.

    A token's number is its last place in its hypothesis, counted over all hypotheses,
    which no other segment shares. 0 ends a text, and is a token of a reference that the
    hypothesis has not. With them come the lengths of the hypotheses.
    """
    texts = [[]]
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


def _next_order(grams, size):
    """The numbers of the n-grams, from those of the (n-1)-grams, and their bound."""
    starts = np.flatnonzero((grams[:-1] > 0) & (grams[1:] > 0))
    pairs = grams[starts] * size + grams[starts + 1]
    kinds, numbers = np.unique(pairs, return_inverse=True)
    longer = np.zeros_like(grams)
    longer[starts] = numbers + 1
    return longer, len(kinds) + 1
