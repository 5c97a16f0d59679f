"""A task as the batches that a model is trained with."""

from collections.abc import Sequence

import keras
import numpy as np

from ..contract.of_few_tasks import staged_batch
from ..contract.sampled import check_sampled
from ..contract.task import Batch, Task
from ..own_code import is_own
from ..training_options.training_config import TrainingConfig
from .stateful import steps_until_end

# Sequences are drawn in blocks of this many, whatever the batch size, so that models
# that are compared see the same sequences in the same order.
BLOCK = 16


class TaskSequence(keras.utils.PyDataset):
    """Batches of a task, each a pure function of the seed, the epoch and the index.

    The batches are consecutive pieces of one stream of sequences, which depends on the
    seed and the curriculum, but not on the batch size.

    Args:
        task: The task.
        config: A resolved configuration.
        part: `(index, count)`: only this one of `count` equal parts of each batch, for
            a process that trains together with others. Sequences of the other parts
            are not drawn, but those in the same block and in batches that a task draws
            whole.
    Raises:
        TypeError: If the task does not draw a `Batch` of NumPy arrays.
        ValueError: If its arrays differ in length, or the inputs have a wrong shape.
    """

    def __init__(
        self, task: Task, config: TrainingConfig, part: tuple[int, int] = (0, 1)
    ) -> None:
        super().__init__()
        self.task = task
        self.config = config
        self.batch_size = config.sequences_per_epoch // config.steps_per_epoch
        index, count = part
        if self.batch_size % count:
            raise ValueError(
                f"`batch_size` must be a multiple of {count}, the number of processes. "
                f"Received: batch_size={self.batch_size}"
            )
        self._part_size = self.batch_size // count
        self._part_start = index * self._part_size
        self.epoch = 0
        self._inputs = task.inputs()
        self.steps = self._checked(task.sample(1, 0)).steps
        self._last: tuple[int, Batch] | None = None

    def __len__(self) -> int:
        return self.config.steps_per_epoch

    def __getitem__(self, index: int) -> tuple:
        return self._parts(self._batch(index))

    def _parts(self, batch: Batch) -> tuple:
        inputs, targets, mask = batch
        if self.config.stateful:
            return (inputs, steps_until_end(mask)), targets, mask
        return inputs, targets, mask

    def other_lengths(self) -> list[tuple]:
        """Batches in which each axis whose length varies has another one than in the
        first batch: `fit` on TensorFlow must know these axes."""
        # An epoch may have one batch only: the next one is of the next epoch.
        others = [self[1]] if len(self) == 1 else []
        stream = self.task.stream
        whole = stream.batch(0, self.batch_size, self.config.seed) is not None
        if whole and is_own(type(stream)):
            # Nobody knows whether its second batch differs from the first.
            others.append(self._parts(self._longer(self._batch(0))))
        return others

    def _longer(self, batch: Batch) -> Batch:
        """A batch that is longer by 1 along each axis whose length may vary."""

        def pad(array: np.ndarray, shape: Sequence[int | None]) -> np.ndarray:
            return np.pad(array, [(0, size is None) for size in shape])

        inputs = keras.tree.map_structure(
            lambda array, known: pad(array, known.shape), batch.inputs, self._inputs
        )
        steps = [None, None if self.task.every_step else 1]

        def longer(array: np.ndarray) -> np.ndarray:
            return pad(array, (steps + [1] * array.ndim)[: array.ndim])

        return Batch(inputs, longer(batch.targets), longer(batch.mask))

    def _batch(self, index: int) -> Batch:
        number, size = self.epoch * len(self) + index, self._part_size
        whole = self._whole_batch(number)
        if whole is not None:
            part = slice(self._part_start, self._part_start + size)
            return self._checked(whole).map(lambda array: array[part])
        start = number * self.batch_size + self._part_start
        first, skipped = divmod(start, BLOCK)
        blocks = [self._block(first + n) for n in range(-(-(skipped + size) // BLOCK))]
        return keras.tree.map_structure(
            lambda *arrays: np.concatenate(arrays)[skipped : skipped + size], *blocks
        )

    def _whole_batch(self, number: int) -> Batch | None:
        """A batch of a task that draws whole ones."""
        stream, size = self.task.stream, self.batch_size
        share = self.config.curriculum_share((number + 1) * size)
        if share < 1:
            return staged_batch(self.task, share, number, size, self.config.seed)
        return stream.batch(number, size, self.config.seed)

    def _checked(self, batch: Batch) -> Batch:
        return check_sampled(self.task, batch, self._inputs)

    def _block(self, index: int) -> Batch:
        # Keep the last block: the next batch usually continues it.
        if self._last is None or self._last[0] != index:
            self._last = index, self._draw(index)
        return self._last[1]

    def _draw(self, block: int) -> Batch:
        rng = np.random.default_rng([self.config.seed, *divmod(block, 100)])
        # Use the curriculum share at the block's end, so that no block crosses the end
        # of the curriculum.
        share = self.config.curriculum_share((block + 1) * BLOCK)
        task = self.task.stream.stage(share, rng)
        batch = task.stream.sample(BLOCK, rng)
        # A new shape would be compiled again.
        return padded(self._checked(batch), self.steps, task.every_step)


def padded(batch: Batch, steps: int, every_step: bool = True) -> Batch:
    """A batch padded to a number of steps; the added steps do not count.

    Args:
        batch: The batch.
        steps: The number of steps.
        every_step: Whether targets and mask have a time axis too.
    Raises:
        ValueError: If the batch has more steps, or other ones and several inputs.
    """
    length = batch.steps
    if length == steps:
        return batch
    # Which axis of several inputs is time, nobody knows.
    if length > steps or isinstance(batch.inputs, dict):
        raise ValueError(
            "`sample` must give all batches of a task the same number of steps. "
            f"Received: batches of {steps} and of {length} steps"
        )

    def pad(array: np.ndarray) -> np.ndarray:
        widths = [(0, 0), (0, steps - length)] + [(0, 0)] * (array.ndim - 2)
        return np.pad(array, widths)

    inputs, targets, mask = batch
    if not every_step:
        return Batch(pad(inputs), targets, mask)
    return Batch(pad(inputs), pad(targets), pad(mask))
