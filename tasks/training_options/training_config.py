"""The parameters of a training run, importable without Keras."""

import dataclasses
from typing import TYPE_CHECKING, Any, Self

from ..checks import check_boolean, check_choice, check_integer, check_number
from ..contract.length_ranges import lengths_of
from .resolving import DEFAULTS, resolve

if TYPE_CHECKING:
    from ..contract.task import Task
    from ..models.base import ModelConfig


OPTIMIZERS = (
    *("adam", "sgd", "momentum", "nesterov"),
    *("rmsprop", "adagrad", "adadelta"),
)
SCHEDULES = ("cosine", "constant", "halving")
KEPT = ("last", "best")
# The largest that Keras takes.
MAX_SEED = 2**32 - 1
# What other libraries call an option: the nearest by its letters is another one.
MEANT = {
    **dict.fromkeys(("epochs", "num_epochs", "max_epochs"), ("passes", "sequences")),
    **dict.fromkeys(("steps", "max_steps", "iterations"), ("sequences", "passes")),
    **dict.fromkeys(("lr", "rate"), ("learning_rate",)),
    **dict.fromkeys(("batch", "bs"), ("batch_size",)),
}
# What says when a training ends: it may end later when it is resumed.
BUDGET = ("sequences", "passes", "patience")
# What a run is tested on at its end: it may be another when it is resumed.
TESTED = ("test_lengths", "test_sequences")
# Heuristic: the share of the budget that a draw of the first weights is judged by. On
# temporal XOR the loss after it told which draws would fail.
START_SHARE = 0.05
# What a run of an earlier version was trained with, which had no choice.
EARLIER: dict[str, Any] = {
    "optimizer": "adam",
    "schedule": "cosine",
    "epoch_steps": 100,
    "warmup": 0,
    "keep": "last",
    "patience": 0,
    "starts": 1,
    "stateful": False,
}


@dataclasses.dataclass(frozen=True)
class TrainingConfig:
    """How a model is trained; the fields are the options of the command line.

    Args:
        seed: Seed of the initial weights and of the data.
        sequences: Budget of training sequences; the whole epochs within it are trained.
            If neither it nor `passes` is given, the task's own, which goes by the size
            of its data where that is a corpus, or the model's.
        batch_size: Sequences in one step. The task's own or 16 if not given.
        learning_rate: Initial learning rate. The task's or the model's own if not
            given.
        clip_norm: Largest norm of all gradients together; larger ones are scaled down;
            0 for none. The task's or the model's own if not given.
        clip_value: Largest size of each number of the gradients; larger ones are cut to
            it. In place of `clip_norm`; none if not given.
        curriculum: Share of the budget, in [0, 1], over which sequences grow from the
            smallest size of the task to its largest. One fifth of the sequences have
            all sizes from the start. With several starts, each has a curriculum of its
            own, and the budget is counted without the starts that are given up. The
            task's own if not given.
        rollback: Whether to restore earlier weights after a divergent epoch. Divergent
            is a loss that exceeds the best of the last ten epochs by 5% of the loss of
            guessing plus sampling noise, if that best is below 25% of guessing. From
            25% to 75%, it is one that loses three quarters of the gain over guessing.
            Never during a curriculum. The sequences count as seen.
        jit_compile: Whether XLA compiles the training step. If not given, where that is
            faster: always on JAX; on TensorFlow too, but for recurrent networks without
            a memory on a CPU. PyTorch has no XLA.
        stop_when_solved: Stop at the first epoch that is a success, see `Task.success`.
        optimizer: adam; sgd, or sgd with momentum or nesterov, both 0.9; rmsprop,
            centered and with momentum, as Graves (2013); adagrad; adadelta. The task's
            own or adam if not given.
        schedule: How the learning rate goes on: cosine, down to zero at the end;
            constant; or halving, after two thirds of the budget and then after each
            further fifteenth. The task's own or cosine if not given.
        epoch_steps: Batches in an epoch, the window in which success is judged. The
            task's own or 100 if not given; fewer where a given budget would have few
            epochs or lose much of one; more where success takes longer epochs.
        warmup: Steps over which the learning rate first rises from 0. The model's own,
            but at most a tenth of all, if not given.
        keep: Which epoch's weights are the model of the run: those of the last one, or
            of the best one on validation data, of a task that has such a measure. If
            not given, the best where that can be said.
        average: Epochs whose weights are averaged: the one that is kept and those
            before it.
        starts: Draws of the first weights. Each is trained for a while, one after the
            other; the one whose last epoch has the smallest loss goes on with the rest
            of the budget, at least half of it. All sequences count. If not given, the
            task's own, or as many as the budget has room for, or 1.
        start_sequences: Sequences of each start, in whole epochs. The task's own or a
            twentieth of the budget if not given.
        stateful: Whether each batch goes on from the memory that the batch before left,
            as sequences of one long stream; each epoch begins anew. Then sequences no
            longer than others teach a network to keep its memory in order. No gradient
            goes into the batch before. The task's own or False if not given.
        passes: The budget in passes over the data, in place of `sequences`, of a task
            that has a corpus; the whole epochs within it are trained.
        patience: Sequences without a better value on validation data after which the
            training stops, in whole epochs; 0 for never. If not given, 0 where the
            budget is given or the task has no such measure or no corpus, else a third
            of the budget, and at least three epochs.
        test_lengths: Lengths that the model is tested on after training, one by one, as
            41-500, 41-500:9 (every ninth) or 20,40,80, of a task whose sequences have
            lengths. Its score is the mean over those beyond training. None if not
            given.
        test_sequences: Sequences of each of these lengths; 512 if not given.
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
    jit_compile: bool | None = None
    # Off: training beyond the first success improves lengths beyond training.
    stop_when_solved: bool = False
    optimizer: str | None = None
    schedule: str | None = None
    epoch_steps: int | None = None
    warmup: int | None = None
    keep: str | None = None
    average: int = 1
    starts: int | None = None
    start_sequences: int | None = None
    stateful: bool | None = None
    passes: float | None = None
    patience: int | None = None
    clip_value: float | None = None
    test_lengths: str | None = None
    test_sequences: int | None = None

    def __post_init__(self) -> None:
        check_integer("seed", self.seed, minimum=0, maximum=MAX_SEED)
        check_integer("average", self.average)
        least = dict.fromkeys(("sequences", "batch_size", "epoch_steps", "starts"), 1)
        least |= {"start_sequences": 1, "warmup": 0, "patience": 0}
        least |= {"test_sequences": 1}
        for name, minimum in least.items():
            if getattr(self, name) is not None:
                check_integer(name, getattr(self, name), minimum=minimum)
        for name in ("learning_rate", "passes", "clip_value"):
            if getattr(self, name) is not None:
                check_number(name, getattr(self, name), above=0)
        if self.clip_norm is not None:
            check_number("clip_norm", self.clip_norm, minimum=0)
        if self.clip_norm and self.clip_value:
            raise ValueError(
                "`clip_norm` and `clip_value` both bound the gradients: give one of "
                f"them. Received: clip_norm={self.clip_norm:g}, "
                f"clip_value={self.clip_value:g}"
            )
        if self.warmup and self.schedule == "halving":
            raise ValueError(
                "`warmup` must be 0 with the schedule halving. "
                f"Received: warmup={self.warmup}"
            )
        choices = {"optimizer": OPTIMIZERS, "schedule": SCHEDULES, "keep": KEPT}
        for name, known in choices.items():
            if getattr(self, name) is not None:
                check_choice(name, getattr(self, name), known)
        for name in ("rollback", "stop_when_solved"):
            check_boolean(name, getattr(self, name))
        for name in ("jit_compile", "stateful"):
            if getattr(self, name) is not None:
                check_boolean(name, getattr(self, name))
        if self.test_lengths is not None:
            lengths_of(self.test_lengths, "test_lengths")
        if self.curriculum is not None:
            check_number("curriculum", self.curriculum, minimum=0, maximum=1)

    @classmethod
    def saved(cls, parameters: dict) -> Self:
        """The configuration of a run, which an earlier version may have written."""
        return cls(**{**EARLIER, **parameters})

    def resolved(self, task: "Task", model: "ModelConfig") -> Self:
        """The same with the task's or the model's own values where none were given.

        Raises:
            ValueError: If the task or the model cannot be trained so.
        """
        return resolve(self, task, model)

    def curriculum_share(self, sequence: int) -> float:
        """How far the curriculum is at a sequence of the training, whose first one is
        1; 1 when the curriculum is over. Each start begins it anew."""
        if not self.curriculum:
            return 1.0
        start = self.start_epochs * self.sequences_per_epoch
        given_up = (self.starts or 1) - 1
        before = min(given_up, (sequence - 1) // start) if start else 0
        budget = self.known("sequences") - given_up * start
        return min(1.0, (sequence - before * start) / (self.curriculum * budget))

    @property
    def steps_per_epoch(self) -> int:
        """Batches in an epoch: fewer than `epoch_steps` in a shorter run."""
        most = self.epoch_steps or DEFAULTS["epoch_steps"]
        return min(most, max(1, self.known("sequences") // self.known("batch_size")))

    @property
    def epochs(self) -> int:
        """Whole epochs within the budget, at least one."""
        return max(1, self.known("sequences") // self.sequences_per_epoch)

    @property
    def patience_epochs(self) -> int:
        """Epochs without a better validation after which it stops; 0 for never."""
        return -(-(self.patience or 0) // self.sequences_per_epoch)

    @property
    def start_epochs(self) -> int:
        """Epochs of each start; 0 if there is one only."""
        if self.starts in (None, 1):
            return 0
        if self.start_sequences is None:
            return max(1, round(START_SHARE * self.epochs))
        return max(1, round(self.start_sequences / self.sequences_per_epoch))

    @property
    def sequences_of_start(self) -> int | None:
        """Sequences of each start; None if there is one only."""
        if self.start_sequences is not None or not self.start_epochs:
            return self.start_sequences
        return self.start_epochs * self.sequences_per_epoch

    @property
    def choosing_epochs(self) -> int:
        """Epochs of all starts together."""
        return (self.starts or 1) * self.start_epochs

    @property
    def scheduled_steps(self) -> int:
        """Steps of the weights that go on, over which the learning rate falls."""
        given_up = self.choosing_epochs - self.start_epochs
        return (self.epochs - given_up) * self.steps_per_epoch

    @property
    def sequences_per_epoch(self) -> int:
        """Sequences in an epoch."""
        return self.known("batch_size") * self.steps_per_epoch

    @property
    def trained_sequences(self) -> int:
        """Sequences of all epochs together."""
        return self.epochs * self.sequences_per_epoch

    @property
    def has_budget(self) -> bool:
        """Whether a budget is given."""
        return self.sequences is not None or self.passes is not None

    def known(self, name: str) -> int:
        """An option that is resolved."""
        value = getattr(self, name)
        if value is None:
            raise ValueError(f"`{name}` must be set, by hand or with `resolved`.")
        return value
