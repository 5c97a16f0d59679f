"""Pictures of the hops over a story."""

from collections.abc import Sequence

import numpy as np

from ...figures.figure import Figure
from ...figures.fonts import wrapped
from ...figures.memory_figures import BLUE, SHARES

# Attention from here on has white numbers on its dark cell.
DARK = 0.6


def draw_hops(
    sentences: Sequence[str],
    question: str,
    answers: tuple[str, str],
    facts: np.ndarray,
    attention: np.ndarray,
) -> Figure:
    """The sentences of a story, and how much attention each hop gave to each.

    Args:
        sentences: The sentences; empty ones are left out.
        question: The question.
        answers: The right answer, and that of the network.
        facts: Whether each sentence is a supporting fact, `(N,)`: those are drawn in
            bold and blue.
        attention: `(hops, N)`.
    """
    shown = [index for index, sentence in enumerate(sentences) if sentence]
    hops = len(attention)
    figure = Figure(
        figsize=(3.6 + 0.8 * hops, 1.5 + 0.3 * len(shown)), layout="constrained"
    )
    axes = figure.subplots()
    values = attention[:, shown].T
    axes.imshow(values, aspect="auto", **SHARES)  # type: ignore[arg-type]
    for (row, hop), value in np.ndenumerate(values):
        color = "white" if value > DARK else "black"
        axes.text(hop, row, f"{value:.2f}", ha="center", va="center", color=color)
    axes.set_xticks(range(hops), [f"hop {hop + 1}" for hop in range(hops)])
    axes.xaxis.tick_top()
    axes.set_yticks(range(len(shown)), [sentences[index] for index in shown])
    for label, index in zip(axes.get_yticklabels(), shown, strict=True):
        if facts[index]:
            label.set(color=BLUE, fontweight="bold")
    axes.tick_params(length=0)
    right, given = answers
    title = f"{question}  {given}" + ("" if given == right else f"  (right: {right})")
    figure.suptitle(wrapped(title, 60))
    return figure
