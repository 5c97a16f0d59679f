"""When an epoch has ruined what was learned, and is taken back."""

import math

GUESS = math.log(2)  # nats a bit
# Chosen: a quarter of what guessing has. Before its loss is that low a network leaps
# about while it learns, and where that was taken back, copy took longer to be learned.
LEARNED = 0.25 * GUESS
# Chosen. The measure is the best of the last ten epochs: one that was lucky is
# forgotten after a while.
WINDOW = 10
# Chosen: a twentieth of what guessing has. With a tenth, and against the epoch before,
# networks that sort were lost by small steps.
RUIN = 0.05 * GUESS
# Chosen. In standard errors of the mean over an epoch, if losses of sequences differ by
# as much as their mean.
SPREAD = 5.0


def kept(history: list[dict]) -> list[dict]:
    """The epochs that were not taken back."""
    return [row for row in history if not row["taken_back"]]


def outcome(history: list[dict]) -> dict:
    """The last row, with the measures of the last epoch that was kept: what the network
    does now."""
    clock = {name: history[-1][name] for name in ("epoch", "sequences", "seconds")}
    return {**kept(history)[-1], **clock}


def best_loss(history: list[dict]) -> float:
    """The smallest loss of late, infinite if no epoch was kept."""
    return min((row["loss"] for row in kept(history[-WINDOW:])), default=math.inf)


def is_ruined(loss: float, best: float, sequences: int) -> bool:
    """Whether the loss over an epoch of so many sequences says that what had the best
    is lost."""
    return best < LEARNED and loss > best * (1 + SPREAD / math.sqrt(sequences)) + RUIN
