"""The stream of a task: where its training batches come from."""

import random
from typing import Any, Protocol, runtime_checkable

import numpy as np

from .parts import Batch

# Heuristic: during a curriculum one block in five has sequences of every size, as in
# Zaremba and Sutskever (2014), Learning to Execute, section 6.
FULL_SIZE = 0.2


@runtime_checkable
class Staged(Protocol):
    """A task that chooses by itself which task draws a block during a curriculum."""

    def staged(self, share: float, rng: np.random.Generator) -> Any:
        """The task that draws a block, `share` < 1 of the way through."""


class Stream:
    """The batches that a task is trained with.

    Batches are cut from a stream of sequences, which is drawn in blocks of `sample` of
    the task of each `stage`; or `batch` gives whole batches.

    Args:
        task: The task.
    """

    def __init__(self, task: Any) -> None:
        self.task = task

    def sample(
        self, batch_size: int, rng: int | np.random.Generator | None = None
    ) -> Batch:
        """Draws a batch to train with: as `Task.sample` does, unless a task trains on
        more than its definition asks for."""
        return self.task.sample(batch_size, rng)

    def batch(self, index: int, size: int, seed: int) -> Batch | None:
        """Batch number `index` of the training, of a task whose batches differ in
        shape or come from a finite set; None if batches are cut from the stream.

        Keras on TensorFlow must know which lengths vary: the first two batches of a
        stream of this package differ in them. Of your own, any batches may differ.
        Models that are compared see the same sequences if their batch sizes are equal.
        A stream that has `staged_batch(share, index, size, seed)` too draws with it
        during a curriculum, `share` < 1 of the way through; others refuse one.
        """
        return None

    def easier(self, share: float) -> Any:
        """The same task with its largest size `share` of the way from its smallest, for
        a curriculum.

        Raises:
            ValueError: If the task has sequences of one size only.
        """
        raise self.no_easier()

    def no_easier(self) -> ValueError:
        """What is wrong with a curriculum of a task that has none."""
        return ValueError(
            f"`curriculum`: the task {self.task.name} has no easier sequences."
        )

    def stage(self, share: float, rng: np.random.Generator) -> Any:
        """The task that draws a block of training, `share` of the way through a
        curriculum; 1 after it. One block in five is of the whole task, unless the task
        is `Staged`."""
        if share >= 1:
            return self.task
        if isinstance(self.task, Staged):
            return self.task.staged(share, rng)
        return self.easier(share) if rng.random() > FULL_SIZE else self.task


def choices_from(generator: np.random.Generator) -> random.Random:
    """A generator of Python's, which draws single numbers many times as fast."""
    return random.Random(int(generator.integers(2**63)))
