"""What happens between two epochs: the history, the checks, what is kept on disk."""

import math
import time

import keras
from keras import ops

from ..runs import checkpoint
from .rollback import best_loss, is_ruined

# Chosen. One step is bad luck with one batch, ten in a row are not.
MOST_SKIPPED = 10


class TrainingDiverged(RuntimeError):
    """The gradients stay NaN or infinite."""


class Recorder(keras.callbacks.Callback):
    """Keeps the history and the last good state, and stops a run that is done."""

    def __init__(self, sequences, config):
        super().__init__()
        self.sequences = sequences
        self.config = config
        self.good = None
        self.startup_seconds = 0.0
        self.interrupted = False
        self.skipped = 0
        self.began = self.first_step = time.perf_counter()

    @property
    def history(self):
        """A dictionary for each epoch."""
        return self.good.history

    @property
    def done(self):
        """Whether there is nothing left to train."""
        if self.config.stop_when_solved and self._solved():
            return True
        return len(self.history) >= self.config.epochs

    def resume(self, model, last):
        """Begins at a checkpoint, or at the beginning if that is None."""
        model.optimizer.build(model.trainable_variables)
        if last is not None:
            checkpoint.restore(last.values, model)
            self.good = last
        else:
            values = checkpoint.values_of(model)
            self.good = checkpoint.Checkpoint([], values, values)
        self.skipped = int(ops.convert_to_numpy(model.optimizer.skipped))

    def restore(self, model):
        """Puts the model back into the last good state."""
        checkpoint.restore(self.good.values, model)

    def on_epoch_begin(self, epoch, logs=None):
        # Not in the dataset's own on_epoch_end, which Keras calls once before epoch 0.
        self.sequences.epoch = epoch

    def on_train_batch_end(self, batch, logs=None):
        if not self.startup_seconds:
            now = time.perf_counter()
            self.startup_seconds = now - self.began
            # The clock of a run that was resumed goes on.
            spent = self.history[-1]["seconds"] if self.history else 0.0
            self.first_step = now - spent
        if self.interrupted:
            raise KeyboardInterrupt

    def on_epoch_end(self, epoch, logs=None):
        self._check_is_finite(epoch, logs["loss"])
        row = self._row(epoch, logs)
        # In a curriculum the loss may leap because the sequences did.
        best = best_loss(self.config.full_size(self.history))
        seen = len(self.sequences) * self.config.batch_size
        if self.config.rollback and is_ruined(row["loss"], best, seen):
            row["taken_back"] = 1
            self._go_back()
        values, safe = checkpoint.values_of(self.model), self.good.safe
        if row["loss"] < best:
            # Not the very first state: Adam has seen nothing there.
            safe = self.good.values if self.history else values
        self.good = checkpoint.Checkpoint([*self.history, row], values, safe)
        if self.config.stop_when_solved and self._solved():
            self.model.stop_training = True

    def _row(self, epoch, logs):
        steps = (epoch + 1) * len(self.sequences)
        before = self.skipped
        self.skipped = int(ops.convert_to_numpy(self.model.optimizer.skipped))
        return {
            "epoch": epoch + 1,
            "sequences": steps * self.config.batch_size,
            "seconds": round(time.perf_counter() - self.first_step, 3),
            "loss": float(logs["mean_loss"]),
            "bits_per_sequence": float(logs["bits_per_sequence"]),
            "bit_errors": float(logs["bit_errors"]),
            "skipped": self.skipped - before,
            "taken_back": 0,
        }

    def _go_back(self):
        """Puts the model back to before the best epoch; what was counted stays."""
        optimizer = self.model.optimizer
        counts = (optimizer.iterations, optimizer.skipped)
        now = [int(ops.convert_to_numpy(count)) for count in counts]
        checkpoint.restore(self.good.safe, self.model)
        for count, value in zip(counts, now, strict=True):
            count.assign(value)
        # The weights that gave them are gone, and so is which gradients they were.
        optimizer.in_a_row.assign(0)

    def _solved(self):
        return self.config.solved_at(self.history, self.sequences.task.success)

    def _check_is_finite(self, epoch, loss):
        optimizer = self.model.optimizer
        in_a_row = int(ops.convert_to_numpy(optimizer.in_a_row))
        if in_a_row < MOST_SKIPPED:
            return
        step = (epoch + 1) * len(self.sequences) - in_a_row + 1
        names = optimizer.broken_names()
        what = "the loss and " if not math.isfinite(loss) else ""
        more = f" and {len(names) - 1} others" if len(names) > 1 else ""
        raise TrainingDiverged(
            f"From step {step} on, {in_a_row} steps in a row, {what}the gradients of "
            f"`{names[0]}`{more} were not finite; the weights were kept from them. The "
            f"last good epoch is {len(self.history)}, after "
            f"{epoch * len(self.sequences) * self.config.batch_size} sequences. "
            "A smaller learning_rate or clip_norm may help."
        )


class Saver(keras.callbacks.Callback):
    """Writes checkpoint, history and model every few seconds: a process that is killed
    loses no more, and `memnets watch` has something to draw."""

    def __init__(self, run, recorder, network, seconds):
        super().__init__()
        self.run = run
        self.recorder = recorder
        self.network = network
        self.seconds = seconds
        self.saved = -math.inf

    def on_epoch_end(self, epoch, logs=None):
        if time.monotonic() - self.saved >= self.seconds:
            self.save()
            self.saved = time.monotonic()

    def save(self):
        """Writes the last good state."""
        self.run.save_checkpoint(self.recorder.good)
        self.run.write_history(self.recorder.history)
        self.run.save_model(self.network)
