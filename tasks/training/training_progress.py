"""Progress of a training run, as a Keras callback."""

import time
from collections.abc import Iterable
from typing import Self

import keras

from ..contract.task import Task
from ..runs.devices import num_processes
from ..runs.history import History
from ..training_options.training_config import TrainingConfig
from ..wording import counted
from .progress import Silent, shown_measure

# Calls that may compile something: the first, and the one after an epoch's end.
COMPILING_CALLS = 2
# Heuristic: seconds after them from which on their speed says how long it takes.
MEASURED_SECONDS = 1.0
# Heuristic: seconds between two looks at the loss of the first epoch.
LOSS_INTERVAL = 1.0


class TrainingProgress(keras.callbacks.Callback):
    """Counts sequences and time, and shows them. To be used in a `with` block.

    Args:
        task: What is trained on.
        config: How.
        screen: Where it is shown.
        opening: Lines that are shown first.
    """

    def __init__(
        self,
        task: Task,
        config: TrainingConfig,
        screen: Silent,
        opening: Iterable[str] = (),
    ) -> None:
        super().__init__()
        self.opening = list(opening)
        self.task = task
        self.config = config
        self.screen = screen
        self.total = config.trained_sequences
        self.batch_size = config.sequences_per_epoch // config.steps_per_epoch
        self.sequences = 0
        self.calls = 0
        self.measured = "-"
        # In the first epoch, which has no measures yet, the loss so far is shown. To
        # read it waits for the step; a process of several cannot read it alone.
        self._shows_loss = num_processes() == 1
        self._read_at = -LOSS_INTERVAL

    def __enter__(self) -> Self:
        for line in self.opening:
            self.screen.say(line)
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
        self.calls += 1
        if self.calls <= COMPILING_CALLS:  # not counted in the speed
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
        text = f"{self.sequences}/{self.total} sequences  {self.measured}"
        elapsed = time.perf_counter() - self.began
        at_once = self.sequences >= self.total
        timed = self.sequences - self.counted_from
        if timed and (at_once or elapsed >= MEASURED_SECONDS):
            rate = timed / max(elapsed, 1e-9)
            left = (self.total - self.sequences) / rate
            text += f"  {rate:.0f} sequences/s  {left:.0f} s left"
        self.screen.show(text, self.sequences, self.total, at_once=at_once)


def opening_of(task: Task, history: History, *, uses_kernel: bool) -> list[str]:
    """What is said of a training before its first step.

    Args:
        task: The task.
        history: The epochs of a run that is resumed; empty if it begins.
        uses_kernel: Whether the compiled kernel can compute the model.
    """
    import memnets.native

    config, total = history.config, history.config.trained_sequences
    done = int(history.rows[-1]["sequences"]) if history.rows else 0
    if done and history.is_over(task):
        text = f"The run had ended after {done:,} sequences: nothing is trained."
        if done >= total:  # it was not the task's success that ended it
            text += f" To train on, give a longer budget, as --sequences {2 * total}."
        return [text]
    lines = [f"Runs on: {memnets.native.status()}"] if uses_kernel else []
    if total != config.sequences:
        size = config.sequences_per_epoch // config.steps_per_epoch
        lines.append(
            f"Trains on {total:,} sequences in place of {config.sequences:,}: "
            f"{counted(config.epochs, 'whole epoch')} of "
            f"{counted(config.steps_per_epoch, 'batch', 'batches')} of {size}."
        )
    if done:
        lines.append(f"Goes on after {done:,} of {total:,} sequences.")
    return lines
