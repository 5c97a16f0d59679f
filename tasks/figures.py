"""The pictures of a run, drawn with matplotlib; nothing is shown or stored here."""

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


def draw_lengths(results, longest_trained) -> Figure:
    """Share of perfect sequences by length, and the wrong bits of the others."""
    figure = Figure(figsize=(7, 2.8), layout="constrained")
    axes = figure.subplots()
    labels = [str(result.length) for result in results]
    colors = [GREY if r.length <= longest_trained else BLUE for r in results]
    bars = axes.bar(labels, [100 * r.perfect for r in results], color=colors)
    axes.bar_label(bars, [f"{r.bit_errors:.2f} wrong bits" for r in results], padding=2)
    axes.set_ylim(0, 115)
    axes.set_yticks(range(0, 101, 25))
    axes.set_xlabel(f"length (trained up to {longest_trained}: grey)")
    axes.set_ylabel("% without a wrong bit")
    axes.spines[["top", "right"]].set_visible(False)
    return figure


def draw_sequence(inputs, targets, outputs, mask, heads=None) -> Figure:
    """One sequence over time: what went in, what should and did come out, and where.

    Args:
        inputs: `(T, input_size)`.
        targets: `(T, target_size)`.
        outputs: Probabilities `(T, target_size)`.
        mask: `(T,)`; outputs and targets are shown where it is 1.
        heads: List of `(title, weighting)`, weightings `(T, N)`; write heads first.
    """
    hidden = np.where(mask[:, None] > 0, 0.0, np.nan)
    panels = [
        ("inputs", inputs),
        ("targets", targets + hidden),
        ("outputs", outputs + hidden),
        ("errors", np.abs(outputs.round() - targets) + hidden),
    ]
    heads = heads or []
    rows = _rows_in_use([weighting for _, weighting in heads])
    ratios = [values.shape[1] / 4 for _, values in panels]
    ratios += [float(np.clip((rows.stop - rows.start) / 6, 4, 9)) for _ in heads]
    steps = len(inputs)
    width = float(np.clip(steps / 8, 8, 14))
    figure = Figure(figsize=(width, 0.36 * sum(ratios) + 1.2), layout="constrained")
    all_axes = figure.subplots(len(ratios), sharex=True, height_ratios=ratios)
    for axes, (title, values) in zip(all_axes, panels, strict=False):
        # White is 0, black 1, and red below 0, as priorities may be.
        axes.imshow(values.T, aspect="auto", cmap="RdGy", vmin=-1, vmax=1, **_CRISP)
        axes.set_yticks([])
        axes.set_ylabel(title, rotation=0, ha="right", va="center")
    for axes, (title, weighting) in zip(all_axes[len(panels) :], heads, strict=True):
        axes.imshow(
            weighting[:, rows].T,
            aspect="auto",
            cmap="Blues",
            vmin=0,
            vmax=1,
            extent=(-0.5, steps - 0.5, rows.stop - 0.5, rows.start - 0.5),
            **_CRISP,
        )
        axes.set_ylabel(f"{title}\nmemory row", rotation=0, ha="right", va="center")
    all_axes[-1].set_xlabel("time step")
    return figure


_CRISP = {"interpolation": "nearest"}


def _rows_in_use(weightings):
    """The range of memory rows that any head attends to, with a margin."""
    if not weightings:
        return slice(0, 0)
    peak = np.max([weighting.max(axis=0) for weighting in weightings], axis=0)
    used = np.flatnonzero(peak > 0.5)
    if not len(used):
        return slice(0, len(peak))
    return slice(max(0, used[0] - 2), min(len(peak), used[-1] + 3))
