"""When a training ends: at the end of its budget, when nothing is left to learn, or
when gradients stay NaN or infinite."""

import math

from keras import ops

from .base import Feature

# Heuristic: a single step may be skipped by chance, ten consecutive ones are not.
MAX_CONSECUTIVE_SKIPS = 10


class TrainingDiverged(RuntimeError):
    """The gradients stay NaN or infinite."""


class DivergenceAlarm(Feature):
    """Raises `TrainingDiverged` when many consecutive steps were skipped."""

    def on_epoch_end(self, epoch: int, logs: dict[str, float]) -> None:
        optimizer, config = self.model.optimizer, self.training.config
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
            f"last checkpoint is of epoch {epoch}, after "
            f"{epoch * config.sequences_per_epoch} sequences. "
            "A smaller learning_rate or clip_norm may help."
        )


class StopWhenDone(Feature):
    """Stops after the epoch after which nothing is left to train: by default at the end
    of the budget, or earlier, see `TrainingConfig`. The rows of the history alone
    decide, so that a training that is resumed stops at the same epoch."""

    def on_epoch_end(self, epoch: int, logs: dict[str, float] | None = None) -> None:
        if self.training.session.history.is_over(self.training.task):
            self.model.stop_training = True
