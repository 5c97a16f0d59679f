"""Progress of a training run: a bar on a terminal, lines elsewhere."""

import time
from typing import Any, Self

import keras
import rich.console
import rich.progress

from ..contract.task import Task
from ..runs.training_config import TrainingConfig

# Heuristic: seconds between two lines where there is no terminal.
LINE_INTERVAL = 10.0


def show_progress(
    task: Task, config: TrainingConfig, console: rich.console.Console | None = None
) -> "Progress":
    """The Keras callback that suits standard error, to be used in a `with` block."""
    console = console or rich.console.Console(stderr=True)
    return (Bar if console.is_terminal else Lines)(task, config, console)


class Progress(keras.callbacks.Callback):
    """Counts sequences and time, which the subclasses show."""

    def __init__(self, task: Task, config: TrainingConfig, console: Any) -> None:
        super().__init__()
        self.task = task
        self.config = config
        self.console = console
        self.total = config.trained_sequences
        self.batch_size = config.sequences_per_epoch // config.steps_per_epoch
        self.sequences = 0
        self.began: float | None = None
        self.measured = "-"

    def __enter__(self) -> Self:
        budget, epoch = self.config.sequences, self.config.sequences_per_epoch
        if self.total != budget:
            self.console.print(
                f"Trains on {self.total:,} sequences, not on {budget:,}: on whole "
                f"epochs of {epoch:,}, at least one.",
                soft_wrap=True,
            )
        return self

    def __exit__(self, *exception: object) -> None:
        """Restores the terminal, also when training was stopped."""

    def on_epoch_begin(self, epoch: int, logs: Any = None) -> None:
        self.epoch_start = epoch * self.config.steps_per_epoch

    def on_train_batch_end(self, batch: int, logs: Any = None) -> None:
        # Several steps may have been one call: `batch` is the last of them.
        self.sequences = (self.epoch_start + batch + 1) * self.batch_size
        if self.began is None:  # not counted in the speed: the first step compiles
            self.began = time.perf_counter()
            self.counted_from = self.sequences
        self.show()

    def on_epoch_end(self, epoch: int, logs: Any = None) -> None:
        self.measured = shown_measure(self.task, logs)

    def show(self) -> None:
        """Shows the current counts."""
        raise NotImplementedError

    @property
    def rate(self) -> float:
        """Sequences a second."""
        elapsed = time.perf_counter() - (self.began or 0.0)
        return (self.sequences - self.counted_from) / max(elapsed, 1e-9)


def shown_measure(task: Task, row: dict[str, float]) -> str:
    """The measure of the task's success, with its label; if it has none, its headline,
    or the loss."""
    name = task.success.measure if task.success else task.presentation.headline
    if name not in row:
        name = "loss"
    column = task.presentation.column(name)
    return f"{column.label} {format(row[name], column.form)}"


class Lines(Progress):
    """A line every few seconds."""

    def on_train_begin(self, logs: Any = None) -> None:
        self.shown = time.perf_counter()
        self.console.print("compiling ...")

    def show(self) -> None:
        now = time.perf_counter()
        if self.sequences == self.counted_from < self.total:
            return
        if now - self.shown < LINE_INTERVAL and self.sequences < self.total:
            return
        self.shown = now
        left = (self.total - self.sequences) / max(self.rate, 1e-9)
        self.console.print(
            f"{self.sequences}/{self.total} sequences  {self.measured}  "
            f"{self.rate:.0f} sequences/s  {left:.0f} s left"
        )


class Bar(Progress):
    """A bar that fills, with the measure and the speed beside it."""

    def __init__(self, task: Task, config: TrainingConfig, console: Any) -> None:
        super().__init__(task, config, console)
        self.bar = rich.progress.Progress(
            rich.progress.TextColumn("[bold]{task.description}"),
            rich.progress.BarColumn(),
            rich.progress.MofNCompleteColumn(),
            rich.progress.TextColumn("{task.fields[measured]}"),
            rich.progress.TextColumn("{task.fields[rate]:.0f} sequences/s"),
            rich.progress.TimeRemainingColumn(),
            console=console,
        )

    def on_train_begin(self, logs: Any = None) -> None:
        self.row = self.bar.add_task(
            "compiling", total=self.total, measured="-", rate=0
        )
        self.bar.start()

    def show(self) -> None:
        self.bar.update(
            self.row,
            description="training",
            completed=self.sequences,
            measured=self.measured,
            rate=self.rate,
        )

    def __exit__(self, *exception: object) -> None:
        self.bar.stop()
