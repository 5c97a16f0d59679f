"""An expression without brackets in; its value modulo 5 out."""

import dataclasses

import numpy as np

from ...contract.batch_checks import check_sequence
from ...contract.neighbours import Beside
from .expressions import MODULUS
from .protocol import RegularTask
from .protocol_parts import StateRecipe


@dataclasses.dataclass(frozen=True)
class ModularArithmeticSimple(RegularTask):
    """Digits from 0 to 4 with an operator between neighbours in; the value modulo 5
    out, as 1-2*3 and 0.

    A product comes before a sum and a difference, as usual. An expression has an odd
    number of symbols: a length that is even means one symbol less.

    Args:
        min_length: Fewest symbols.
        max_length: Most symbols.
        computation_steps: Steps before the answer, for each symbol.
    Raises:
        ValueError: If a parameter is out of its range, or `min_length > max_length`.
    Reference:
        Delétang, Ruoss et al. (2023), arXiv:2207.02098.
    """

    name = "modular-arithmetic-simple"
    alphabet = "01234+-*"
    answers = "01234"
    recipe = Beside(StateRecipe, solved_by=("lstm", "stack", "ntm-lstm"))

    def string_steps(self, length: int) -> int:
        return length - (length + 1) % 2

    def draw_strings(
        self, count: int, length: int, rng: np.random.Generator
    ) -> np.ndarray:
        strings = rng.integers(MODULUS, size=(count, self.string_steps(length)))
        operators = strings[:, 1::2]
        operators[:] = rng.integers(MODULUS, len(self.alphabet), operators.shape)
        return strings

    def answer(self, strings: np.ndarray) -> np.ndarray:
        digits, operators = strings[:, ::2], strings[:, 1::2]
        is_expression = (digits < MODULUS).all() and (operators >= MODULUS).all()
        is_expression &= strings.shape[1] % 2 == 1
        check_sequence(self, is_expression, "is no expression")
        # The sum of what is left of the last product, and that product.
        total, product = np.zeros(len(strings), np.intp), digits[:, 0]
        for sign, digit in zip(operators.T, digits.T[1:], strict=True):
            times = sign == self.alphabet.index("*")
            total = np.where(times, total, total + product) % MODULUS
            factor = np.where(times, product, np.where(sign == MODULUS, 1, -1))
            product = factor * digit % MODULUS
        return ((total + product) % MODULUS)[:, None]
