"""A binary number in; the whole part of its square root out."""

import dataclasses
import math

import numpy as np

from .binary_numbers import to_bits, to_integers
from .protocol import ContextSensitiveTask


@dataclasses.dataclass(frozen=True)
class ComputeSqrt(ContextSensitiveTask):
    """A binary number in, the highest bit first; the whole part of its square root out,
    with half as many bits, as 11010 and 101 for 26 and 5.

    All numbers from 1 on are equally likely, with zeros before their highest one. For a
    number of an odd length the root has half a bit more.

    Args:
        min_length: Fewest bits.
        max_length: Most bits.
        computation_steps: Steps before the answer, for each bit.
    Raises:
        ValueError: If a parameter is out of its range, or `min_length > max_length`.
    Reference:
        Delétang, Ruoss et al. (2023), arXiv:2207.02098.
    """

    name = "compute-sqrt"
    alphabet = "01"
    answers = "01"

    def answer_steps(self, steps: int) -> int:
        return (steps + 1) // 2

    def draw_strings(
        self, count: int, length: int, rng: np.random.Generator
    ) -> np.ndarray:
        strings = rng.integers(2, size=(count, length))
        while len(zeros := np.flatnonzero(~strings.any(axis=1))):
            strings[zeros] = rng.integers(2, size=(len(zeros), length))
        return strings

    def answer(self, strings: np.ndarray) -> np.ndarray:
        roots = [math.isqrt(number) for number in to_integers(strings[:, ::-1])]
        return to_bits(roots, self.answer_steps(strings.shape[1]))[:, ::-1]
