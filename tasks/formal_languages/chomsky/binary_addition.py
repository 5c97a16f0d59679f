"""Two binary numbers in; their sum out."""

import dataclasses

import numpy as np

from ...contract.neighbours import Beside
from ...contract.recipe import Settings
from ...models.base import ModelConfig
from ...models.ntm import NTMConfig, NTMFeedforward
from .binary_numbers import LEAST_PAIR, NumberPairTask, to_integers
from .protocol_parts import ContextSensitiveRecipe


class BinaryAdditionRecipe(ContextSensitiveRecipe):
    """An NTM with four read heads, and a longer training."""

    @property
    def models(self) -> Settings:
        usual = super().models
        return {**usual, NTMFeedforward: {**usual[NTMConfig], "num_read_heads": 4}}

    @property
    def training(self) -> Settings:
        # Tuned, see benchmarks/trials.md: with two heads 75% of the symbols were right.
        usual = super().training
        return {**usual, NTMFeedforward: {**usual[ModelConfig], "sequences": 256_000}}


@dataclasses.dataclass(frozen=True)
class BinaryAddition(NumberPairTask):
    """Two binary numbers in, the lowest bit first; their sum and the end symbol out, as
    011+1 and 111$ for 6 + 1.

    The numbers are from 1 on, of random sizes, and may have zeros after their highest
    one; the sum has none. A string of 1 or 2 symbols has no room for two numbers: it is
    one number, which may be 0, and that is its sum.

    Deviation: in the public code such a number has not all bits set.

    Args:
        min_length: Fewest symbols.
        max_length: Most symbols.
        computation_steps: Steps before the answer, for each symbol.
    Raises:
        ValueError: If a parameter is out of its range, or `min_length > max_length`.
    Reference:
        Delétang, Ruoss et al. (2023), arXiv:2207.02098.
    """

    name = "binary-addition"
    alphabet = "01+"
    separator = "+"
    recipe = Beside(BinaryAdditionRecipe)

    def answer_steps(self, steps: int) -> int:
        return steps + 1

    def answer(self, strings: np.ndarray) -> np.ndarray:
        length = strings.shape[1]
        if length < LEAST_PAIR:
            self.check_bits(strings)
            sums = to_integers(strings)
        else:
            sums = [sum(pair) for pair in self.numbers(strings)]
        return self.written(sums, self.answer_steps(length))
