"""How captions of files are trained on: a budget, and passes over the captions."""

from typing import Any

import numpy as np

from ..contract.parts import Batch
from ..contract.recipe import Settings
from ..contract.splits import Budget
from ..contract.stream import Stream
from ..models.base import ModelConfig
from ..text.buckets import Passes
from .base import CaptioningRecipe

# Tuned on 12 pictures; of many captions as those of translation, see docs/training.md.
BUDGET = Budget(size=29_000, passes=13, least_steps=400, most_epoch_steps=500)
# Models of features that have nothing to choose from by attention.
OF_ONE_CELL = ("cnn-gru", "cnn-lstm", "cnn-ntm")


class PhotoRecipe(CaptioningRecipe):
    """The budget goes by the number of captions."""

    validation_measure = "val_meteor"

    def __init__(self, task: Any) -> None:
        super().__init__(task)
        if len(task.shape) == 2 and task.shape[0] == 1:
            self.compared_models = OF_ONE_CELL

    @property
    def training(self) -> Settings:
        size = self.task.pass_sequences
        return {ModelConfig: BUDGET.training(size, size, batch_size=64)}


class PhotoStream(Stream):
    """Passes over the captions, each with its picture."""

    def batch(self, index: int, size: int, seed: int) -> Batch:
        task = self.task
        passes = task.once("passes", lambda: Passes([np.arange(len(task._pairs))]))
        return task._batch(passes.rows(index, size, seed))
