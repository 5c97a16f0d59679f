"""Moves on a ring in; the place where they end out."""

import dataclasses

import numpy as np

from .protocol import RegularTask

PLACES = 5


@dataclasses.dataclass(frozen=True)
class CycleNavigation(RegularTask):
    """Moves on a ring of five places in; the place where they end out.

    A move is one place left, none or one right, as < = >. They begin at place 0, and
    left of it is place 4: >>=< ends at 1, << at 3.

    Args:
        min_length: Fewest moves.
        max_length: Most moves.
        computation_steps: Steps before the answer, for each move.
    Raises:
        ValueError: If a parameter is out of its range, or `min_length > max_length`.
    Reference:
        Delétang, Ruoss et al. (2023), arXiv:2207.02098.
    """

    name = "cycle-navigation"
    alphabet = "<=>"
    answers = "01234"

    def answer(self, strings: np.ndarray) -> np.ndarray:
        return (strings - 1).sum(axis=1, keepdims=True) % PLACES
