"""Windows of a text: the sequences of a language model."""

import numpy as np

from ..contract.parts import Batch

# Heuristic: windows that are read at once where they are read in order.
ROWS = 32


def windows_at(
    starts: np.ndarray, tokens: np.ndarray, steps: int, context: int
) -> Batch:
    """Windows that begin at places of a text; their targets are the next tokens.

    Args:
        starts: The places, `(B,)`.
        tokens: The text, `(T,)`.
        steps: Predictions of a window.
        context: How many of its first predictions do not count; at least one counts.
    """
    windows = tokens[starts[:, None] + np.arange(steps + 1)]
    mask = np.ones((len(starts), steps), np.float32)
    mask[:, : min(context, steps - 1)] = 0
    return Batch(windows[:, :-1], windows[:, 1:], mask)


def windows_in_order(tokens: np.ndarray, window: int, context: int) -> list[Batch]:
    """Windows whose predictions that count are of tokens one after another: those of a
    text but for its first ones, and for some of its last.

    All batches have one shape, as another would be compiled too.

    Args:
        tokens: The text, `(T,)`, at least two tokens.
        window: Predictions of a window; of a shorter text, all that there are.
        context: How many of its first predictions do not count; at least one counts.
    """
    steps = min(window, len(tokens) - 1)
    starts = np.arange(0, len(tokens) - steps, steps - min(context, steps - 1))
    count = -(-len(starts) // ROWS)
    parts = starts[: len(starts) // count * count].reshape(count, -1)
    return [windows_at(part, tokens, steps, context) for part in parts]
