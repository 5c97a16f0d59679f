"""Tasks whose examples are finite arrays, in splits."""

import abc
import dataclasses
import functools
from collections.abc import Iterator

import numpy as np

from .batch_checks import check_draw
from .evaluation import STEPS_PER_BATCH
from .neighbours import Beside
from .parts import Batch
from .splits import NamedSplitEvaluation, SplitTask
from .stream import Stream


class FiniteEvaluation(NamedSplitEvaluation):
    """An evaluation on all examples of a split."""

    @property
    def num_eval_sequences(self) -> int:
        return len(self.task._examples().targets)

    def eval_batches(
        self, num_sequences: int, rng: np.random.Generator
    ) -> Iterator[Batch]:
        """The examples of the split in order, at most `num_sequences` of them."""
        examples = self.task._examples()
        count = min(num_sequences, len(examples.targets))
        size = max(1, STEPS_PER_BATCH // examples.steps)
        for start in range(0, count, size):
            part = slice(start, min(start + size, count))
            yield examples.map(lambda array, part=part: array[part])


class FiniteStream(Stream):
    """The examples of a split in an order that is drawn anew for each pass."""

    def batch(self, index: int, size: int, seed: int) -> Batch:
        examples = self.task._examples()
        count = len(examples.targets)
        places = range(index * size, (index + 1) * size)
        order = [_order(seed, place // count, count)[place % count] for place in places]
        return examples.map(lambda array: array[order])


@dataclasses.dataclass(frozen=True)
class FiniteTask(SplitTask):
    """A task with a fixed set of examples: a subclass gives the arrays of each split.

    Training goes through the split "train" in an order that is drawn anew for each
    pass. Evaluation goes through the whole split "validation", or, where it is asked
    for by name, "test".
    """

    stream = Beside(FiniteStream)

    evaluation = Beside(FiniteEvaluation)

    @abc.abstractmethod
    def examples(self, split: str) -> Batch:
        """All examples of a split of `SPLITS`, always in the same order. They are kept
        in memory."""

    @property
    def pass_sequences(self) -> int:
        return len(self.on("train")._examples().targets)

    def _examples(self) -> Batch:
        # Kept by this object: training asks for them once a batch.
        kept = self.__dict__.setdefault("_kept", {})
        if self.split not in kept:
            kept[self.split] = self.examples(self.split)
        examples = kept[self.split]
        if not len(examples.targets):
            raise ValueError(
                f"`examples` of the task {self.name} must have an example in the split "
                f"{self.split!r}. Received: none"
            )
        return examples

    def sample(
        self, batch_size: int, rng: int | np.random.Generator | None = None
    ) -> Batch:
        batch_size, generator = check_draw(batch_size, rng)
        examples = self._examples()
        count = len(examples.targets)
        places = generator.integers(0, count, batch_size)
        return examples.map(lambda array: array[places])


@functools.lru_cache(maxsize=4)
def _order(seed: int, number: int, count: int) -> np.ndarray:
    """The order of the examples in one pass over them."""
    return np.random.default_rng([seed, number]).permutation(count)
