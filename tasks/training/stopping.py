"""When a training ends."""

from .base import Feature


class StopWhenDone(Feature):
    """Stops after the epoch after which nothing is left to train: by default at the end
    of the budget, or earlier, see `TrainingConfig`. The rows of the history alone
    decide, so that a training that is resumed stops at the same epoch."""

    def on_epoch_end(self, epoch: int, logs: dict[str, float] | None = None) -> None:
        if self.training.session.history.is_over(self.training.task):
            self.model.stop_training = True
