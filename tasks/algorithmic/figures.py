"""Pictures of the algorithmic tasks."""

from collections.abc import Sequence
from typing import Any

import numpy as np
from matplotlib.figure import Figure
from matplotlib.patches import Patch

from ..memory_figures import BLUE, SIGNED, rows_in_use

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
    panels = [
        (title, values, values.shape[1] / 4, {"cmap": SIGNED, "vmin": -1, "vmax": 1})
        for title, values in (
            ("inputs", inputs),
            ("targets", targets + hidden),
            ("outputs", outputs + hidden),
            ("errors", (outputs > 0.5) - targets + hidden),
        )
    ]
    rows = rows_in_use([head.weighting[0] for head in heads])
    steps = len(inputs)
    where = {
        **{"cmap": "Blues", "vmin": 0, "vmax": 1},
        "extent": (-0.5, steps - 0.5, rows.stop - 0.5, rows.start - 0.5),
    }
    few = len(heads) <= 4
    height = float(np.clip((rows.stop - rows.start) / 6, 3, 9 if few else 3))
    for head in heads:
        vectors, weighting = head.vectors[0], head.weighting[0]
        largest = np.abs(vectors).max()
        signed = {"cmap": SIGNED, "vmin": -largest, "vmax": largest}
        verb = "adds" if head.kind == "write" else "reads"
        panels.append((f"{head.name}\n{verb}", vectors, 2.5, signed))
        panels.append((f"{head.name}\nmemory row", weighting[:, rows], height, where))
    ratios = [ratio for _, _, ratio, _ in panels]
    width = float(np.clip(steps / 8, 8, 14))
    figure = Figure(figsize=(width, 0.36 * sum(ratios) + 1.2), layout="constrained")
    all_axes = figure.subplots(len(ratios), sharex=True, height_ratios=ratios)
    for axes, (title, values, _, look) in zip(all_axes, panels, strict=True):
        axes.imshow(values.T, aspect="auto", interpolation="nearest", **look)
        if "extent" not in look:
            axes.set_yticks([])
        axes.set_ylabel(title, rotation=0, ha="right", va="center")
    all_axes[-1].set_xlabel("time step")
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
