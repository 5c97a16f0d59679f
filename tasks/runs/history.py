"""The history of a training run: a row an epoch, and what follows from the rows."""

import dataclasses
from collections.abc import Iterator

from ..success import Success
from .training_config import TrainingConfig

Row = dict[str, float]

# Columns of every history; the measures of the task stand between them.
FIRST_COLUMNS = ("epoch", "sequences", "seconds", "loss")
LAST_COLUMNS = ("skipped", "rolled_back")


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

    def best(self, measure: str) -> Row | None:
        """The first epoch with the highest value of a measure; None without epochs."""
        return max(self.accepted, key=lambda row: row[measure], default=None)

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

    def solved_at(self, success: Success | None) -> int | None:
        """Sequences seen at the end of the first epoch that was a success, or None.

        Epochs of a curriculum do not count, because their sequences are smaller, nor
        do those that were rolled back.
        """
        if success is None:
            return None
        for row in self.full_size(self.accepted):
            if success.reached(row):
                return int(row["sequences"])
        return None

    def settled_at(self, success: Success | None) -> int | None:
        """Sequences seen before the epochs that were all successes, to the end; None if
        the last epoch was not a success. Rolled-back epochs count too."""
        if success is None or not self.rows:
            return None
        counted = {row["epoch"] for row in self.full_size()}
        failed = [
            row["sequences"]
            for row in self.rows
            if row["epoch"] not in counted or not success.reached(row)
        ]
        settled = int(max(failed, default=0))
        return None if settled == self.rows[-1]["sequences"] else settled

    def seconds_at(self, sequences: int | None) -> float | None:
        """Seconds of training, without the start, when so many sequences were seen."""
        seconds = (r["seconds"] for r in self.rows if r["sequences"] == sequences)
        return next(seconds, None)
