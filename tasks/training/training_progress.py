"""Progress of a training run, as a Keras callback."""

import time
from typing import Self

import keras

from ..contract.task import Task
from ..runs.devices import num_processes
from ..training_options.training_config import TrainingConfig
from ..wording import counted
from .progress import Silent, shown_measure

# Heuristic: seconds between two looks at the loss of the first epoch.
LOSS_INTERVAL = 1.0


class TrainingProgress(keras.callbacks.Callback):
    """Counts sequences and time, and shows them. To be used in a `with` block.

    Args:
        task: What is trained on.
        config: How.
        screen: Where it is shown.
    """

    def __init__(self, task: Task, config: TrainingConfig, screen: Silent) -> None:
        super().__init__()
        self.task = task
        self.config = config
        self.screen = screen
        self.total = config.trained_sequences
        self.batch_size = config.sequences_per_epoch // config.steps_per_epoch
        self.sequences = 0
        self.began: float | None = None
        self.measured = "-"
        # In the first epoch, which has no measures yet, the loss so far is shown. To
        # read it waits for the step; a process of several cannot read it alone.
        self._shows_loss = num_processes() == 1
        self._read_at = -LOSS_INTERVAL

    def __enter__(self) -> Self:
        config, budget = self.config, self.config.sequences
        if self.total != budget:
            steps = config.steps_per_epoch
            self.screen.say(
                f"Trains on {self.total:,} sequences in place of {budget:,}: "
                f"{counted(config.epochs, 'whole epoch')} of "
                f"{counted(steps, 'batch', 'batches')} of {self.batch_size}."
            )
        self.screen.__enter__()
        return self

    def __exit__(self, *exception: object) -> None:
        self.screen.__exit__(*exception)

    def on_train_begin(self, logs: dict[str, float] | None = None) -> None:
        self.screen.show("compiling ...", 0, self.total, at_once=True)

    def on_epoch_begin(self, epoch: int, logs: dict[str, float] | None = None) -> None:
        self.epoch_start = epoch * self.config.steps_per_epoch

    def on_train_batch_end(
        self, batch: int, logs: dict[str, float] | None = None
    ) -> None:
        # Several steps may have been one call: `batch` is the last of them.
        self.sequences = (self.epoch_start + batch + 1) * self.batch_size
        if self.began is None:  # not counted in the speed: the first step compiles
            self.began = time.perf_counter()
            self.counted_from = self.sequences
        self._read_loss(logs)
        self.show()

    def _read_loss(self, logs: dict[str, float] | None) -> None:
        """Takes the loss of the first epoch so far, now and then."""
        if not self._shows_loss or not logs or "loss" not in logs:
            return
        now = time.perf_counter()
        if now - self._read_at >= LOSS_INTERVAL:
            self._read_at = now
            self.measured = shown_measure(self.task, {"loss": float(logs["loss"])})

    def on_epoch_end(self, epoch: int, logs: dict[str, float]) -> None:
        self._shows_loss = False
        self.measured = shown_measure(self.task, logs)

    def show(self) -> None:
        """Shows the current counts."""
        if self.sequences == self.counted_from < self.total:
            return
        elapsed = time.perf_counter() - (self.began or 0.0)
        rate = (self.sequences - self.counted_from) / max(elapsed, 1e-9)
        left = (self.total - self.sequences) / max(rate, 1e-9)
        text = (
            f"{self.sequences}/{self.total} sequences  "
            f"{self.measured}  "
            f"{rate:.0f} sequences/s  {left:.0f} s left"
        )
        at_once = self.sequences >= self.total
        self.screen.show(text, self.sequences, self.total, at_once=at_once)
