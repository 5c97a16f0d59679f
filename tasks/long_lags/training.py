"""How networks are trained on long lags: in batches as today, or online as in 1997."""

from typing import Any

# The networks that the experiments are about, by name.
NETWORKS = ("long-memory-lstm", "lstm-1997", "gru", "simple-rnn")
# Those that are trained like them.
WITH_MEMORY = ("ntm-lstm", "ntm-feedforward")


def in_batches(batch_size: int = 32, **further: Any) -> dict[str, dict]:
    """Training parameters of each network: batches of that size, 3,200 sequences an
    epoch, and what is given. Tuned for the LSTM, see docs/recipes.md."""
    # An epoch must have more than 2,000 sequences, if so many in a row must be right.
    further = {"batch_size": batch_size, "epoch_steps": 3_200 // batch_size, **further}
    return dict.fromkeys((*NETWORKS, *WITH_MEMORY), further)


def online(
    learning_rate: float, sequences: int, *, epoch_steps: int = 2_500
) -> dict[str, Any]:
    """Training parameters of gradient descent, one sequence a step, with no bound of
    the gradient and a constant learning rate.

    Args:
        learning_rate: As in the paper, table 10.
        sequences: The budget.
        epoch_steps: Sequences in an epoch; at least 2,000 where so many in a row must
            be right.
    """
    return {
        "optimizer": "sgd",
        "schedule": "constant",
        "batch_size": 1,
        "clip_norm": 0.0,
        "learning_rate": learning_rate,
        "sequences": sequences,
        "epoch_steps": epoch_steps,
    }
