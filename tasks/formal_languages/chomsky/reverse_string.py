"""Bits in; the same bits backwards out."""

import dataclasses

import numpy as np

from ...contract.neighbours import Beside
from .protocol import ContextFreeTask
from .protocol_parts import ContextFreeRecipe


@dataclasses.dataclass(frozen=True)
class ReverseString(ContextFreeTask):
    """Bits in; the same bits from the last to the first out, as 0011 and 1100.

    Args:
        min_length: Fewest bits.
        max_length: Most bits.
        computation_steps: Steps before the answer, for each bit.
    Raises:
        ValueError: If a parameter is out of its range, or `min_length > max_length`.
    Reference:
        Delétang, Ruoss et al. (2023), arXiv:2207.02098.
    """

    name = "reverse-string"
    alphabet = "01"
    answers = "01"
    recipe = Beside(ContextFreeRecipe, solved_by=("stack", "ntm-feedforward"))

    def answer_steps(self, steps: int) -> int:
        return steps

    def answer(self, strings: np.ndarray) -> np.ndarray:
        return strings[:, ::-1]
