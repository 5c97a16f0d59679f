"""Scores: a value with its parts, its signature and perhaps an interval."""

import dataclasses
from typing import TypeVar

from .bootstrap import Interval


@dataclasses.dataclass(frozen=True, kw_only=True)
class Score:
    """A score and its parts. Each metric adds parts of its own.

    Attributes:
        value: The score. A value closer to 0 than 1e-100 is given as 0.
        signature: All that is needed to compute the same number again.
        interval: Confidence interval, if one was asked for.
    """

    value: float
    signature: str = ""
    interval: Interval | None = None

    def __float__(self) -> float:
        return self.value

    def __format__(self, specification: str) -> str:
        if specification:
            return format(self.value, specification)
        return str(self)

    def __str__(self) -> str:
        text = f"{self.signature.split('|')[0]} {self.value:.4f}"
        if self.interval:
            text += f" [{self.interval.low:.4f}, {self.interval.high:.4f}]"
        return text


@dataclasses.dataclass(frozen=True, kw_only=True)
class MeanScore(Score):
    """The mean of sentence scores, for metrics that define the corpus score so.

    Attributes:
        segments: Number of segments.
    """

    segments: int


ScoreType = TypeVar("ScoreType", bound=Score, covariant=True)
