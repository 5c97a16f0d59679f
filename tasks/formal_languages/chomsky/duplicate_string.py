"""Bits in; the same bits twice out."""

import dataclasses

import numpy as np

from ...contract.neighbours import Beside
from .protocol import ContextSensitiveTask
from .protocol_parts import ContextSensitiveRecipe


@dataclasses.dataclass(frozen=True)
class DuplicateString(ContextSensitiveTask):
    """Bits in; the same bits twice out, as 011 and 011011.

    Args:
        min_length: Fewest bits.
        max_length: Most bits.
        computation_steps: Steps before the answer, for each bit.
    Raises:
        ValueError: If a parameter is out of its range, or `min_length > max_length`.
    Reference:
        Delétang, Ruoss et al. (2023), arXiv:2207.02098.
    """

    name = "duplicate-string"
    alphabet = "01"
    answers = "01"
    recipe = Beside(ContextSensitiveRecipe, solved_by=("ntm-feedforward", "ntm-lstm"))

    def answer_steps(self, steps: int) -> int:
        return 2 * steps

    def answer(self, strings: np.ndarray) -> np.ndarray:
        return np.tile(strings, 2)
