"""Pictures of the algorithmic tasks."""

from collections.abc import Sequence
from typing import Any

import numpy as np
from matplotlib.patches import Patch

from ..figures.figure import Figure
from ..figures.memory_figures import BLUE, draw_steps

# The colours of `SIGNED` at its ends, and what they say of an error.
ERRORS = {"#1a1a1a": "1 instead of 0", "#67001f": "0 instead of 1"}


def draw_sequence(
    inputs: np.ndarray,
    targets: np.ndarray,
    outputs: np.ndarray,
    mask: np.ndarray,
    heads: Sequence[Any] = (),
) -> Figure:
    """One sequence over time: inputs, targets, outputs, errors, and what each head
    reads or writes at which memory row.

    Args:
        inputs: `(T, input_size)`.
        targets: `(T, output_size)`.
        outputs: Probabilities `(T, output_size)`.
        mask: `(T,)`; outputs and targets are shown where it is 1.
        heads: The `memnets.HeadTrace` of the sequence, write heads first as in the
            paper's Figure 6.
    """
    hidden = np.where(mask[:, None] > 0, 0.0, np.nan)
    figure = draw_steps(
        [
            ("inputs", inputs),
            ("targets", targets + hidden),
            ("outputs", outputs + hidden),
            ("errors", (outputs > 0.5) - targets + hidden),
        ],
        heads,
    )
    figure.legend(
        handles=[Patch(color=color, label=text) for color, text in ERRORS.items()],
        title="errors",
        loc="outside lower right",
        ncols=len(ERRORS),
        fontsize="small",
        title_fontsize="small",
        frameon=False,
    )
    return figure


def draw_write_locations(
    priorities: np.ndarray, heads: Sequence[tuple[str, np.ndarray]]
) -> Figure:
    """The memory row of each vector against its priority, the paper's Figure 17.

    Args:
        priorities: `(T,)`.
        heads: `(title, weighting)` of each write head, weightings `(T, N)`.
    """
    count = len(heads)
    figure = Figure(
        figsize=(3.2 * min(count, 4), 2.8 * -(-count // 4)), layout="constrained"
    )
    all_axes = np.atleast_1d(
        figure.subplots(-(-count // 4), min(count, 4), squeeze=False)
    )
    for axes in all_axes.flat[count:]:
        axes.set_axis_off()
    for axes, (title, weighting) in zip(all_axes.flat, heads, strict=False):
        axes.scatter(
            priorities,
            weighting.argmax(axis=1),
            s=12 + 40 * weighting.max(axis=1),
            alpha=0.6,
            color=BLUE,
        )
        axes.set_title(title, fontsize="medium")
        axes.set_xlabel("priority")
        axes.set_ylabel("memory row")
    return figure
