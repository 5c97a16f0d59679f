"""What BLEU puts in place of n-gram precisions of zero.

Each function takes the matches and the totals of the orders from 1, of which the first
match is not zero, and returns a precision for each order. `none`, `floor`, `add-k` and
`exp` are sacreBLEU's, `method1` to `method7` NLTK's, with NLTK's constants.

Deviation: the methods take an order without n-grams to have one, as NLTK does. The
paper does not speak of sentences that are so short.

Reference:
    Chen and Cherry (2014), A Systematic Comparison of Smoothing Techniques for
    Sentence-Level BLEU.
"""

import math
from collections.abc import Callable, Sequence

from .checks import check_number, shorten

Counts = Sequence[float]
Smoothing = Callable[[Counts, Counts], list[float]]

EPSILON = 0.1  # method 1; section 3
LENGTH_WEIGHT = 5  # method 4, K; section 3
PRIOR_WEIGHT = 5  # method 6, alpha; section 3


def no_smoothing(matches: Counts, totals: Counts) -> list[float]:
    """Matches over totals; 0 where there are no n-grams."""
    return [
        own / total if total else 0.0
        for own, total in zip(matches, totals, strict=True)
    ]


def floor(matches: Counts, totals: Counts, value: float = 0.1) -> list[float]:
    """`value` matches where there are none."""
    return no_smoothing([own or value for own in matches], totals)


def add_k(matches: Counts, totals: Counts, value: float = 1) -> list[float]:
    """`value` more matches, of as many more n-grams, in every order but the first."""
    added = [0.0] + [value] * (len(matches) - 1)
    return no_smoothing(_sums(matches, added), _sums(totals, added))


def exponential(matches: Counts, totals: Counts) -> list[float]:
    """1/2, 1/4, 1/8 ... matches where there are none, as NIST's mteval has it."""
    smoothed = []
    value = 1.0
    for own in matches:
        if not own:
            value /= 2
        smoothed.append(own or value)
    return no_smoothing(smoothed, totals)


def method1(matches: Counts, totals: Counts) -> list[float]:
    """A small number of matches where there are none."""
    return floor(matches, _at_least_one(totals), EPSILON)


def method2(matches: Counts, totals: Counts) -> list[float]:
    """One more match and n-gram in every order but the first (Lin and Och 2004)."""
    return add_k(matches, _at_least_one(totals), 1)


def method3(matches: Counts, totals: Counts) -> list[float]:
    """As `exponential`."""
    return exponential(matches, _at_least_one(totals))


def method4(matches: Counts, totals: Counts) -> list[float]:
    """As `method3`, with smaller values for shorter sentences.

    Deviation: for a single word, where ln 1 = 0 leaves nothing to put in place, NLTK
    leaves the order out of the mean; a precision of 1 does the same.
    """
    return [precision or 1.0 for precision in _by_length(matches, totals)]


def method5(matches: Counts, totals: Counts) -> list[float]:
    """The mean of the precisions of the orders n - 1, n and n + 1.

    The counts go one order further than the precisions, and the order before the first
    is p_1 + 1, so that the precision of a perfect sentence is above 1.
    """
    return _neighbours(no_smoothing(matches, _at_least_one(totals)))


def method6(matches: Counts, totals: Counts) -> list[float]:
    """From the third order on, with a prior p_(n-1)^2 / p_(n-2) (Gao and He 2013).

    Deviation: NLTK refuses a sentence without a match of 3 words, where it means one
    without a match of 2; here only the latter has no prior and precisions of 0.
    """
    precisions = no_smoothing(matches[:2], _at_least_one(totals[:2]))
    for own, total in zip(matches[2:], totals[2:], strict=True):
        before, last = precisions[-2:]
        prior = last * last / before if before else 0.0
        precisions.append((own + PRIOR_WEIGHT * prior) / (total + PRIOR_WEIGHT))
    return precisions


def method7(matches: Counts, totals: Counts) -> list[float]:
    """`method4`, then `method5`; the order after the last is not smoothed before."""
    *precisions, _ = _by_length(matches, totals)
    beyond = no_smoothing(matches[-1:], _at_least_one(totals[-1:]))
    return _neighbours(precisions + beyond)


def _by_length(matches, totals):
    smoothed = []
    divisor = 1.0
    for own in matches:
        if not own:
            divisor *= 2
        smoothed.append(own or math.log(totals[0]) / (divisor * LENGTH_WEIGHT))
    return no_smoothing(smoothed, _at_least_one(totals))


def _neighbours(precisions):
    smoothed = []
    last = precisions[0] + 1
    for own, following in zip(precisions[:-1], precisions[1:], strict=True):
        last = (last + own + following) / 3
        smoothed.append(last)
    return smoothed


def _at_least_one(totals):
    return [max(total, 1) for total in totals]


def _sums(left, right):
    return [a + b for a, b in zip(left, right, strict=True)]


SMOOTHINGS: dict[str, Smoothing] = {
    "none": no_smoothing,
    "floor": floor,
    "add-k": add_k,
    "exp": exponential,
    "method1": method1,
    "method2": method2,
    "method3": method3,
    "method4": method4,
    "method5": method5,
    "method6": method6,
    "method7": method7,
}

# Value of those that take one, as in the paper's methods 1 and 2.
DEFAULT_VALUES = {"floor": 0.1, "add-k": 1.0}

CHEN_CHERRY = frozenset(name for name in SMOOTHINGS if name.startswith("method"))

# Those that need the counts of one order more.
LOOK_AHEAD = frozenset({"method5", "method7"})

# NLTK hands these the n-grams of the last segment only, whatever the corpus.
SENTENCE_ONLY = frozenset({"method4", "method5", "method6", "method7"})


def checked_value(smoothing: str, value: float | None) -> float | None:
    """The value that a smoothing takes, or `None` if it takes none.

    Raises:
        ValueError: If it takes none and one is given, or it is out of its range.
    """
    if smoothing in DEFAULT_VALUES:
        value = DEFAULT_VALUES[smoothing] if value is None else value
        # More than one match where there is none would be a precision above 1.
        largest = 1 if smoothing == "floor" else math.inf
        return float(check_number("smoothing_value", value, above=0, maximum=largest))
    if value is not None:
        names = " or ".join(map(repr, DEFAULT_VALUES))
        raise ValueError(
            f"`smoothing_value` must be None unless `smoothing` is {names}. "
            f"Received: smoothing_value={shorten(value)}"
        )
    return None
