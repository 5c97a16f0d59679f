"""Bits in; whether neighbours differ an odd number of times out."""

import dataclasses

import numpy as np

from .protocol import RegularTask


@dataclasses.dataclass(frozen=True)
class EvenPairs(RegularTask):
    """Bits in; 1 if the number of pairs of neighbours that differ is odd, else 0 out.

    As 0110 and 0, for its two pairs 01 and 10: an odd number means that the first and
    the last bit differ. A string of one bit has no pairs, and its answer is 0.

    Args:
        min_length: Fewest bits.
        max_length: Most bits.
        computation_steps: Steps before the answer, for each bit.
    Raises:
        ValueError: If a parameter is out of its range, or `min_length > max_length`.
    Reference:
        Delétang, Ruoss et al. (2023), arXiv:2207.02098.
    """

    name = "even-pairs"
    alphabet = "01"
    answers = "01"

    def answer(self, strings: np.ndarray) -> np.ndarray:
        return (strings[:, :1] != strings[:, -1:]).astype(np.intp)
