"""The pictures of a run, drawn with matplotlib; nothing is shown or stored here."""

from typing import NamedTuple

import numpy as np
from matplotlib.figure import Figure

GREY = "#888888"
BLUE = "#2b6cb0"


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
    axes.bar_label(bars, [f"{r.bit_errors:.2f} wrong bits" for r in results], padding=2)
    axes.set_ylim(0, 115)
    axes.set_yticks(range(0, 101, 25))
    axes.set_xlabel("size (blue: beyond training)")
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
    # White is 0, black 1, and red below 0, as priorities may be.
    panels = [
        (title, values, values.shape[1] / 4, {**_SIGNED, "vmin": -1, "vmax": 1})
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
        signed = {**_SIGNED, "vmin": -most, "vmax": most}
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


_SIGNED = {"cmap": "RdGy"}


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
        **_SIGNED,
        vmin=-most,
        vmax=most,
    )
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


# Colours of models, as told apart also by those who do not see all colours.
PALETTE = {"ntm-feedforward": "#0072b2", "ntm-lstm": "#d55e00", "lstm": "#666666"}


def draw_curves(curves, published, best=None) -> Figure:
    """Bits per sequence against sequences seen, as in the paper's figures.

    Args:
        curves: By model, `(sequences, bits of each seed (seeds, epochs))`.
        published: By model, points `(sequences, bits)` that the paper has.
        best: What the best predictor there is would reach, if that is not 0.
    """
    figure = Figure(figsize=(7, 3.8), layout="constrained")
    axes = figure.subplots()
    for model, (sequences, bits) in curves.items():
        color = PALETTE.get(model)
        axes.plot(sequences, np.median(bits, axis=0), color=color, label=model)
        axes.fill_between(
            sequences, bits.min(axis=0), bits.max(axis=0), color=color, alpha=0.15, lw=0
        )
    last = max(sequences[-1] for sequences, _ in curves.values())
    label = "the paper's (read off)"
    for model, points in published.items():
        points = [point for point in points if point[0] <= 1.05 * last]
        if points:
            axes.plot(
                *zip(*points, strict=True),
                "D",
                mfc="none",
                mec=PALETTE[model],
                label=label,
            )
            label = None
    if best is None:
        axes.set_yscale("symlog", linthresh=0.1, linscale=0.4)
        axes.set_ylim(bottom=0)
    else:
        axes.axhline(best, color="black", ls="--", lw=1, label="best possible")
        axes.set_ylim(best - 1, best + 8)
    axes.set_xlim(0, last)
    axes.set_xlabel("training sequences")
    axes.set_ylabel("bits per sequence")
    axes.grid(alpha=0.3)
    axes.legend(frameon=False)
    return figure


def draw_errors_by_size(sizes, errors, published, unit) -> Figure:
    """Errors against the size of sequences, median and range over seeds, as in the
    paper's Figures 4, 8, 11.

    Args:
        sizes: Names of the sizes.
        errors: By model, `(seeds, sizes)`.
        published: By model, a dictionary from sizes to what the paper has.
        unit: What is counted.
    """
    figure = Figure(figsize=(7, 3.4), layout="constrained")
    axes = figure.subplots()
    places = np.arange(len(sizes))
    for offset, (model, values) in enumerate(errors.items()):
        middle = np.median(values, axis=0)
        spread = np.abs(np.stack([values.min(axis=0), values.max(axis=0)]) - middle)
        axes.errorbar(
            places + 0.06 * (offset - 1),
            middle,
            spread,
            fmt="o-",
            capsize=3,
            color=PALETTE.get(model),
            label=model,
        )
    label = "the paper's (read off)"
    for model, points in published.items():
        shown = [(sizes.index(s), bits) for s, bits in points.items() if s in sizes]
        if shown:
            axes.plot(
                *zip(*shown, strict=True),
                "D",
                mfc="none",
                mec=PALETTE[model],
                label=label,
            )
            label = None
    axes.set_xticks(places, sizes)
    axes.set_yscale("symlog", linthresh=0.1, linscale=0.4)
    axes.set_ylim(bottom=0)
    axes.set_xlabel("size of the sequences")
    axes.set_ylabel(f"{unit} per sequence")
    axes.grid(alpha=0.3)
    axes.legend(frameon=False)
    return figure
