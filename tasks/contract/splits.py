"""Tasks whose data is in splits: for training, for validation, for testing."""

import abc
import copy
import dataclasses
from typing import Any, ClassVar, Self

from ..checks import check_choice
from .evaluation import Evaluation
from .neighbours import Beside
from .task import Task

SPLITS = ("train", "validation", "test")
# The split that is all of the data, of a task that has one.
WHOLE = "all"
# Tuned: passes over the data go with its size to this power, up to so many, see
# docs/training.md.
PASSES_POWER = -0.5
MOST_PASSES = 20
# Heuristic: epochs of a budget, after each of which is validated.
EPOCHS = 13


class SplitEvaluation(Evaluation):
    """An evaluation on the split that a task was put on, on "validation" if that is
    "train"."""

    @property
    def eval_tasks(self) -> tuple[Any, ...]:
        return (
            self.task.on("validation") if self.task.split == "train" else self.task,
        )


class NamedSplitEvaluation(SplitEvaluation):
    """The same of a task whose splits, not sizes of sequences, are what differs."""

    heading = "split"

    @property
    def sizes(self) -> str:
        return self.task.split


@dataclasses.dataclass(frozen=True)
class SplitTask(Task, abc.ABC):
    """A task that draws from one split of its data: from "train", unless `on` says
    another.

    Evaluation draws from the split that this object was put on, from "validation" if
    that is "train", unless a task has others in `Evaluation.eval_tasks`.
    """

    # Names of the splits.
    splits: ClassVar[tuple[str, ...]] = SPLITS
    evaluation = Beside(SplitEvaluation)
    # Not a field: which split this object draws from is no parameter of the task.
    _split = "train"

    @property
    def pass_sequences(self) -> int | None:
        """Training sequences of one pass over the data; None if they are drawn without
        end."""
        return None

    def on(self, split: str) -> Self:
        """The same task, drawing from another split.

        Raises:
            ValueError: If there is no such split.
        """
        view = copy.copy(self)
        object.__setattr__(view, "_split", check_choice("split", split, self.splits))
        return view

    @property
    def split(self) -> str:
        """The split that this object draws from."""
        return self._split


@dataclasses.dataclass(frozen=True)
class Budget:
    """How long a task trains by the size of its data.

    Small data is gone over more often than large data, but is seen less in all: a
    network learns it by heart. The least data has few steps in so many passes, and so
    has more passes; the largest has one.

    Args:
        size: A size of the data, in any unit.
        passes: Passes over data of that size.
        least_steps: Batches of the smallest data.
        most_epoch_steps: Batches of an epoch of large data.
    """

    size: int
    passes: float
    least_steps: int
    most_epoch_steps: int

    def training(
        self, size: int, pass_sequences: int, *, batch_size: int
    ) -> dict[str, int]:
        """The training parameters.

        Args:
            size: Size of the data.
            pass_sequences: Sequences of one pass over it, at least one.
            batch_size: Sequences in a batch; fewer if the data has fewer.
        """
        batch = min(batch_size, 2 ** (pass_sequences.bit_length() - 1))
        passes = self.passes * (size / self.size) ** PASSES_POWER
        passes = min(max(1.0, passes), MOST_PASSES)
        steps = max(self.least_steps, round(passes * pass_sequences / batch))
        epoch = max(1, min(self.most_epoch_steps, steps // EPOCHS))
        return {
            "batch_size": batch,
            "sequences": steps // epoch * epoch * batch,
            "epoch_steps": epoch,
        }
