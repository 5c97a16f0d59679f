"""Two binary numbers in; their product out."""

import dataclasses

import numpy as np

from .binary_numbers import LEAST_PAIR, NumberPairTask


@dataclasses.dataclass(frozen=True)
class BinaryMultiplication(NumberPairTask):
    """Two binary numbers in, the lowest bit first; their product and the end symbol
    out, as 011*11 and 01001$ for 6 * 3.

    The numbers are from 1 on, of random sizes, and may have zeros after their highest
    one; the product has none. A string of 1 or 2 symbols has no room for two numbers:
    it is one number, and the answer has one zero less than the string has symbols.

    Args:
        min_length: Fewest symbols.
        max_length: Most symbols.
        computation_steps: Steps before the answer, for each symbol.
    Raises:
        ValueError: If a parameter is out of its range, or `min_length > max_length`.
    Reference:
        Delétang, Ruoss et al. (2023), arXiv:2207.02098.
    """

    name = "binary-multiplication"
    alphabet = "01*"
    separator = "*"

    def answer_steps(self, steps: int) -> int:
        return steps

    def answer(self, strings: np.ndarray) -> np.ndarray:
        length = strings.shape[1]
        if length < LEAST_PAIR:
            self.check_bits(strings)
            return self.written([0] * len(strings), length, least=length - 1)
        products = [first * second for first, second in self.numbers(strings)]
        return self.written(products, length)
