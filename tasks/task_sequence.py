"""A task as the batches that a model is trained with."""

import keras
import numpy as np

from tasks.base import Batch

# Chosen. Of a curriculum, one batch in five has sequences of every size, so that what
# comes is not wholly new (Zaremba, Sutskever, 2014, Learning to Execute, mix as well).
FULL_SIZE = 0.2


class TaskSequence(keras.utils.PyDataset):
    """Batches of a task, each a pure function of the seed, the epoch and the index."""

    def __init__(self, task, config):
        super().__init__()
        self.task = task
        self.config = config
        self.epoch = 0
        self.steps = task.sample(1, 0).mask.shape[1]

    def __len__(self):
        return self.config.steps_per_epoch

    def __getitem__(self, index):
        rng = np.random.default_rng([self.config.seed, self.epoch, index])
        share = self.config.curriculum_share(self.epoch)
        task = self.task
        if share < 1 and rng.random() > FULL_SIZE:
            task = task.easier(share)
        # Each new shape would be compiled anew.
        batch = task.sample_for_training(self.config.batch_size, rng)
        return tuple(padded(batch, self.steps))


def padded(batch: Batch, steps: int) -> Batch:
    """A batch with further steps that do not count."""
    missing = steps - batch.mask.shape[1]
    return Batch(
        *(
            np.pad(array, [(0, 0), (0, missing), (0, 0)][: array.ndim])
            for array in batch
        )
    )
