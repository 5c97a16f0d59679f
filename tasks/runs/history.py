"""The history of a training run: a row an epoch, and what follows from the rows."""

import dataclasses
import json
import math
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from ..contract.of_few_tasks import mastered_epochs
from ..training_options.training_config import TrainingConfig

if TYPE_CHECKING:
    from ..contract.task import Task


Row = dict[str, float]

# Columns of every history; the measures of the task stand between them.
FIRST_COLUMNS = ("epoch", "sequences", "seconds", "loss")
LAST_COLUMNS = ("skipped", "rolled_back")


def rows_of(text: bytes) -> list[Row]:
    """The rows of a history in JSON as this version names its columns.

    Raises:
        ValueError: If they are not rows of numbers with the same columns.
    """
    try:
        rows = json.loads(text)
    except RecursionError:
        raise ValueError("its history is nested too deeply") from None
    if not isinstance(rows, list) or not all(map(_is_row, rows)):
        raise ValueError("its history must be a list of rows of numbers")
    rows = [upgraded(row) for row in rows]
    if any(row.keys() != rows[0].keys() for row in rows):
        raise ValueError("the rows of its history must have the same columns")
    return rows


def _is_row(row: Any) -> bool:
    # Larger integers are no numbers of a history, and not all of them fit a float.
    return isinstance(row, dict) and all(
        isinstance(value, float) or (isinstance(value, int) and abs(value) < 2**63)
        for value in row.values()
    )


def upgraded(row: dict[str, Any]) -> dict[str, Any]:
    """A row of a history as this version names its columns."""
    return {("rolled_back" if key == "taken_back" else key): row[key] for key in row}


def merit(task: "Task", row: Row) -> float:
    """How good an epoch is on validation data, the more the better, of a task that has
    such a measure; what is not a number is worst."""
    name = task.recipe.validation_measure
    if name is None:
        raise ValueError(
            f"`task` must be validated in training. Received: task {task.name}"
        )
    column = task.columns.get(name)
    value = row[name] if column is None or column.higher_is_better else -row[name]
    return -math.inf if math.isnan(value) else value


@dataclasses.dataclass(frozen=True)
class History:
    """The epochs of a run, and what follows from them.

    Attributes:
        rows: For each epoch a dictionary: `epoch` and `sequences` so far, `seconds` of
            training, the mean `loss`, the task's measures, the number of steps that
            were `skipped`, and whether the epoch was `rolled_back` (1) or not (0).
        config: How the run is trained.
    """

    rows: list[Row]
    config: TrainingConfig

    def __len__(self) -> int:
        return len(self.rows)

    def __iter__(self) -> Iterator[Row]:
        return iter(self.rows)

    @property
    def accepted(self) -> list[Row]:
        """The epochs that were not rolled back."""
        return [row for row in self.rows if not row["rolled_back"]]

    @property
    def final(self) -> Row:
        """The state at the end: `epoch`, `sequences` and `seconds` of the last epoch,
        the loss and the measures of the last accepted one."""
        clock = {name: self.rows[-1][name] for name in FIRST_COLUMNS[:3]}
        return {**self.accepted[-1], **clock}

    def best(self, task: "Task") -> Row | None:
        """The first epoch with the best value on validation data, of a task that has
        such a measure; None without epochs."""
        return max(self.accepted, key=lambda row: merit(task, row), default=None)

    @property
    def epochs_of_start(self) -> int:
        """Epochs since the first weights were drawn, or chosen among several starts."""
        over = len(self.rows) - self.config.choosing_epochs
        if over > 0 or not self.config.start_epochs:
            return over
        return (len(self.rows) - 1) % self.config.start_epochs + 1

    def is_over(self, task: "Task") -> bool:
        """Whether there is nothing left to train."""
        if self.config.stop_when_solved and self.solved_at(task) is not None:
            return True
        ends_early = self.is_stalled(task) or self.is_mastered(task)
        return ends_early or len(self.rows) >= self.config.epochs

    def is_mastered(self, task: "Task") -> bool:
        """Whether the training ends since nothing is left to learn: everything of the
        validation was right in the last epochs, see `mastered_epochs`."""
        count, name = mastered_epochs(task), task.recipe.validation_measure
        last = self.rows[-count:] if count else []
        return 0 < count == len(last) and all(
            row.get(name or "", 0) >= 1 and not row["rolled_back"] for row in last
        )

    def is_stalled(self, task: "Task") -> bool:
        """Whether the training ends since nothing was better on validation data for as
        long as its `patience`."""
        epochs, best = self.config.patience_epochs, None
        if epochs:
            best = self.best(task)
        if best is None:
            return False
        # Each of several starts has little time: waiting begins after them.
        since = max(best["epoch"], self.config.choosing_epochs)
        return len(self.rows) - since >= epochs

    def full_size(self, rows: list[Row] | None = None) -> list[Row]:
        """The rows after the curriculum, whose sequences have all sizes of the task."""
        rows = self.rows if rows is None else rows
        if not self.config.curriculum:
            return rows
        epoch = self.config.sequences_per_epoch
        return [
            row
            for row in rows
            if self.config.curriculum_share(int(row["sequences"]) - epoch + 1) >= 1
        ]

    def solved_at(self, task: "Task") -> int | None:
        """Sequences seen at the end of the first epoch that was a success, or of a
        training that ended since nothing was left to learn; None if there is none.

        Epochs of a curriculum do not count, because their sequences are smaller, nor
        do those that were rolled back.
        """
        if task.success is None:
            return None
        for row in self.full_size(self.accepted):
            if task.success.reached(row):
                return int(row["sequences"])
        # Sequences of the validation have sizes of their own, also in a curriculum.
        return int(self.rows[-1]["sequences"]) if self.is_mastered(task) else None

    def settled_at(self, task: "Task") -> int | None:
        """Sequences seen before the epochs that were all successes, to the end, or of
        which all of the validation was right where the training ended by that; None if
        the last epoch was neither. Rolled-back epochs count too."""
        if task.success is None or not self.rows:
            return None
        counted = {row["epoch"] for row in self.full_size()}
        failed = [
            row["sequences"]
            for row in self.rows
            if row["epoch"] not in counted or not task.success.reached(row)
        ]
        settled = int(max(failed, default=0))
        if settled < self.rows[-1]["sequences"]:
            return settled
        if not self.is_mastered(task):
            return None
        first = self.rows[-mastered_epochs(task)]["sequences"]
        return int(first) - self.config.sequences_per_epoch

    def seconds_at(self, sequences: int | None) -> float | None:
        """Seconds of training, without the start, when so many sequences were seen."""
        seconds = (r["seconds"] for r in self.rows if r["sequences"] == sequences)
        return next(seconds, None)
