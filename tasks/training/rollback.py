"""The decision whether an epoch has diverged, so that earlier weights are restored."""

import dataclasses
import math

from ..runs.history import History, Row

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
