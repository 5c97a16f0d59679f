"""The parameters of a training run, importable without Keras."""

import dataclasses
from typing import Self

from ..checks import check_boolean, check_integer, check_number
from ..base import Success
from ..training.rollback import kept


@dataclasses.dataclass(frozen=True)
class TrainingConfig:
    """How a model is trained; the fields are the options of the command line.

    Args:
        seed: Seed of the initial weights and of the data.
        sequences: Budget of training sequences, in whole epochs of 100 batches. The
            model's own if not given.
        batch_size: Sequences in one step. The task's own or 16 if not given.
        learning_rate: Adam's, at the start; it falls to zero along a cosine. The
            task's or the model's own if not given.
        clip_norm: Largest norm of all gradients together; larger ones are scaled down.
            The task's or the model's own if not given.
        curriculum: Share of the budget, in [0, 1], over which the largest sequences
            grow from the smallest size of the task to its largest; one block of 16 in
            five has all sizes from the start. The task's own if not given.
        rollback: Whether an epoch that ruins what was learned is taken back: one whose
            loss exceeds that of the best of the last ten by a twentieth of what
            guessing has, and by more than chance, once the best has under a quarter.
            Weights go back to where they were before the best; the sequences count as
            seen. Epochs of a curriculum are not judged.
        stop_when_solved: Stop at the first epoch that is a success, see `Task.success`.
    Raises:
        ValueError: If a value is out of its range.
        TypeError: If a flag is not True or False.
    """

    seed: int = 1
    sequences: int | None = None
    batch_size: int | None = None
    learning_rate: float | None = None
    clip_norm: float | None = None
    curriculum: float | None = None
    rollback: bool = True
    # Off: training on after the first success is what sharpens the longer lengths.
    stop_when_solved: bool = False

    def __post_init__(self):
        check_integer("seed", self.seed, minimum=0)
        for name in ("sequences", "batch_size"):
            if getattr(self, name) is not None:
                check_integer(name, getattr(self, name))
        for name in ("learning_rate", "clip_norm"):
            if getattr(self, name) is not None:
                check_number(name, getattr(self, name), above=0)
        for name in ("rollback", "stop_when_solved"):
            check_boolean(name, getattr(self, name))
        if self.curriculum is not None:
            check_number("curriculum", self.curriculum, minimum=0, maximum=1)

    def resolved(self, task, model) -> Self:
        """The same with the task's or the model's own values where none were given."""
        own = {
            "sequences": model.sequences,
            "batch_size": 16,
            "learning_rate": model.learning_rate,
            "clip_norm": model.clip_norm,
            "curriculum": 0.0,
            **task.training_parameters.get(model.name, {}),
        }
        missing = {k: v for k, v in own.items() if getattr(self, k) is None}
        config = dataclasses.replace(self, **missing)
        if config.curriculum:
            task.easier(0.0)  # refused here if the task has no smaller sequences
        return config

    def curriculum_share(self, seen: int) -> float:
        """How far the curriculum is after so many sequences; 1 when it is over."""
        if not self.curriculum:
            return 1.0
        return min(1.0, seen / (self.curriculum * self._known("sequences")))

    def solved_at(self, history: list[dict], success: Success) -> int | None:
        """Sequences seen at the end of the first epoch that was a success, or None.

        Epochs of the curriculum do not count, as their sequences are smaller, nor those
        that were taken back.
        """
        for row in self.full_size(kept(history)):
            if row[success.measure] < success.below:
                return int(row["sequences"])
        return None

    def full_size(self, history: list[dict]) -> list[dict]:
        """The epochs whose sequences had all sizes of the task."""
        if not self.curriculum:
            return history
        an_epoch = self._sequences_per_epoch
        return [
            row
            for row in history
            if self.curriculum_share(row["sequences"] - an_epoch) >= 1
        ]

    @property
    def steps_per_epoch(self) -> int:
        """Batches an epoch: 100, the window in which success is judged, or fewer."""
        return min(100, max(1, self._known("sequences") // self._known("batch_size")))

    @property
    def epochs(self) -> int:
        """Whole epochs within the budget, at least one."""
        return max(1, self._known("sequences") // self._sequences_per_epoch)

    @property
    def _sequences_per_epoch(self):
        return self._known("batch_size") * self.steps_per_epoch

    def _known(self, name) -> int:
        value = getattr(self, name)
        if value is None:
            raise ValueError(f"`{name}` must be set, by hand or with `resolved`.")
        return value
