"""The tasks' training parameters work: small tasks, a fixed seed, a threshold.

Each run takes some seconds, and ends as soon as the threshold is reached.
docs/results.md says which tasks are learned at full size, and by how many seeds.
"""

import keras
import pytest

import memnets
import tasks
from tasks.registry import get_model

SEED = 1
# Task, model, memory rows, sequences, and what the measure of an epoch must come below.
RECIPES = [
    (tasks.Copy(4, 1, 6), "ntm-feedforward", 16, 9_600, 0.01),
    (tasks.Copy(4, 1, 6), "ntm-lstm", 16, 32_000, 0.1),
    (tasks.Copy(4, 1, 6), "dnc-feedforward", 16, 9_600, 0.1),
    # Items of two vectors, so that some are similar; a list and its query are 20 steps.
    (tasks.AssociativeRecall(4, 2, 2, 4), "ntm-feedforward", 32, 16_000, 0.05),
    (tasks.RepeatCopy(4, 1, 3, 1, 3, 3), "ntm-feedforward", 16, 19_200, 0.3),
    # An answer has 4 bits; chance is 4.
    (tasks.PrioritySort(2, 4, 2), "ntm-lstm", 16, 16_000, 1.5),
    # The best possible is 19.2; without the context the best is 22.8.
    (tasks.DynamicNGrams(1, 30), "ntm-lstm", 16, 8_000, 20.5),
]


class StopBelow(keras.callbacks.Callback):
    """Ends a training whose measure is below a bound, never during a curriculum."""

    def __init__(self, measure, bound, curriculum):
        super().__init__()
        self.measure, self.bound, self.curriculum = measure, bound, curriculum

    def on_epoch_end(self, epoch, logs=None):
        if epoch >= self.curriculum * self.params["epochs"]:
            self.model.stop_training = logs[self.measure] < self.bound


def named(recipe):
    task, model, *_ = recipe
    return f"{task.name}-{model}"


# Another backend computes the same values, so that one is enough.
@pytest.mark.skipif(
    keras.backend.backend() != "tensorflow" or not memnets.native.is_available(),
    reason="takes minutes",
)
@pytest.mark.parametrize("recipe", RECIPES, ids=named)
def test_recipe_learns(recipe):
    task, model, rows, sequences, below = recipe
    config = get_model(model, task, memory_size=rows, word_size=10)
    measure = task.success.measure
    curriculum = task.recipe.training_parameters(type(config)).get("curriculum", 0)
    result = tasks.train(
        task,
        config,
        sequences=sequences,
        seed=SEED,
        progress=False,
        callbacks=[StopBelow(measure, below, curriculum)],
    )
    assert result.history[-1][measure] < below
