"""Scores of few texts as of many."""

import warnings
from typing import TYPE_CHECKING

from ..metrics_package import metrics_module

if TYPE_CHECKING:
    from metrics import Metric, Score


def confidence_for(segments: int) -> float | None:
    """The confidence of intervals of scores of so many texts; None if there are too
    few."""
    fewest = metrics_module("bootstrap").FEWEST_SEGMENTS
    return None if segments < fewest else 0.95


def scored(
    metric: "Metric",
    references: list[list[str]],
    hypotheses: list[str],
    confidence: float | None = None,
) -> "Score":
    """The score of texts, without the warning that CIDEr of a single one is 0."""
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", message="CIDEr.* is always 0")
        return metric.corpus_score(references, hypotheses, confidence=confidence)
