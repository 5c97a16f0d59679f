"""The state of a training between two epochs."""

import contextlib
import functools
import math
from contextlib import AbstractContextManager
from typing import Any

from keras import ops

from ..contract.task import Task
from ..runs import checkpoint
from ..runs.devices import alone, num_processes, own_copy
from ..runs.history import History, Row
from ..runs.training_config import TrainingConfig
from . import kept


class Session:
    """A model in training: its history, and the states that it can return to.

    Args:
        task: What it is trained on.
        config: How.
        model: The compiled Keras model.
        last: The checkpoint to continue from; the model as it is if None.
        plain: The network that the model is a stateful copy of, if it is one.
    """

    def __init__(
        self,
        task: Task,
        config: TrainingConfig,
        model: Any,
        last: checkpoint.Checkpoint | None = None,
        plain: Any = None,
    ) -> None:
        self.task = task
        self.config = config
        self.model = model
        self._plain = plain
        model.optimizer.build(model.trainable_variables)
        # Moments and counts before the first step, with which every start begins.
        self._first_optimizer = checkpoint.values_of(model)[len(model.variables) :]
        if last is not None:
            _check_fit(last, model)
            checkpoint.restore(last.values, model)
            self.checkpoint = last
        else:
            values = checkpoint.values_of(model)
            self.checkpoint = checkpoint.Checkpoint([], values, values)
        self._keeps_others = kept.keeps_others(config)

    @property
    def history(self) -> History:
        """The epochs so far."""
        return History(self.checkpoint.rows, self.config)

    @property
    def solved(self) -> bool:
        """Whether the task has been solved."""
        return self.history.solved_at(self.task.success) is not None

    @property
    def done(self) -> bool:
        """Whether there is nothing left to train."""
        if self.config.stop_when_solved and self.solved:
            return True
        if self.history.is_stalled(self.task):
            return True
        return len(self.history) >= self.config.epochs

    @functools.cached_property
    def own_model(self) -> Any:
        """A model that this process evaluates and saves by itself: the one in training,
        or a copy if several processes train it together or if it is stateful."""
        return own_copy(self.model) if self._plain is None else self._plain

    @contextlib.contextmanager
    def _holding(self, weights):
        if num_processes() == 1 and self._plain is None:
            with kept.holding(self.model, weights):
                yield self.model
            return
        own = self.own_model  # the copy is made here, not where it would be no copy
        with alone():
            kept.assign(own, weights or kept.weights_of(self.model))
            yield own

    def averaged(self) -> AbstractContextManager[Any]:
        """Within it `own_model` has the mean weights of the last epochs, as the run
        would keep them if this epoch was the best."""
        mean = None
        if self.config.average > 1:
            present = kept.weights_of(self.model)
            mean = kept.mean_of([*self._before(), present])
        return self._holding(mean)

    def _before(self):
        """The weights after the epochs before this one that are averaged with it."""
        most = self.config.average - 1
        return list(self.checkpoint.recent[-most:]) if most else []

    def accept(self, row: Row, *, is_best: bool) -> None:
        """Ends an epoch: adds its row to the history and makes the state of the model
        the checkpoint.

        Args:
            row: The epoch.
            is_best: Whether its loss is the best recent one; a roll-back then restores
                the state before this epoch.
        """
        values = checkpoint.values_of(self.model)
        before, rows = self.checkpoint, [*self.checkpoint.rows, row]
        rollback_values = before.rollback_values
        if is_best:
            # Not the initial state: its moments are zero, but the count of steps stays,
            # and Adam would not correct them.
            rollback_values = before.values if before.rows else values
        keeping = self._keeping(rows) if self._keeps_others else (None, ())
        ended = checkpoint.Checkpoint(rows, values, rollback_values, *keeping)
        self.checkpoint = ended._replace(best_start=before.best_start)

    def _keeping(self, rows):
        """The weights to keep after these epochs, and those of the last epochs."""
        before = self.checkpoint
        recent = (*self._before(), kept.weights_of(self.model))
        is_kept = True
        if self.config.keep == "best":
            best = History(rows, self.config).best(self.task)
            is_kept = best is rows[-1]
        weights = kept.mean_of(list(recent)) if is_kept else before.kept
        return weights, recent if self.config.average > 1 else ()

    def roll_back(self) -> None:
        """Restores the state before the best recent epoch, but not the counts of
        steps."""
        optimizer = self.model.optimizer
        counts = (optimizer.iterations, optimizer.skipped)
        self._restore_but(counts, self.checkpoint.rollback_values)

    def _restore_but(self, counts, values):
        """Restores a state, but not some counts of the optimizer."""
        present = [int(ops.convert_to_numpy(count)) for count in counts]
        checkpoint.restore(values, self.model)
        for count, value in zip(counts, present, strict=True):
            count.assign(value)
        # The skipped steps belong to the discarded weights.
        self.model.optimizer.consecutive_skips.assign(0)

    def end_start(self, following: list[kept.Weights]) -> None:
        """Ends a start: another one begins, or the best one goes on.

        Args:
            following: The first weights of the next start; none after the last one.
        """
        last = self.config.start_epochs - 1
        losses = [row["loss"] for row in self.checkpoint.rows[last :: last + 1]]
        before = filter(math.isfinite, losses[:-1])
        best = self.checkpoint.best_start
        if best is None or losses[-1] < min(before, default=math.inf):
            best = self.checkpoint.values
        values = [*following[0], *self._first_optimizer] if following else best
        # The history counts the skipped steps of all starts.
        self._restore_but((self.model.optimizer.skipped,), values)
        values = checkpoint.values_of(self.model)
        self.checkpoint = self.checkpoint._replace(
            values=values,
            rollback_values=values,
            recent=(),
            best_start=best if following else None,
        )

    def restore(self) -> None:
        """Restores the state at the end of the last epoch."""
        checkpoint.restore(self.checkpoint.values, self.model)

    def finish(self) -> None:
        """Gives the model the weights that the run keeps."""
        if self.checkpoint.kept is not None:
            kept.assign(self.model, self.checkpoint.kept)
        if self._plain is not None:
            kept.assign(self._plain, kept.weights_of(self.model))

    def finished(self) -> AbstractContextManager[Any]:
        """Within it `own_model` has the weights that the run keeps; it is yielded."""
        return self._holding(self.checkpoint.kept)


def _check_fit(last: checkpoint.Checkpoint, model: Any) -> None:
    """Raises CheckpointError if any state in a checkpoint is of another model."""
    states = (last.values, last.rollback_values, last.best_start)
    for state in filter(None, states):
        checkpoint.check_fit(state, checkpoint.state_of(model))
    for weights in filter(None, (last.kept, *last.recent)):
        checkpoint.check_fit(weights, kept.variables_of(model))
