"""Scores of a corpus in parts: what is added, on one machine or on many.

A part, such as a file, is counted where it lies and leaves a few numbers: the sum of
its statistics, and the same sum for corpora that are drawn from it. These add up to the
score of the whole, and to its interval and tests.
"""

import dataclasses
from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np

from ..base import BLOCK, Metric, Text, check_metric
from ..bootstrap import interval_of
from ..checks import check_integer, check_number, shorten
from ..scores import ScoreType
from ..sums import exact_sum
from ..text_checks import is_iterable
from .draws import Draws

# A block of a part: its key and its number.
Part = tuple[str, int]


@dataclasses.dataclass(frozen=True, eq=False)
class Sums:
    """Sums of statistics over parts of a corpus.

    Attributes:
        totals: The sum of the statistics, `(statistics,)`, for `Metric.merge`.
        drawn: The same for corpora drawn from the parts, `(resamples, statistics)`.
        draws: How they were drawn.
        parts: The blocks of segments that have a key, by it and their number.
    """

    totals: np.ndarray
    drawn: np.ndarray
    draws: Draws
    parts: frozenset[Part]


def sums(
    metric: Metric,
    references: Sequence[Sequence[Text]],
    hypotheses: Sequence[Any],
    *,
    resamples: int = 0,
    seed: int = 12345,
    key: str = "",
    method: str = "bootstrap",
    block: int = 0,
) -> Sums:
    """Counts a part of a corpus, for `merge_sums`.

    Args:
        metric: A metric. CIDEr needs the `document_frequency` of the whole corpus.
        references: One list of references for each hypothesis.
        hypotheses: The texts to score.
        resamples: Number of drawn corpora, for an interval or a test.
        seed: Seed of the drawing, the same for all parts and systems.
        key: What the part is called, such as its file: unlike all other parts, and the
            same for all systems. Corpora are drawn by it. `merge_sums` finds by it
            that a part is there twice.
        method: `"bootstrap"` for an interval and `paired_bootstrap_of_sums`,
            `"randomization"` for `approximate_randomization_of_sums`.
        block: Number of the first block of 4,096 segments, if a part that does not fit
            in memory is counted a block, or several, at a time.
    Raises:
        TypeError, ValueError: As `Metric.corpus_statistics`, or if an argument is out
            of its range.
    Example:
        >>> import metrics
        >>> bleu = metrics.BLEU(max_order=1)
        >>> parts = [
        ...     metrics.sums(bleu, [["a cat"]], ["a dog"], resamples=9, key="1.tsv"),
        ...     metrics.sums(bleu, [["a dog"]], ["a dog"], resamples=9, key="2.tsv"),
        ... ]
        >>> metrics.score_sums(bleu, metrics.merge_sums(parts), confidence=0.5).value
        0.75
    """
    check_metric(metric)
    draws = Draws(method, resamples, seed)
    if not isinstance(key, str) or (resamples and not key):
        raise ValueError(
            "`key` must be a string that names the part, where corpora are drawn. "
            f"Received: key={shorten(key)}"
        )
    block = check_integer("block", block, 0)
    return sums_of_rows(
        metric.corpus_statistics(references, hypotheses), draws, key, block
    )


def sums_of_rows(rows: np.ndarray, draws: Draws, key: str, block: int = 0) -> Sums:
    """`sums` of statistics that are already counted.

    Args:
        rows: Result of `Metric.corpus_statistics`.
        draws: How corpora are drawn.
        key, block: As of `sums`.
    """
    drawn = np.zeros((draws.count, rows.shape[1]))
    starts = range(0, len(rows), BLOCK)
    for number, start in enumerate(starts, start=block):
        drawn += draws.weighted_sums(rows[start : start + BLOCK], key, number)
    numbers = range(block, block + len(starts)) if key else ()
    parts = frozenset((key, number) for number in numbers)
    return Sums(rows.sum(axis=0), drawn, draws, parts)


class Adder:
    """Adds `Sums` one after another, so that they need not be in memory together."""

    def __init__(self) -> None:
        self._totals: list[np.ndarray] = []
        self._drawn: np.ndarray | None = None
        self._draws: Draws | None = None
        self._parts: set[Part] = set()

    def add(self, part: Sums) -> None:
        """Adds a part.

        Raises:
            ValueError: If it does not go with the others, or is one of them.
        """
        if self._drawn is None:
            self._drawn, self._draws = np.zeros_like(part.drawn), part.draws
        if part.draws != self._draws or part.drawn.shape != self._drawn.shape:
            raise ValueError(
                "`parts` must be sums of one metric with the same draws. Received: "
                f"{self._draws} of {self._drawn.shape[1]} statistics and {part.draws} "
                f"of {part.drawn.shape[1]}"
            )
        if twice := part.parts & self._parts:
            key, block = min(twice)
            raise ValueError(
                "`parts` must be different parts, each with a `key` of its own. "
                f"Received twice: key={shorten(key)}, block={block}"
            )
        self._totals.append(part.totals)
        self._drawn += part.drawn
        self._parts |= part.parts

    def sums(self) -> Sums:
        """The sums of what was added.

        Raises:
            ValueError: If that is nothing.
        """
        if self._drawn is None or self._draws is None:
            raise ValueError("`parts` must have at least one part. Received none.")
        totals = exact_sum(self._totals)
        return Sums(totals, self._drawn, self._draws, frozenset(self._parts))


def merge_sums(parts: Iterable[Sums]) -> Sums:
    """Adds the sums of the parts of a corpus.

    Counts are exact in any order. Sums of other numbers are rounded once for all parts;
    those of drawn corpora depend on the order in the last digits.

    Args:
        parts: Results of `sums`.
    Raises:
        TypeError: If something is not a result of `sums`.
        ValueError: If there are none, or they have different numbers of statistics or
            different draws, or a part that has a `key` is there twice.
    """
    adder = Adder()
    if not is_iterable(parts):
        raise TypeError(f"`parts` must be a list of sums. Received: {shorten(parts)}")
    for part in parts:
        adder.add(checked_sums("parts", part))
    return adder.sums()


def checked_sums(name: str, value: Any) -> Sums:
    """Checks that an argument is a result of `sums`.

    Raises:
        TypeError: If it is not.
    """
    if not isinstance(value, Sums):
        raise TypeError(
            f"`{name}` must come from `metrics.sums`. Received: {shorten(value)}"
        )
    return value


def score_sums(
    metric: Metric[ScoreType], sums: Sums, *, confidence: float | None = None
) -> ScoreType:
    """The score of a corpus from the sums of its parts.

    If corpora were drawn, the signature says how the bootstrap did it: `bs:poisson`.

    Args:
        metric: The metric that counted.
        sums: Result of `merge_sums`.
        confidence: Share of the scores of the drawn corpora inside the interval, such
            as 0.95. `None` means no interval.
    Raises:
        TypeError: If an argument is of the wrong type.
        ValueError: If an argument is out of its range, or no corpora were drawn.
    """
    check_metric(metric)
    score = metric.score_from(checked_sums("sums", sums).totals)
    draws = sums.draws
    if draws.count and draws.method == "bootstrap":
        score = dataclasses.replace(score, signature=_with_poisson(score.signature))
    if confidence is None:
        return score
    confidence = check_number("confidence", confidence, above=0, below=1)
    values = metric.values_from(drawn_corpora(sums, "bootstrap"))
    interval = interval_of(values, confidence, draws.count, draws.seed)
    return dataclasses.replace(score, interval=interval)


def drawn_corpora(sums: Sums, method: str) -> np.ndarray:
    """The sums of the drawn corpora, `(corpora, statistics)`.

    Corpora without a segment, which a Poisson bootstrap may draw of a few, have no
    score and are left out.

    Raises:
        ValueError: If there are none, or they were drawn by another method.
    """
    drawn = sums.drawn
    if method == "bootstrap":
        drawn = drawn[drawn[:, 0] > 0]
    if sums.draws.method != method or not len(drawn):
        raise ValueError(
            f"`sums` must have corpora that were drawn: `resamples` of at least 1, "
            f"method={method!r}. Received: {sums.draws}"
        )
    return drawn


def _with_poisson(signature: str) -> str:
    """A signature that says how the bootstrap drew."""
    settings, _, version = signature.rpartition("|v:")
    return f"{settings}|bs:poisson|v:{version}"
