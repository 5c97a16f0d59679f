"""chrF and chrF++: the F-score of character (and word) n-grams."""

import dataclasses
import functools
import itertools
import operator
import string
from collections import Counter

import numpy as np

from .base import Metric, Score
from .checks import check_boolean, check_integer, check_number
from .chrf_ngrams import block_counts
from .ngrams import MAX_ORDER, ngrams
from .word_cache import WordCache

# What a precision or recall of nothing counts with smoothing; as in chrF++.py.
EPSILON = 1e-16

# Its square is a number too.
MAX_BETA = 1e100

# Segments from which on counting them together is faster than one by one; measured.
FEW = 4


@dataclasses.dataclass(frozen=True, kw_only=True)
class CHRFScore(Score):
    """A chrF score.

    Attributes:
        precision: Mean over the orders of matched n-grams / those of the hypothesis.
        recall: Mean over the orders of matched n-grams / those of the reference.
    """

    precision: float
    recall: float


class CHRF(Metric):
    """chrF, or chrF++ with `word_order=2`.

    chrF = (1 + beta²) P R / (beta² P + R), P and R the means over the orders 1, 2, ...
    of n-gram precision and recall. An order of which a side has no n-grams counts in
    neither. The best of several references is the one of the highest sentence score,
    the first of equals. Equal to sacreBLEU's, divided by 100.

    A list of tokens is joined by one blank, and then taken as text.

    Args:
        char_order: Longest character n-grams, at most 100.
        word_order: Longest word n-grams, at most 100, a punctuation mark at the end
            (else at the start) of a word being a word of its own; 2 is chrF++.
        beta: How many times recall is as important as precision, at most 1e100.
        lowercase: Whether to ignore case.
        whitespace: Whether white space is part of character n-grams.
        eps_smoothing: Whether to average the F-scores of all orders, an empty one
            counting 1e-16, as chrF++.py, Moses and NLTK do.
    Raises:
        TypeError, ValueError: If an argument is not of its kind, or out of its range.
    Reference:
        Popović (2015), chrF: character n-gram F-score for automatic MT evaluation;
        Popović (2017), chrF++: words helping character n-grams.
    Example:
        >>> chrf = CHRF(char_order=2)
        >>> score = chrf.sentence_score(["a cat"], "the cat")
        >>> round(score.precision, 4), round(score.recall, 4), round(score.value, 4)
        (0.45, 0.7083, 0.6354)
    """

    name = "chrf"

    def __init__(
        self,
        char_order: int = 6,
        word_order: int = 0,
        beta: float = 2,
        *,
        lowercase: bool = False,
        whitespace: bool = False,
        eps_smoothing: bool = False,
    ):
        orders = {"char_order": char_order, "word_order": word_order}
        for name, order in orders.items():
            orders[name] = check_integer(name, order, minimum=0, maximum=MAX_ORDER)
        if not any(orders.values()):
            raise ValueError(
                "`char_order` or `word_order` must be at least 1. Received: "
                f"char_order={char_order}, word_order={word_order}"
            )
        self._beta = check_number("beta", beta, minimum=0, maximum=MAX_BETA)
        check_boolean("lowercase", lowercase)
        check_boolean("whitespace", whitespace)
        check_boolean("eps_smoothing", eps_smoothing)
        self._char_order, self._word_order = orders.values()
        self.num_statistics = 3 * sum(orders.values())
        self._lowercase = lowercase
        self._whitespace = whitespace
        self._eps_smoothing = eps_smoothing

    def _settings(self):
        return {
            "case": "lc" if self._lowercase else "mixed",
            "eff": not self._eps_smoothing,
            "nc": self._char_order,
            "nw": self._word_order,
            "beta": self._beta,
            "space": self._whitespace,
        }

    def _segment_statistics(self, references, hypothesis):
        """N-grams of the hypothesis, of the best reference, and of both, by order."""
        own = self._ngrams(hypothesis)
        rows = [
            [
                count
                for pair in zip(own, self._ngrams(reference), strict=True)
                for count in _counts(*pair)
            ]
            for reference in references
        ]
        return self._best(rows)

    def _block_statistics(self, references, hypotheses):
        if len(hypotheses) < FEW:
            return super()._block_statistics(references, hypotheses)
        segments = (
            [(self._characters(text), self._words(text)) for text in (hypothesis, *own)]
            for own, hypothesis in zip(references, hypotheses, strict=True)
        )
        orders = self._char_order, self._word_order
        best = [self._best(rows) for rows in block_counts(segments, orders)]
        return np.array(best, dtype=float)

    def _best(self, rows):
        if len(rows) == 1:
            return rows[0]
        return max(rows, key=lambda row: self._percent(row)[0])

    def _ngrams(self, text):
        """How often the text has each n-gram, for each order."""
        characters, words = self._characters(text), self._words(text)
        length = len(characters)
        return [
            Counter([characters[i : i + order] for i in range(length - order + 1)])
            for order in range(1, self._char_order + 1)
        ] + [Counter(ngrams(words, order)) for order in range(1, self._word_order + 1)]

    def _characters(self, text):
        text = self._prepared(text)
        return text if self._whitespace else "".join(text.split())

    def _words(self, text):
        if not self._word_order:
            return []
        words = self._prepared(text).split()
        return list(itertools.chain.from_iterable(map(_PARTS.__getitem__, words)))

    def _prepared(self, text):
        text = text if isinstance(text, str) else " ".join(text)
        return text.lower() if self._lowercase else text

    def _score(self, totals, segments):
        percent, precision, recall = self._percent(totals.tolist())
        return CHRFScore(value=percent / 100, precision=precision, recall=recall)

    def _percent(self, row):
        """F-score, mean precision and mean recall of the counts of all orders.

        The F-score is in percent, where sacreBLEU compares references: its rounding
        decides between equals.
        """
        scores, precisions, recalls = [], [], []
        for hypothesis, reference, matches in zip(
            row[::3], row[1::3], row[2::3], strict=True
        ):
            precision = matches / hypothesis if hypothesis else EPSILON
            recall = matches / reference if reference else EPSILON
            scores.append(self._f_score(precision, recall, EPSILON))
            if hypothesis and reference:
                precisions.append(precision)
                recalls.append(recall)
        precision, recall = _mean(precisions), _mean(recalls)
        if self._eps_smoothing:
            return 100 * _sum(scores) / len(scores), precision, recall
        return 100 * self._f_score(precision, recall, 0), precision, recall

    def _f_score(self, precision, recall, otherwise):
        factor = float(self._beta) ** 2
        denominator = factor * precision + recall
        if not denominator:
            return otherwise
        return (1 + factor) * precision * recall / denominator


def _sum(values):
    """The sum from left to right; `sum` of Python 3.12 rounds less than sacreBLEU."""
    return functools.reduce(operator.add, values, 0.0)


def _mean(values):
    return _sum(values) / max(len(values), 1)


def _counts(own, other):
    """N-grams of the hypothesis, unless the reference has none; of it; matches."""
    common = own.keys() & other.keys()
    matches = sum([min(own[ngram], other[ngram]) for ngram in common])
    return own.total() if other else 0, other.total(), matches


def _parts(word):
    """A word without the punctuation mark at its end, else start, and the mark."""
    if len(word) > 1 and word[-1] in string.punctuation:
        return word[:-1], word[-1]
    if len(word) > 1 and word[0] in string.punctuation:
        return word[0], word[1:]
    return (word,)


_PARTS = WordCache(_parts)
