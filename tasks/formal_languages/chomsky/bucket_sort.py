"""Digits in; the same digits in order out."""

import dataclasses

import numpy as np

from ...contract.neighbours import Beside
from ...contract.recipe import Settings
from ...models.base import ModelConfig
from ...models.stack import StackModel
from ..stack_training import FIVE_STACKS
from .protocol import ContextSensitiveTask
from .protocol_parts import ContextSensitiveRecipe


class BucketSortRecipe(ContextSensitiveRecipe):
    """First five stacks, with many starts."""

    solved_by = ("stack",)
    compared_models = ("stack", "lstm", "ntm-lstm")

    @property
    def models(self) -> Settings:
        usual = super().models
        depth = usual[StackModel]["depth"]
        return {**usual, StackModel: {**FIVE_STACKS, "depth": depth}}

    @property
    def training(self) -> Settings:
        # Tuned, see benchmarks/trials.md: about one start in five learned it, and
        # with six starts three of ten seeds had none.
        usual = super().training
        starts = {"sequences": 384_000, "starts": 16, "start_sequences": 16_000}
        started = {**usual[ModelConfig], **starts, "curriculum": 0.5}
        return {**usual, StackModel: started}


@dataclasses.dataclass(frozen=True)
class BucketSort(ContextSensitiveTask):
    """Digits from 0 to 4 in; the same digits from the smallest to the largest out, as
    40211 and 01124.

    Args:
        min_length: Fewest digits.
        max_length: Most digits.
        computation_steps: Steps before the answer, for each digit.
    Raises:
        ValueError: If a parameter is out of its range, or `min_length > max_length`.
    Reference:
        Delétang, Ruoss et al. (2023), arXiv:2207.02098.
    """

    name = "bucket-sort"
    alphabet = "01234"
    answers = "01234"
    recipe = Beside(BucketSortRecipe)

    def answer_steps(self, steps: int) -> int:
        return steps

    def answer(self, strings: np.ndarray) -> np.ndarray:
        return np.sort(strings, axis=1)
