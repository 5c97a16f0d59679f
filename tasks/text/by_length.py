"""BLEU of translations by the length of their sources."""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from ..metrics_package import metrics_package
from .scored import confidence_for

# Heuristic: a group of lengths has at least so many lines.
LEAST = 20
# Upper ends of the groups of lengths, in words.
LENGTHS = (5, 10, 15, 20, 30, 40)


class ScoredLines(NamedTuple):
    """Lines whose sources have about one length.

    Attributes:
        lengths: The fewest and the most words of a source, as 6-10.
        bleu: BLEU of their translations.
        interval: The ends of its interval of 95%; None of few lines.
    """

    lengths: str
    bleu: float
    interval: tuple[float, float] | None


def scores_by_length(
    sources: Sequence[str], references: Sequence[Sequence[str]], texts: Sequence[str]
) -> list[ScoredLines]:
    """BLEU of each group of lengths.

    Args:
        sources: Lines that were translated.
        references: Their references, one list a line.
        texts: Their translations.
    """
    bleu = metrics_package().get("bleu")
    lengths = np.array([len(source.split()) for source in sources])
    groups, first = [], 0
    for last in _upper_ends(lengths):
        rows = np.flatnonzero((lengths > first) & (lengths <= last)).tolist()
        score = bleu.corpus_score(
            [references[row] for row in rows],
            [texts[row] for row in rows],
            confidence=confidence_for(len(rows)),
        )
        ends = score.interval and (score.interval.low, score.interval.high)
        groups.append(ScoredLines(f"{first + 1}-{last}", float(score), ends))
        first = last
    return groups


def _upper_ends(lengths: np.ndarray) -> list[int]:
    """The largest length of each group; a group with few lines joins the next one, and
    the last one the group before it. Lines without words are in none."""
    longest = int(lengths.max())
    if not longest:
        return []
    ends, grouped = [], 0
    for last in (*(length for length in LENGTHS if length < longest), longest):
        shorter = int(((lengths > 0) & (lengths <= last)).sum())
        if shorter - grouped >= LEAST:
            ends.append(last)
            grouped = shorter
    return [*ends[:-1], longest]
