"""Digits in; the same digits in order out."""

import dataclasses

import numpy as np

from .protocol import ContextSensitiveTask


@dataclasses.dataclass(frozen=True)
class BucketSort(ContextSensitiveTask):
    """Digits from 0 to 4 in; the same digits from the smallest to the largest out, as
    40211 and 01124.

    Args:
        min_length: Fewest digits.
        max_length: Most digits.
        computation_steps: Steps before the answer, for each digit.
    Raises:
        ValueError: If a parameter is out of its range, or `min_length > max_length`.
    Reference:
        Delétang, Ruoss et al. (2023), arXiv:2207.02098.
    """

    name = "bucket-sort"
    alphabet = "01234"
    answers = "01234"

    def answer_steps(self, steps: int) -> int:
        return steps

    def answer(self, strings: np.ndarray) -> np.ndarray:
        return np.sort(strings, axis=1)
