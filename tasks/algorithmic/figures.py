"""Pictures of the algorithmic tasks."""

import numpy as np
from matplotlib.figure import Figure

from ..memory_figures import BLUE, SIGNED, rows_in_use


def draw_sequence(inputs, targets, outputs, mask, heads=()) -> Figure:
    """One sequence over time: what went in, what should and did come out, and where.

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
            ("errors", np.abs(outputs.round() - targets) + hidden),
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
        most = np.abs(vectors).max()
        signed = {"cmap": SIGNED, "vmin": -most, "vmax": most}
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
    return figure


def draw_write_locations(priorities, heads) -> Figure:
    """Where each vector was written against its priority, the paper's Figure 17.

    Args:
        priorities: `(T,)`.
        heads: List of `(title, weighting)`, weightings `(T, N)` of the write heads.
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
