"""The pictures of a run, drawn with matplotlib; nothing is shown or stored here."""

from typing import NamedTuple

import numpy as np
from matplotlib.figure import Figure
from matplotlib.ticker import MaxNLocator

GREY = "#888888"
BLUE = "#2b6cb0"
# White is 0, black 1, and red below 0, as priorities may be.
SIGNED = "RdGy"


def draw_learning(history) -> Figure:
    """Cross-entropy and bit errors per sequence against the sequences seen."""
    figure = Figure(figsize=(7, 3.2), layout="constrained")
    axes = figure.subplots()
    seen = [row["sequences"] for row in history]
    for key, label, color in (
        ("bits_per_sequence", "cross-entropy (bits)", GREY),
        ("bit_errors", "wrong bits", BLUE),
    ):
        axes.plot(seen, [row[key] for row in history], color=color, label=label)
    # Linear near zero, where a solved run lives, and logarithmic above.
    axes.set_yscale("symlog", linthresh=0.01, linscale=0.5)
    axes.set_ylim(bottom=0)
    axes.set_xlim(0, max(seen, default=1))
    axes.set_xlabel("training sequences")
    axes.set_ylabel("per sequence")
    axes.grid(alpha=0.3)
    axes.legend(frameon=False)
    return figure


def draw_sizes(results) -> Figure:
    """Share of perfect sequences by size, and the wrong bits of the others."""
    figure = Figure(figsize=(7, 2.8), layout="constrained")
    axes = figure.subplots()
    labels = [result.size for result in results]
    colors = [BLUE if result.beyond else GREY for result in results]
    bars = axes.bar(labels, [100 * r.perfect for r in results], color=colors)
    axes.bar_label(bars, [f"{r.bit_errors:.2f}" for r in results], padding=2)
    axes.set_ylim(0, 115)
    axes.set_yticks(range(0, 101, 25))
    axes.set_xlabel("size (blue: beyond training); above: wrong bits per sequence")
    axes.set_ylabel("% without a wrong bit")
    axes.spines[["top", "right"]].set_visible(False)
    return figure


class Head(NamedTuple):
    """What a head did over time.

    Attributes:
        title: Which head it is.
        vectors_title: `"adds"` of a write head or `"reads"` of a read head.
        vectors: `(T, W)`, what it wrote or read.
        weighting: `(T, N)`, where.
    """

    title: str
    vectors_title: str
    vectors: np.ndarray
    weighting: np.ndarray


def draw_sequence(inputs, targets, outputs, mask, heads=()) -> Figure:
    """One sequence over time: what went in, what should and did come out, and where.

    Args:
        inputs: `(T, input_size)`.
        targets: `(T, target_size)`.
        outputs: Probabilities `(T, target_size)`.
        mask: `(T,)`; outputs and targets are shown where it is 1.
        heads: The `Head`s, as in the paper's Figure 6 the write heads first.
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
    rows = rows_in_use([head.weighting for head in heads])
    steps = len(inputs)
    where = {
        **{"cmap": "Blues", "vmin": 0, "vmax": 1},
        "extent": (-0.5, steps - 0.5, rows.stop - 0.5, rows.start - 0.5),
    }
    few = len(heads) <= 4
    height = float(np.clip((rows.stop - rows.start) / 6, 3, 9 if few else 3))
    for title, vectors_title, vectors, weighting in heads:
        most = np.abs(vectors).max()
        signed = {"cmap": SIGNED, "vmin": -most, "vmax": most}
        panels.append((f"{title}\n{vectors_title}", vectors, 2.5, signed))
        panels.append((f"{title}\nmemory row", weighting[:, rows], height, where))
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


def draw_memory(memory, rows) -> Figure:
    """The memory matrix `(N, W)` at the end of a sequence, its rows in use."""
    shown = memory[rows]
    height = float(np.clip(len(shown) / 6, 2, 9))
    figure = Figure(figsize=(5, height + 0.8), layout="constrained")
    axes = figure.subplots()
    most = np.abs(shown).max()
    image = axes.imshow(
        shown,
        aspect="auto",
        interpolation="nearest",
        extent=(-0.5, memory.shape[1] - 0.5, rows.stop - 0.5, rows.start - 0.5),
        cmap=SIGNED,
        vmin=-most,
        vmax=most,
    )
    axes.xaxis.set_major_locator(MaxNLocator(integer=True))
    axes.set_xlabel("component")
    axes.set_ylabel("memory row")
    figure.colorbar(image, shrink=0.8)
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


def rows_in_use(weightings):
    """The range of memory rows that any head attends to, with a margin."""
    if not weightings:
        return slice(0, 0)
    peak = np.max([weighting.max(axis=0) for weighting in weightings], axis=0)
    used = np.flatnonzero(peak > 0.5)
    if not len(used):
        return slice(0, len(peak))
    return slice(max(0, used[0] - 2), min(len(peak), used[-1] + 3))
