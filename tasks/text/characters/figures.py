"""The picture of an answer."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from ...contract.task import Batch
from ...figures.memory_figures import draw_steps
from ...losses.tensors import log_softmax
from .alphabet import BLANK, Alphabet

if TYPE_CHECKING:
    from ...figures.figure import Figure

NEWLINE = "\u21b5"


def draw_answer(
    alphabet: Alphabet, batch: Batch, logits: np.ndarray, heads: Sequence[Any]
) -> "Figure":
    """A Matplotlib figure of the first sequence: what it reads from left to right, the
    characters that are due, and the probabilities of those that a model puts out.

    Args:
        alphabet: The characters of the task.
        batch: The batch.
        logits: Outputs of the model, `(B, T, tokens)`.
        heads: The `memnets.HeadTrace` of the model's memories.
    """
    inputs, targets, mask = (array[0] for array in batch)
    counts = mask[:, None] > 0
    chances = np.where(counts, np.exp(log_softmax(logits[0])), 0)
    due = np.where(counts, np.eye(alphabet.size)[targets], 0)
    # Heuristic: a character that is never probable has no line.
    shown = np.flatnonzero((due.max(axis=0) > 0) | (chances.max(axis=0) > 0.1))
    panels = [("target", due[:, shown]), ("output", chances[:, shown])]
    figure = draw_steps(panels, heads)
    for axes in figure.axes[: len(panels)]:
        axes.set_yticks(
            range(len(shown)), [_name(alphabet, token) for token in shown.tolist()]
        )
        axes.tick_params(axis="y", labelsize=7)
    bottom = figure.axes[-1]
    bottom.set_xticks(range(len(inputs)), [_name(alphabet, t) for t in inputs])
    bottom.tick_params(axis="x", labelsize=8, length=0)
    bottom.set_xlabel("what is read at each step")
    return figure


def _name(alphabet: Alphabet, token: int) -> str:
    return "" if token == BLANK else alphabet.text([token]).replace("\n", NEWLINE)
