"""The parameters of a training run, importable without Keras."""

import dataclasses
import math
import numbers
from typing import Self

from tasks.base import Success, check_integer


def solved_at(history: list[dict], success: Success) -> int | None:
    """Sequences seen at the end of the first epoch that was a success, or None."""
    for row in history:
        if row[success.measure] < success.below:
            return int(row["sequences"])
    return None


@dataclasses.dataclass(frozen=True)
class TrainingConfig:
    """How a model is trained; the fields are the options of the command line.

    Args:
        seed: Seed of the initial weights and of the data.
        sequences: Budget of training sequences, in whole epochs of 100 batches. The
            model's own if not given.
        batch_size: Sequences in one step.
        learning_rate: Adam's, at the start; it falls to zero along a cosine. The
            task's or the model's own if not given.
        clip_norm: Largest norm of all gradients together; larger ones are scaled down.
            The task's or the model's own if not given.
        stop_when_solved: Stop at the first epoch that is a success, see `Task.success`.
    Raises:
        ValueError: If a value is out of its range.
    """

    seed: int = 1
    sequences: int | None = None
    batch_size: int = 16
    learning_rate: float | None = None
    clip_norm: float | None = None
    # Off: training on after the first success is what sharpens the longer lengths.
    stop_when_solved: bool = False

    def __post_init__(self):
        check_integer("seed", self.seed, minimum=0)
        if self.sequences is not None:
            check_integer("sequences", self.sequences)
        check_integer("batch_size", self.batch_size)
        for name in ("learning_rate", "clip_norm"):
            value = getattr(self, name)
            if value is None:
                continue
            if not isinstance(value, numbers.Real) or not 0 < value < math.inf:
                raise ValueError(
                    f"`{name}` must be a positive number. Received: {name}={value!r}"
                )

    def resolved(self, task, model) -> Self:
        """The same with the task's or the model's own values where none were given."""
        own = {
            "sequences": model.sequences,
            "learning_rate": model.learning_rate,
            "clip_norm": model.clip_norm,
            **task.training_parameters.get(model.name, {}),
        }
        missing = {k: v for k, v in own.items() if getattr(self, k) is None}
        return dataclasses.replace(self, **missing)

    @property
    def steps_per_epoch(self) -> int:
        """Batches an epoch: 100, the window in which success is judged, or fewer."""
        return min(100, max(1, self._budget // self.batch_size))

    @property
    def epochs(self) -> int:
        """Whole epochs within the budget, at least one."""
        return max(1, self._budget // (self.batch_size * self.steps_per_epoch))

    @property
    def _budget(self) -> int:
        if self.sequences is None:
            raise ValueError("`sequences` must be set, by hand or with `resolved`.")
        return self.sequences
