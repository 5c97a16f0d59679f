"""Bits twice, one of them hidden, in; the hidden bit out."""

import dataclasses

import numpy as np

from ...contract.batch_checks import check_sequence
from ...contract.neighbours import Beside
from .protocol import ContextSensitiveTask
from .protocol_parts import StateRecipe

HIDDEN, PADDING = 2, 3


@dataclasses.dataclass(frozen=True)
class MissingDuplicate(ContextSensitiveTask):
    """The same bits twice, one of them hidden, in; the hidden bit out, as 010?10 and 0.

    All places of the hidden bit are equally likely. A string of an odd length ends with
    a padding symbol, as 01?1- does. A string of one symbol has no room for a bit twice:
    it is 1, and so is the answer.

    Args:
        min_length: Fewest symbols.
        max_length: Most symbols.
        computation_steps: Steps before the answer, for each symbol.
    Raises:
        ValueError: If a parameter is out of its range, or `min_length > max_length`.
    Reference:
        Delétang, Ruoss et al. (2023), arXiv:2207.02098.
    """

    name = "missing-duplicate"
    alphabet = "01?-"
    answers = "01"
    least_length = 2
    # The hidden bit is the parity of the others: a state is enough, without a memory.
    recipe = Beside(StateRecipe, solved_by=("lstm",))

    def draw_strings(
        self, count: int, length: int, rng: np.random.Generator
    ) -> np.ndarray:
        if length == 1:
            return np.ones((count, 1), np.intp)
        strings = np.full((count, length), PADDING)
        half = length // 2
        strings[:, : 2 * half] = np.tile(rng.integers(2, size=(count, half)), 2)
        places = rng.integers(2 * half, size=(count, 1))
        np.put_along_axis(strings, places, HIDDEN, axis=1)
        return strings

    def answer(self, strings: np.ndarray) -> np.ndarray:
        length = strings.shape[1]
        if length == 1:
            check_sequence(self, (strings == 1).all(), "has not the same bits twice")
            return np.ones((len(strings), 1), np.intp)
        half = length // 2
        first, second = strings[:, :half], strings[:, half : 2 * half]
        is_hidden = strings == HIDDEN
        # Bits are below both other symbols, so that a hidden one is the larger.
        bits = np.minimum(first, second)
        is_twice = (is_hidden.sum(axis=1) == 1).all() and (bits < HIDDEN).all()
        differs = (first != second) & (first != HIDDEN) & (second != HIDDEN)
        is_twice &= not differs.any() and (strings[:, 2 * half :] == PADDING).all()
        check_sequence(
            self, is_twice, "has not the same bits twice, one of them hidden"
        )
        places = is_hidden.argmax(axis=1)[:, None] % half
        return np.take_along_axis(bits, places, axis=1)
