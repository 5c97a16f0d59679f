"""How a model is measured on a task: on which sequences, and by what."""

import collections
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any

import numpy as np

from .parts import Batch, Scores

if TYPE_CHECKING:
    import keras

# Heuristic: sequences in one batch of an evaluation hold about so many steps, so that
# the memory needed does not depend on the length.
STEPS_PER_BATCH = 20_000


class Evaluation:
    """How a model is measured on a task. This one averages `Task.errors` over fresh
    sequences; a family of tasks has its own, in a class attribute of the task:
    `evaluation = Beside(SizedEvaluation)`.

    Args:
        task: The task.
    """

    # Heuristic: sequences of each size.
    eval_sequences: int = 100
    # What `sizes` are, the heading of their column.
    heading: str = "size"

    def __init__(self, task: Any) -> None:
        self.task = task

    @property
    def eval_tasks(self) -> tuple[Any, ...]:
        """The tasks to evaluate on unless told otherwise."""
        return (self.task,)

    @property
    def score_measure(self) -> str | None:
        """The value, a share, whose mean over lengths is the score of a test of
        lengths; None for a task that has no such test."""
        return None

    def at_length(self, length: int) -> Any:
        """The same task with every sequence of the given length.

        Raises:
            ValueError: If the task has no sequences of that length.
        """
        raise ValueError(
            f"`lengths`: the task {self.task.name} has no lengths to choose."
        )

    @property
    def sizes(self) -> str:
        """The sizes of the sequences in words: "20", "1-20" or "1-10 x 1-10"; "all" for
        a task without sizes."""
        size = self.task.size
        return " x ".join(map(str, size)) if any(size) else "all"

    @property
    def num_eval_sequences(self) -> int:
        """Sequences of an evaluation unless told otherwise."""
        return self.eval_sequences

    def eval_batches(
        self, num_sequences: int, rng: np.random.Generator
    ) -> Iterator[Batch]:
        """Batches of one shape that hold at least `num_sequences` fresh sequences."""
        steps = self.task.sample(1, 0).steps
        batch_size = min(num_sequences, max(1, STEPS_PER_BATCH // steps))
        for _ in range(-(-num_sequences // batch_size)):
            yield self.task.sample(batch_size, rng)

    def measured(
        self, model: "keras.Model", batch: Batch
    ) -> tuple[dict[str, np.ndarray], np.ndarray]:
        """Errors and scores of a Keras model on each sequence, `(B,)` by name, and how
        much each sequence counts in their means, `(B,)`."""
        outputs = np.asarray(model.predict_on_batch(batch.inputs), float)
        return self.task.errors(batch, outputs), np.ones(len(batch.mask))

    def score(
        self, model: "keras.Model", num_sequences: int, rng: np.random.Generator
    ) -> Scores:
        """What an evaluation reports of a Keras model: means over the sequences, or the
        scores of a corpus as a whole."""
        values: dict[str, list[float]] = collections.defaultdict(list)
        weights: list[float] = []
        for batch in self.eval_batches(num_sequences, rng):
            of_batch, counts = self.measured(model, batch)
            for name, of_sequences in of_batch.items():
                values[name].extend(of_sequences)
            weights.extend(counts)
        weights = weights[:num_sequences]
        means = {
            name: float(np.average(of_sequences[:num_sequences], weights=weights))
            for name, of_sequences in values.items()
        }
        return Scores(means, {}, {}, min(num_sequences, *map(len, values.values())))

    def validator(self, model: "keras.Model") -> Callable[[], dict[str, float]] | None:
        """What measures a Keras model on validation data, after each epoch of its
        training; None if nothing does."""
        return None

    def is_right(self, values: dict[str, float]) -> bool | None:
        """Whether a network is right on sequences of this task, by the values of an
        evaluation; None if that cannot be said."""
        return None
