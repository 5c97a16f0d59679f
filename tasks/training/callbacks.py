"""Keras callbacks of training, one job each."""

import json
import math
import time
from typing import Any

import keras
from keras import ops

from ..runs.devices import num_processes
from ..runs.files import plain
from ..runs.jax_processes import any_process, from_first
from ..runs.run import Run
from .rollback import RollbackPolicy, best_recent_loss
from .session import Session

# Heuristic: a single step may be skipped by chance, ten consecutive ones are not.
MAX_CONSECUTIVE_SKIPS = 10


class TrainingDiverged(RuntimeError):
    """The gradients stay NaN or infinite."""


class Clock(keras.callbacks.Callback):
    """Measures the seconds until the first step is done, most of which is compiling,
    and the seconds of training after it.

    Args:
        spent: Seconds of training before the run was resumed.
    """

    def __init__(self, spent: float) -> None:
        super().__init__()
        self.startup_seconds = 0.0
        self._spent = spent
        self._created = self._started = time.perf_counter()

    def on_train_batch_end(self, batch: int, logs: Any = None) -> None:
        if not self.startup_seconds:
            self._started = time.perf_counter()
            self.startup_seconds = self._started - self._created

    @property
    def seconds(self) -> float:
        """Seconds of training, without the start."""
        return self._spent + time.perf_counter() - self._started


class EpochSetter(keras.callbacks.Callback):
    """Tells the data which epoch it is.

    Keras calls the `on_epoch_end` of a dataset once before the first epoch, so that the
    dataset cannot count by itself.

    Args:
        data: A `TaskSequence`.
    """

    def __init__(self, data: Any) -> None:
        super().__init__()
        self.data = data

    def on_epoch_begin(self, epoch: int, logs: Any = None) -> None:
        self.data.epoch = epoch


class Interrupt(keras.callbacks.Callback):
    """Raises the KeyboardInterrupt of a Ctrl-C between two steps; if several processes
    train together, at the end of the epoch, so that all stop at the same step.

    `tasks.training.training.interruptible` sets the request.
    """

    def __init__(self) -> None:
        super().__init__()
        self.requested = False

    def on_train_batch_end(self, batch: int, logs: Any = None) -> None:
        if self.requested and num_processes() == 1:
            raise KeyboardInterrupt

    def on_epoch_end(self, epoch: int, logs: Any = None) -> None:
        if any_process(self.requested):
            raise KeyboardInterrupt


class DivergenceAlarm(keras.callbacks.Callback):
    """Raises `TrainingDiverged` when many consecutive steps were skipped."""

    def __init__(self, session: Session) -> None:
        super().__init__()
        self.session = session

    def on_epoch_end(self, epoch: int, logs: Any = None) -> None:
        optimizer, config = self.model.optimizer, self.session.config
        skips = int(ops.convert_to_numpy(optimizer.consecutive_skips))
        if skips < MAX_CONSECUTIVE_SKIPS:
            return
        step = (epoch + 1) * config.steps_per_epoch - skips + 1
        names = optimizer.nonfinite_names()
        what = "" if math.isfinite(logs["loss"]) else "the loss and "
        more = f" and {len(names) - 1} others" if len(names) > 1 else ""
        raise TrainingDiverged(
            f"From step {step} on, in {skips} consecutive steps, {what}the gradients "
            f"of `{names[0]}`{more} were not finite; these steps were skipped. The "
            f"last checkpoint is of epoch {len(self.session.history)}, after "
            f"{epoch * config.sequences_per_epoch} sequences. "
            "A smaller learning_rate or clip_norm may help."
        )


class EpochRecorder(keras.callbacks.Callback):
    """Ends each epoch: makes its row of the history, rolls back if the epoch has
    diverged, and keeps the state."""

    def __init__(self, session: Session, clock: Clock) -> None:
        super().__init__()
        self.session = session
        self.clock = clock
        self.policy = RollbackPolicy(session.task.chance_loss)
        self.measures = [measure.name for measure in session.task.measures()]
        self._validate = session.task.evaluation.validator(session.own_model)
        measure = session.task.validation_measure
        if measure and any(measure not in row for row in session.history):
            # An earlier version began it, which did not validate the task.
            self._validate = None

    def on_epoch_end(self, epoch: int, logs: Any = None) -> None:
        session = self.session
        row = self._row(epoch, logs)
        best = best_recent_loss(session.history)
        sequences = session.config.sequences_per_epoch
        if session.config.rollback and self.policy.has_diverged(
            row["loss"], best, sequences
        ):
            row["rolled_back"] = 1
            session.roll_back()
        if self._validate is not None:
            row.update(json.loads(from_first(self._validated)))
        session.accept(row, is_best=row["loss"] < best)

    def _validated(self):
        with self.session.averaged():
            return json.dumps(plain(self._validate())).encode()

    def _row(self, epoch, logs):
        skipped = int(ops.convert_to_numpy(self.model.optimizer.skipped))
        return {
            "epoch": epoch + 1,
            "sequences": (epoch + 1) * self.session.config.sequences_per_epoch,
            "seconds": round(self.clock.seconds, 3),
            "loss": float(logs["mean_loss"]),
            # In the order of the task: Keras sorts its logs by name.
            **{name: float(logs[name]) for name in self.measures},
            "skipped": skipped - int(sum(r["skipped"] for r in self.session.history)),
            "rolled_back": 0,
        }


class StopWhenDone(keras.callbacks.Callback):
    """Stops after the epoch after which nothing is left to train: by default at the end
    of the budget, or earlier, see `TrainingConfig`. The rows of the history alone
    decide, so that a training that is resumed stops at the same epoch."""

    def __init__(self, session: Session) -> None:
        super().__init__()
        self.session = session

    def on_epoch_end(self, epoch: int, logs: Any = None) -> None:
        if self.session.done:
            self.model.stop_training = True


class Saver(keras.callbacks.Callback):
    """Writes checkpoint, history and model at the first end of an epoch after
    `seconds`, so that a killed process loses no more than that and an epoch, and for
    `memnets watch`."""

    def __init__(self, run: Run, session: Session, seconds: float) -> None:
        super().__init__()
        self.run = run
        self.session = session
        self.seconds = seconds
        self._saved = -math.inf

    def on_epoch_end(self, epoch: int, logs: Any = None) -> None:
        if time.monotonic() - self._saved >= self.seconds:
            self.save()
            self._saved = time.monotonic()

    def save(self) -> None:
        """Writes the state at the end of the last epoch."""
        self.run.save_checkpoint(self.session.checkpoint)
        self.run.write_history(self.session.history.rows)
        with self.session.finished() as model:
            self.run.save_model(model)
