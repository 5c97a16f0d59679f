"""The callbacks of every training that make its history and write its files."""

import math
import time
from collections.abc import Sequence

import keras
from keras import ops

from ..runs.run import Run
from .base import Feature, Training
from .data import TaskSequence


class EpochSetter(keras.callbacks.Callback):
    """Tells the data which epoch it is.

    Keras calls the `on_epoch_end` of a dataset once before the first epoch, so that the
    dataset cannot count by itself.

    Args:
        data: A `TaskSequence`.
    """

    def __init__(self, data: TaskSequence) -> None:
        super().__init__()
        self.data = data

    def on_epoch_begin(self, epoch: int, logs: dict[str, float] | None = None) -> None:
        self.data.epoch = epoch


class EpochRecorder(keras.callbacks.Callback):
    """Makes the row of each epoch in the history, and measures the seconds of training.

    Args:
        training: The training.
    Attributes:
        startup_seconds: Seconds until the first step was done, most of it compiling;
            0 if none was.
    """

    def __init__(self, training: Training) -> None:
        super().__init__()
        self.history = training.session.history
        self.measures = [measure.name for measure in training.task.measures()]
        self.startup_seconds = 0.0
        rows = self.history.rows
        self._spent = rows[-1]["seconds"] if rows else 0.0
        self._created = self._started = time.perf_counter()

    def on_train_batch_end(
        self, batch: int, logs: dict[str, float] | None = None
    ) -> None:
        if not self.startup_seconds:
            self._started = time.perf_counter()
            self.startup_seconds = self._started - self._created

    def on_epoch_end(self, epoch: int, logs: dict[str, float]) -> None:
        skipped = int(ops.convert_to_numpy(self.model.optimizer.skipped))
        seconds = self._spent + time.perf_counter() - self._started
        row = {
            "epoch": epoch + 1,
            "sequences": (epoch + 1) * self.history.config.sequences_per_epoch,
            "seconds": round(seconds, 3),
            "loss": float(logs["mean_loss"]),
            # In the order of the task: Keras sorts its logs by name.
            **{name: float(logs[name]) for name in self.measures},
            "skipped": skipped - int(sum(row["skipped"] for row in self.history)),
            "rolled_back": 0,
        }
        self.history.rows.append(row)


class Saver(keras.callbacks.Callback):
    """Makes the checkpoint of each epoch. Writes it, the history and the model at the
    first end of an epoch after `seconds`, so that a killed process loses no more than
    that and an epoch, and for `memnets watch`.

    Args:
        training: The training.
        features: Its features.
        run: Where to write; nothing is written if None.
        seconds: Seconds between two checkpoints that are written.
    """

    def __init__(
        self,
        training: Training,
        features: Sequence[Feature],
        run: Run | None,
        seconds: float,
    ) -> None:
        super().__init__()
        self.run = run
        self.session = training.session
        self.evaluated = training.evaluated
        self.features = features
        self.seconds = seconds
        self._saved = -math.inf

    def on_epoch_end(self, epoch: int, logs: dict[str, float] | None = None) -> None:
        self.session.end_epoch(self.features)
        if time.monotonic() - self._saved >= self.seconds:
            self.save()
            self._saved = time.monotonic()

    def save(self) -> None:
        """Writes the state at the end of the last epoch."""
        if self.run is None:
            return
        last = self.session.checkpoint
        self.run.save_checkpoint(last)
        self.run.write_history(last.rows)
        with self.evaluated.holding(last.kept) as model:
            self.run.save_model(model)
