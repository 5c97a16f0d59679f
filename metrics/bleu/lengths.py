"""The lengths that BLEU compares, and the penalty for short hypotheses."""

import math
from collections.abc import Callable, Sequence

from ..ngrams import Tokens


def _closest_length(references: Sequence[Tokens], length: int) -> int:
    if len(references) == 1:
        return len(references[0])
    return min(map(len, references), key=lambda size: (abs(size - length), size))


def _average_length(references: Sequence[Tokens], length: int) -> float:
    return sum(map(len, references)) / len(references)


def _shortest_length(references: Sequence[Tokens], length: int) -> int:
    return min(map(len, references))


LENGTHS: dict[str, Callable[[Sequence[Tokens], int], float]] = {
    "closest": _closest_length,
    "average": _average_length,
    "shortest": _shortest_length,
}


def brevity_penalty(hypothesis_length: float, reference_length: float) -> float:
    if hypothesis_length >= reference_length:
        return 1.0
    if not hypothesis_length:
        return 0.0
    return math.exp(1 - reference_length / hypothesis_length)
