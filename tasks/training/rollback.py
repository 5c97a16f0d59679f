"""Roll-back: earlier weights are restored after an epoch that has diverged."""

import dataclasses
import math
from typing import Any

from ..runs.checkpoint import check_fit, state_of, values_of
from ..runs.history import History, Row
from .base import Feature, Training
from .weights import restore_but

# Tuned: small losses count from a quarter of the chance-level loss on. Above it, spikes
# are normal early learning, and rolling them back slowed copy down.
ACTIVE_BELOW = 0.25
# Heuristic: above it, an epoch has diverged if it loses most of a gain over chance. A
# network that sorts went from 56 bits to three times the 128 bits of chance.
GAIN = 0.25
LOST = 0.75
# Tuned: an epoch is compared with the best of the last ten only, so that one lucky
# epoch does not matter for long.
WINDOW_EPOCHS = 10
# Tuned: a margin of a twentieth of the chance-level loss. With a tenth, and a
# comparison with the epoch before, networks that sort diverged in small steps.
LOSS_MARGIN = 0.05
# Heuristic: five standard errors of the mean over an epoch, if losses of sequences
# differ by as much as their mean.
NOISE_SIGMAS = 5.0


@dataclasses.dataclass(frozen=True)
class RollbackPolicy:
    """Decides whether an epoch has diverged.

    Args:
        chance_loss: Loss of a predictor that ignores its inputs, see
            `Recipe.chance_loss`; the policy never rolls back if it is None.
    """

    chance_loss: float | None

    def has_diverged(self, loss: float, best: float, sequences: int) -> bool:
        """Whether a loss exceeds the recent best by more than margin and noise, or has
        lost most of a gain over chance.

        Args:
            loss: Mean loss of the epoch.
            best: The best recent loss, see `best_recent_loss`.
            sequences: Number of sequences in the epoch.
        """
        if self.chance_loss is None:
            return False
        noise = NOISE_SIGMAS / math.sqrt(sequences)
        bound = best * (1 + noise) + LOSS_MARGIN * self.chance_loss
        if best >= ACTIVE_BELOW * self.chance_loss:
            gain = self.chance_loss - best
            if gain < GAIN * self.chance_loss:
                return False
            bound = max(bound, best + LOST * gain)
        return loss > bound


def best_recent_loss(history: History) -> float:
    """The smallest loss of the recent accepted epochs, infinite if there is none.

    Epochs of a curriculum do not count, because their sequences are smaller, nor do
    those of starts, which may be of other weights.
    """
    of_one_start = history.rows[history.config.choosing_epochs :]
    recent: list[Row] = history.full_size(of_one_start)[-WINDOW_EPOCHS:]
    accepted = (row["loss"] for row in recent if not row["rolled_back"])
    return min(filter(math.isfinite, accepted), default=math.inf)


class Rollback(Feature):
    """Restores the state before the best recent epoch, but not the counts of steps, if
    an epoch has diverged."""

    def __init__(self, training: Training) -> None:
        super().__init__(training)
        self._policy = RollbackPolicy(training.task.recipe.chance_loss)
        self._values = training.session.checkpoint.values

    def state(self) -> dict[str, Any]:
        return {"rollback_values": self._values}

    def restore(self, state: dict[str, Any]) -> None:
        self._values = state["rollback_values"]
        if self._values:
            check_fit(self._values, state_of(self.training.session.model))

    def on_epoch_end(self, epoch: int, logs: dict[str, float] | None = None) -> None:
        config, session = self.training.config, self.training.session
        *before, row = session.history.rows
        best = best_recent_loss(History(before, config))
        sequences = config.sequences_per_epoch
        if config.rollback and self._policy.has_diverged(row["loss"], best, sequences):
            row["rolled_back"] = 1
            optimizer = self.model.optimizer
            counts = (optimizer.iterations, optimizer.skipped)
            restore_but(counts, self._values, self.model)
        elif row["loss"] < best:
            # Not the initial state: its moments are zero, but the count of steps stays,
            # and Adam would not correct them.
            self._values = (
                session.checkpoint.values if before else values_of(self.model)
            )
