"""Smoothing of BLEU: replacements of n-gram precisions of zero.

Each function takes the matches and the totals of the orders 1, 2, ... and returns a
precision for each order. `none`, `floor`, `add-k` and `exp` are sacreBLEU's. `method1`
to `method7` are NLTK's, with NLTK's constants. `laplace` is that of tensorflow/nmt, and
`coco` that of pycocoevalcap; only these two take matches of order 1 that are zero.

Deviation: the methods count one n-gram for an order without n-grams, as NLTK does. The
paper does not define this case.

Reference:
    Chen and Cherry (2014), A Systematic Comparison of Smoothing Techniques for
    Sentence-Level BLEU.
"""

import math
from collections.abc import Callable, Sequence

from ..checks import check_number, shorten

Counts = Sequence[float]
# A function of matches, totals and, for some, a value.
Smoothing = Callable[..., list[float]]

EPSILON = 0.1  # method 1; section 3
LENGTH_WEIGHT = 5  # method 4, K; section 3
TINY, SMALL = 1e-15, 1e-9  # pycocoevalcap 1.2
PRIOR_WEIGHT = 5  # method 6, alpha; section 3


def no_smoothing(matches: Counts, totals: Counts) -> list[float]:
    """Matches over totals; 0 where there are no n-grams."""
    return [
        count / total if total else 0.0
        for count, total in zip(matches, totals, strict=True)
    ]


def floor(matches: Counts, totals: Counts, value: float = 0.1) -> list[float]:
    """Replaces zero matches by `value`."""
    return no_smoothing([count or value for count in matches], totals)


def add_k(matches: Counts, totals: Counts, value: float = 1) -> list[float]:
    """Adds `value` to the matches and to the totals of every order but the first."""
    added = [0.0] + [value] * (len(matches) - 1)
    return no_smoothing(_sums(matches, added), _sums(totals, added))


def exponential(matches: Counts, totals: Counts) -> list[float]:
    """Replaces zero matches by 1/2, 1/4, 1/8, ..., as NIST's mteval does."""
    smoothed = []
    value = 1.0
    for count in matches:
        if not count:
            value /= 2
        smoothed.append(count or value)
    return no_smoothing(smoothed, totals)


def laplace(matches: Counts, totals: Counts) -> list[float]:
    """Adds 1 to the matches and to the totals of every order, as tensorflow/nmt does.

    Example:
        >>> laplace([3, 0], [4, 3])
        [0.8, 0.25]
    """
    return [
        (count + 1) / (total + 1) for count, total in zip(matches, totals, strict=True)
    ]


def coco(matches: Counts, totals: Counts) -> list[float]:
    """Adds pycocoevalcap's constants: an order without n-grams has the precision 1e-6.

    Example:
        >>> f"{coco([0], [0])[0]:.0e}"
        '1e-06'
    """
    return [
        (count + TINY) / (total + SMALL)
        for count, total in zip(matches, totals, strict=True)
    ]


def method1(matches: Counts, totals: Counts) -> list[float]:
    """Replaces zero matches by a small number."""
    return floor(matches, _at_least_one(totals), EPSILON)


def method2(matches: Counts, totals: Counts) -> list[float]:
    """Adds 1 to matches and totals of every order but the first (Lin and Och 2004)."""
    return add_k(matches, _at_least_one(totals), 1)


def method3(matches: Counts, totals: Counts) -> list[float]:
    """The same as `exponential`."""
    return exponential(matches, _at_least_one(totals))


def method4(matches: Counts, totals: Counts) -> list[float]:
    """`method3` with smaller values for shorter sentences.

    Deviation: for a single word the value is ln 1 = 0. NLTK then leaves the order out
    of the mean; a precision of 1 has the same effect.
    """
    return [precision or 1.0 for precision in _by_length(matches, totals)]


def method5(matches: Counts, totals: Counts) -> list[float]:
    """Replaces a precision by the mean of the precisions of orders n - 1, n and n + 1.

    The counts have one order more than the result. The precision of order 0 is p_1 + 1,
    so the precision of a perfect sentence is above 1.
    """
    return _neighbours(no_smoothing(matches, _at_least_one(totals)))


def method6(matches: Counts, totals: Counts) -> list[float]:
    """Uses a prior p_(n-1)^2 / p_(n-2) from the third order on (Gao and He 2013).

    Deviation: NLTK raises an error for a sentence without a match of 3 words, although
    only a sentence without a match of 2 words has no prior. Here such a sentence has
    precisions of 0.
    """
    precisions = no_smoothing(matches[:2], _at_least_one(totals[:2]))
    for count, total in zip(matches[2:], totals[2:], strict=True):
        before, last = precisions[-2:]
        prior = last * last / before if before else 0.0
        precisions.append((count + PRIOR_WEIGHT * prior) / (total + PRIOR_WEIGHT))
    return precisions


def method7(matches: Counts, totals: Counts) -> list[float]:
    """`method4`, then `method5`. `method4` does not change the order after the last."""
    *precisions, _ = _by_length(matches, totals)
    beyond = no_smoothing(matches[-1:], _at_least_one(totals[-1:]))
    return _neighbours(precisions + beyond)


def _by_length(matches: Counts, totals: Counts) -> list[float]:
    smoothed = []
    divisor = 1.0
    for count in matches:
        if not count:
            divisor *= 2
        smoothed.append(count or math.log(totals[0]) / (divisor * LENGTH_WEIGHT))
    return no_smoothing(smoothed, _at_least_one(totals))


def _neighbours(precisions: Sequence[float]) -> list[float]:
    smoothed = []
    last = precisions[0] + 1
    for precision, following in zip(precisions[:-1], precisions[1:], strict=True):
        last = (last + precision + following) / 3
        smoothed.append(last)
    return smoothed


def _at_least_one(totals: Counts) -> list[float]:
    return [max(total, 1) for total in totals]


def _sums(left: Counts, right: Counts) -> list[float]:
    return [a + b for a, b in zip(left, right, strict=True)]


SMOOTHINGS: dict[str, Smoothing] = {
    "none": no_smoothing,
    "floor": floor,
    "add-k": add_k,
    "exp": exponential,
    "laplace": laplace,
    "coco": coco,
    "method1": method1,
    "method2": method2,
    "method3": method3,
    "method4": method4,
    "method5": method5,
    "method6": method6,
    "method7": method7,
}

# Values of the smoothings that have one: those of the paper's methods 1 and 2.
DEFAULT_VALUES = {"floor": 0.1, "add-k": 1.0}

# Smoothings that give texts without a match a score too.
WITHOUT_MATCH = frozenset({"laplace", "coco"})

# Smoothings that change the totals: an order without n-grams has a precision, and
# `effective_order` leaves none out. For "add-k" as in sacreBLEU.
WITHOUT_NGRAMS = frozenset({"add-k", "laplace", "coco"})

# What pycocoevalcap adds to the lengths of hypotheses and references.
LENGTH_CONSTANTS = {"coco": (TINY, SMALL)}

CHEN_CHERRY = frozenset(name for name in SMOOTHINGS if name.startswith("method"))

# Methods that need the counts of one order more.
LOOK_AHEAD = frozenset({"method5", "method7"})

# Methods for one sentence. For a corpus NLTK gives them the n-grams of the last
# segment.
SENTENCE_ONLY = frozenset({"method4", "method5", "method6", "method7"})


def checked_value(smoothing: str, value: float | None) -> float | None:
    """Checks the value of a smoothing.

    Returns:
        The value or its default, or `None` for a smoothing without a value.
    Raises:
        ValueError: If the smoothing has no value and one is given, or the value is out
            of its range.
    """
    if smoothing in DEFAULT_VALUES:
        value = DEFAULT_VALUES[smoothing] if value is None else value
        # A floor above 1 could give a precision above 1.
        largest = 1 if smoothing == "floor" else math.inf
        return float(check_number("smoothing_value", value, above=0, maximum=largest))
    if value is not None:
        names = " or ".join(map(repr, DEFAULT_VALUES))
        raise ValueError(
            f"`smoothing_value` must be None unless `smoothing` is {names}. "
            f"Received: smoothing_value={shorten(value)}"
        )
    return None
