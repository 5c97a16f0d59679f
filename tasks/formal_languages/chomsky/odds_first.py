"""Bits in; those at every second place before the others out."""

import dataclasses

import numpy as np

from ...contract.neighbours import Beside
from ...contract.recipe import Settings
from ...models.base import ModelConfig
from ...models.ntm import NTMConfig
from ...models.stack import StackModel
from .protocol import ContextSensitiveTask
from .protocol_parts import ContextSensitiveRecipe


class OddsFirstRecipe(ContextSensitiveRecipe):
    """First an NTM with an LSTM; several starts of it and of two queues."""

    solved_by = ("ntm-lstm",)
    compared_models = ("ntm-lstm", "ntm-feedforward", "stack", "tape", "lstm")

    @property
    def training(self) -> Settings:
        # Tuned, see benchmarks/trials.md: half of the starts of `ntm-lstm` learned it,
        # within 67,000, and a third of those of two queues.
        usual = super().training
        starts = {"sequences": 512_000, "starts": 4, "start_sequences": 64_000}
        started = {**usual[ModelConfig], **starts}
        return {**usual, NTMConfig: started, StackModel: started}


@dataclasses.dataclass(frozen=True)
class OddsFirst(ContextSensitiveTask):
    """Bits in; the second, the fourth and so on, then the first, the third and so on
    out, as 01010 and 11000.

    Counted from 0 these places are the odd ones, then the even ones.

    Args:
        min_length: Fewest bits.
        max_length: Most bits.
        computation_steps: Steps before the answer, for each bit.
    Raises:
        ValueError: If a parameter is out of its range, or `min_length > max_length`.
    Reference:
        Delétang, Ruoss et al. (2023), arXiv:2207.02098.
    """

    name = "odds-first"
    alphabet = "01"
    answers = "01"
    recipe = Beside(OddsFirstRecipe)

    def answer_steps(self, steps: int) -> int:
        return steps

    def answer(self, strings: np.ndarray) -> np.ndarray:
        return np.concatenate([strings[:, 1::2], strings[:, ::2]], axis=1)
