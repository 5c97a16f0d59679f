"""A task as the batches that a model is trained with."""

import keras
import numpy as np

from ..base import Batch

# Chosen. Of a curriculum, one block in five has sequences of every size, so that what
# comes is not wholly new (Zaremba, Sutskever, 2014, Learning to Execute, mix as well).
FULL_SIZE = 0.2
# Chosen. Sequences are drawn in blocks of so many, whatever the batch size: models that
# are compared see the same ones in the same order.
BLOCK = 16


class TaskSequence(keras.utils.PyDataset):
    """Batches of a task, each a pure function of the seed, the epoch and the index.

    A batch is the next piece of one stream of sequences, which depends on the seed and
    the curriculum, not on the batch size.
    """

    def __init__(self, task, config):
        super().__init__()
        self.task = task
        self.config = config
        self.epoch = 0
        self.steps = task.sample(1, 0).mask.shape[1]
        self._last = None, None

    def __len__(self):
        return self.config.steps_per_epoch

    def __getitem__(self, index):
        size = self.config.batch_size
        first, skipped = divmod((self.epoch * len(self) + index) * size, BLOCK)
        blocks = [self._block(first + n) for n in range(-(-(skipped + size) // BLOCK))]
        return tuple(
            np.concatenate(arrays)[skipped : skipped + size]
            for arrays in zip(*blocks, strict=True)
        )

    def _block(self, index):
        # Of a block that is larger than a batch, the rest is wanted next.
        last, block = self._last
        if last != index:
            block = self._draw(index)
            self._last = index, block
        return block

    def _draw(self, block):
        rng = np.random.default_rng([self.config.seed, *divmod(block, 100)])
        # At the end of the block: none that reaches into an epoch after the curriculum
        # has easier sequences.
        share = self.config.curriculum_share((block + 1) * BLOCK)
        task = self.task
        if share < 1 and rng.random() > FULL_SIZE:
            task = task.easier(share)
        # Each new shape would be compiled anew.
        return padded(task.sample_for_training(BLOCK, rng), self.steps)


def padded(batch: Batch, steps: int) -> Batch:
    """A batch with further steps that do not count."""
    missing = steps - batch.mask.shape[1]
    return Batch(
        *(
            np.pad(array, [(0, 0), (0, missing), (0, 0)][: array.ndim])
            for array in batch
        )
    )
