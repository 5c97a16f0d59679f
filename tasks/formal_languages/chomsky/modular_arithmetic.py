"""An expression with brackets in; its value modulo 5 out."""

import dataclasses

import numpy as np

from ...contract.batch_checks import check_sequence
from .expressions import MINUS, PLUS, SYMBOLS, TIMES, draw_expressions, value_of
from .protocol import ContextFreeTask


@dataclasses.dataclass(frozen=True)
class ModularArithmetic(ContextFreeTask):
    """An expression of digits from 0 to 4 with brackets in; its value modulo 5 out, as
    ((1+3)*-2) and 2.

    An expression of 1 to 4 symbols is a digit, its negative, or one of both in
    brackets. A longer one is two expressions in brackets, with an operator between
    them; all sizes of the left one are equally likely.

    Args:
        min_length: Fewest symbols.
        max_length: Most symbols.
        computation_steps: Steps before the answer, for each symbol.
    Raises:
        ValueError: If a parameter is out of its range, or `min_length > max_length`.
    Reference:
        Delétang, Ruoss et al. (2023), arXiv:2207.02098.
    """

    name = "modular-arithmetic"
    alphabet = SYMBOLS
    answers = "01234"

    def draw_strings(
        self, count: int, length: int, rng: np.random.Generator
    ) -> np.ndarray:
        return draw_expressions(count, length, (PLUS, MINUS, TIMES), rng)

    def answer(self, strings: np.ndarray) -> np.ndarray:
        values = [value_of(string) for string in strings.tolist()]
        check_sequence(self, None not in values, "is no expression")
        return np.array(values, np.intp)[:, None]
