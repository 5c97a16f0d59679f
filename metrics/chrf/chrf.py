"""chrF and chrF++: the F-score of character (and word) n-grams."""

import dataclasses
import functools
import itertools
import operator
import string
from collections import Counter
from collections.abc import Sequence

import numpy as np

from ..base import Metric, Text
from ..checks import check_boolean, check_integer, check_number
from ..ngrams import MAX_ORDER, ngrams
from ..scores import Score
from ..tokenizers.script_checks import misreading
from ..tokenizers.word_cache import WordCache
from .ngrams import block_counts

# With smoothing, the precision and recall of an order without n-grams; as in chrF++.py.
EPSILON = 1e-16

# beta ** 2 must not overflow.
MAX_BETA = 1e100

# Texts of references whose n-grams are kept, for calls with one sentence: often several
# hypotheses have the same references. Heuristic: some megabytes.
MAX_KNOWN = 64

# Tuned: from this number of segments on, counting them together is faster.
MIN_BLOCK = 4


@dataclasses.dataclass(frozen=True, kw_only=True)
class CHRFScore(Score):
    """A chrF score.

    Attributes:
        precision: Mean over the orders of matches / n-grams of the hypothesis.
        recall: Mean over the orders of matches / n-grams of the reference.
    """

    precision: float
    recall: float


class CHRF(Metric[CHRFScore]):
    """chrF, or chrF++ with `word_order=2`.

    chrF = (1 + beta²) P R / (beta² P + R). P and R are the means of n-gram precision
    and recall over the orders 1, 2, ... An order is left out if hypothesis or reference
    have no n-grams of it. Of several references the one with the highest sentence score
    counts, the first of equals. The score equals sacreBLEU's, divided by 100.

    A list of tokens is joined with blanks and treated as text.

    Args:
        char_order: Length of the longest character n-grams, at most 100.
        word_order: Length of the longest word n-grams, at most 100; 2 is chrF++. A
            punctuation mark at the end, or else at the start, of a word is a separate
            word.
        beta: Importance of recall relative to precision, at most 1e100.
        lowercase: Whether to ignore case.
        whitespace: Whether white space is part of character n-grams.
        eps_smoothing: Whether to average the F-scores of all orders, with 1e-16 for an
            order without n-grams, as chrF++.py, Moses and NLTK do.
    Raises:
        TypeError: If a flag is not a boolean.
        ValueError: If a number is not one of its range.
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
    ) -> None:
        orders = {"char_order": char_order, "word_order": word_order}
        for name, order in orders.items():
            orders[name] = check_integer(name, order, minimum=0, maximum=MAX_ORDER)
        if not any(orders.values()):
            raise ValueError(
                "`char_order` or `word_order` must be at least 1. Received: "
                f"char_order={char_order}, word_order={word_order}"
            )
        self._beta = check_number("beta", beta, minimum=0, maximum=MAX_BETA)
        self._char_order, self._word_order = orders.values()
        self.num_statistics = 3 * sum(orders.values())
        self._lowercase = check_boolean("lowercase", lowercase)
        self._whitespace = check_boolean("whitespace", whitespace)
        self._eps_smoothing = check_boolean("eps_smoothing", eps_smoothing)
        self._known = WordCache(self._ngrams, MAX_KNOWN)

    def _settings(self) -> dict[str, object]:
        return {
            "case": "lc" if self._lowercase else "mixed",
            "eff": not self._eps_smoothing,
            "nc": self._char_order,
            "nw": self._word_order,
            # 2 and 2.0 are the same setting.
            "beta": str(self._beta).removesuffix(".0"),
            "space": self._whitespace,
        }

    def _misread(self, references: Sequence[Sequence[Text]]) -> str | None:
        remedy = "Take chrF, which has n-grams of characters only."
        return misreading(references, self._words, remedy=remedy)

    def _segment_statistics(
        self, references: Sequence[Text], hypothesis: Text
    ) -> list[float]:
        """N-grams of the hypothesis, of the best reference, and of both, by order."""
        hypothesis_ngrams = self._ngrams(hypothesis)
        rows: list[list[float]] = [
            [
                count
                for pair in zip(hypothesis_ngrams, known, strict=True)
                for count in _counts(*pair)
            ]
            for known in map(self._reference_ngrams, references)
        ]
        return self._best(rows)

    def _reference_ngrams(self, text: Text) -> list[Counter]:
        return self._known[text] if isinstance(text, str) else self._ngrams(text)

    def _block_statistics(
        self, references: Sequence[Sequence[Text]], hypotheses: Sequence[Text]
    ) -> np.ndarray:
        if len(hypotheses) < MIN_BLOCK:
            return super()._block_statistics(references, hypotheses)
        segments = (
            [
                (self._characters(text), self._words(text))
                for text in (hypothesis, *texts)
            ]
            for texts, hypothesis in zip(references, hypotheses, strict=True)
        )
        orders = self._char_order, self._word_order
        best = [self._best(rows) for rows in block_counts(segments, orders)]
        return np.array(best, dtype=float)

    def _best(self, rows: list[list[float]]) -> list[float]:
        if len(rows) == 1:
            return rows[0]
        return max(rows, key=lambda row: self._percent(row)[0])

    def _ngrams(self, text: Text) -> list[Counter]:
        """Counts of the n-grams of a text, for each order."""
        characters, words = self._characters(text), self._words(text)
        length = len(characters)
        return [
            Counter([characters[i : i + order] for i in range(length - order + 1)])
            for order in range(1, self._char_order + 1)
        ] + [Counter(ngrams(words, order)) for order in range(1, self._word_order + 1)]

    def _characters(self, text: Text) -> str:
        text = self._prepared(text)
        return text if self._whitespace else "".join(text.split())

    def _words(self, text: Text) -> list[str]:
        if not self._word_order:
            return []
        words = self._prepared(text).split()
        parts = map(_PARTS_OF_WORDS.__getitem__, words)
        return list(itertools.chain.from_iterable(parts))

    def _prepared(self, text: Text) -> str:
        text = text if isinstance(text, str) else " ".join(text)
        return text.lower() if self._lowercase else text

    def _score(self, totals: np.ndarray, segments: int) -> CHRFScore:
        percent, precision, recall = self._percent(totals.tolist())
        return CHRFScore(value=percent / 100, precision=precision, recall=recall)

    def _percent(self, row: Sequence[float]) -> tuple[float, float, float]:
        """F-score, mean precision and mean recall of the counts of all orders.

        The F-score is a percentage, because sacreBLEU compares references by it: the
        rounding decides which of almost equal references is the best.
        """
        scores, precisions, recalls = [], [], []
        for hypothesis, reference, matches in zip(
            row[::3], row[1::3], row[2::3], strict=True
        ):
            precision = matches / hypothesis if hypothesis else EPSILON
            recall = matches / reference if reference else EPSILON
            scores.append(self._f_score(precision, recall, default=EPSILON))
            if hypothesis and reference:
                precisions.append(precision)
                recalls.append(recall)
        precision, recall = _mean(precisions), _mean(recalls)
        if self._eps_smoothing:
            return 100 * _sum(scores) / len(scores), precision, recall
        return 100 * self._f_score(precision, recall, default=0), precision, recall

    def _f_score(self, precision: float, recall: float, default: float) -> float:
        factor = float(self._beta) ** 2
        denominator = factor * precision + recall
        if not denominator:
            return default
        return (1 + factor) * precision * recall / denominator


def _sum(values: Sequence[float]) -> float:
    """The sum from left to right, as in sacreBLEU. Python 3.12's `sum` rounds less."""
    return functools.reduce(operator.add, values, 0.0)


def _mean(values: Sequence[float]) -> float:
    return _sum(values) / max(len(values), 1)


def _counts(hypothesis: Counter, reference: Counter) -> tuple[int, int, int]:
    """N-grams of the hypothesis (0 if the reference has none), of the reference, and
    matches."""
    common = hypothesis.keys() & reference.keys()
    counts = map(hypothesis.__getitem__, common), map(reference.__getitem__, common)
    matches = sum(map(min, *counts))
    return hypothesis.total() if reference else 0, reference.total(), matches


def _parts(word: str) -> tuple[str, ...]:
    """Separates a punctuation mark from the end, or else from the start, of a word."""
    if len(word) > 1 and word[-1] in string.punctuation:
        return word[:-1], word[-1]
    if len(word) > 1 and word[0] in string.punctuation:
        return word[0], word[1:]
    return (word,)


_PARTS_OF_WORDS = WordCache(_parts)
