"""An equation with one unknown in; the unknown out."""

import dataclasses

import numpy as np

from ...contract.batch_checks import check_sequence
from .expressions import MINUS, MODULUS, PLUS, SYMBOLS, draw_expressions, value_of
from .protocol import ContextFreeTask

# As in other expressions, without a product, which need not have one solution only.
ALPHABET = SYMBOLS.removesuffix("*") + "x="
UNKNOWN, EQUALS = ALPHABET.index("x"), ALPHABET.index("=")
# Fewest symbols of an equation.
LEAST = 3


@dataclasses.dataclass(frozen=True)
class SolveEquation(ContextFreeTask):
    """An equation modulo 5 with one unknown digit x in; the unknown out, as (x-(-3))=1
    and 3.

    On its left is an expression as in the task modular-arithmetic, without products, in
    which x stands for the first digit from a random place on, and on from its start if
    there is none. On its right is the value. Strings of 1 and 2 symbols have no room
    for an equation: they are zeros, and so is the answer.

    Args:
        min_length: Fewest symbols.
        max_length: Most symbols.
        computation_steps: Steps before the answer, for each symbol.
    Raises:
        ValueError: If a parameter is out of its range, or `min_length > max_length`.
    Reference:
        Delétang, Ruoss et al. (2023), arXiv:2207.02098.
    """

    name = "solve-equation"
    alphabet = ALPHABET
    answers = "01234"
    least_length = LEAST

    def draw_strings(
        self, count: int, length: int, rng: np.random.Generator
    ) -> np.ndarray:
        if length < LEAST:
            return np.zeros((count, length), np.intp)
        size = length - 2
        left = draw_expressions(count, size, (PLUS, MINUS), rng)
        right = np.array([value_of(one) for one in left.tolist()], np.intp)
        place = rng.integers(size, size=(count, 1))
        order = (place + np.arange(size)) % size
        is_digit = np.take_along_axis(left < MODULUS, order, axis=1)
        rows = np.arange(count)
        left[rows, order[rows, is_digit.argmax(axis=1)]] = UNKNOWN
        return np.column_stack([left, np.full(count, EQUALS), right])

    def answer(self, strings: np.ndarray) -> np.ndarray:
        if strings.shape[1] < LEAST:
            check_sequence(self, not strings.any(), "is no equation")
            return np.zeros((len(strings), 1), np.intp)
        left, right = strings[:, :-2], strings[:, -1]
        is_equation = ((left == UNKNOWN).sum(axis=1) == 1).all()
        is_equation &= (strings[:, -2] == EQUALS).all() and (right < MODULUS).all()
        at_zero, at_one = (
            [value_of(e) for e in np.where(left == UNKNOWN, digit, left).tolist()]
            for digit in (0, 1)
        )
        is_equation &= None not in at_zero
        check_sequence(self, is_equation, "is no equation")
        # The left side is at_zero + slope x, with a slope of 1 or -1, its own inverse.
        slope = np.array(at_one) - np.array(at_zero)
        return (slope * (right - np.array(at_zero)) % MODULUS)[:, None]
