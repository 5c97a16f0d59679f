"""Bits in; whether the number of ones is odd out."""

import dataclasses

import numpy as np

from ...contract.neighbours import Beside
from .protocol import RegularTask
from .protocol_parts import StateRecipe


@dataclasses.dataclass(frozen=True)
class ParityCheck(RegularTask):
    """Bits in; 1 if the number of ones is odd, else 0 out, as 0111 and 1.

    Args:
        min_length: Fewest bits.
        max_length: Most bits.
        computation_steps: Steps before the answer, for each bit.
    Raises:
        ValueError: If a parameter is out of its range, or `min_length > max_length`.
    Reference:
        Delétang, Ruoss et al. (2023), arXiv:2207.02098.
    """

    name = "parity-check"
    alphabet = "01"
    answers = "01"
    recipe = Beside(StateRecipe, solved_by=("lstm", "stack", "ntm-lstm"))

    def answer(self, strings: np.ndarray) -> np.ndarray:
        return strings.sum(axis=1, keepdims=True) % 2
