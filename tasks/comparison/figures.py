"""The pictures of a comparison, drawn with matplotlib."""

import numpy as np
from matplotlib.figure import Figure

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
    _mark_published(
        axes,
        {
            model: [
                point for point in published.get(model, []) if point[0] <= 1.05 * last
            ]
            for model in curves
        },
    )
    if best is None:
        _show_errors(axes)
    else:
        axes.axhline(best, color="black", ls="--", lw=1, label="best possible")
        # Where each model got to is in view, not where it began.
        reached = max(np.median(bits, axis=0).min() for _, bits in curves.values())
        axes.set_ylim(best - 1, max(best, reached) + 8)
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
            clip_on=False,
            color=PALETTE.get(model),
            label=model,
        )
    _mark_published(
        axes,
        {
            model: [
                (sizes.index(size), bits)
                for size, bits in published.get(model, {}).items()
                if size in sizes
            ]
            for model in errors
        },
    )
    axes.set_xticks(places, sizes)
    _show_errors(axes)
    axes.set_xlabel("size of the sequences")
    axes.set_ylabel(f"{unit} per sequence")
    axes.grid(alpha=0.3)
    axes.legend(frameon=False)
    return figure


def _mark_published(axes, points):
    """Diamonds where the paper has a number; `points` by model, `(x, bits)`."""
    label = "the paper's (read off)"
    for model, own in points.items():
        if own:
            x, bits = zip(*own, strict=True)
            color = PALETTE.get(model, "black")
            axes.plot(x, bits, "D", mfc="none", mec=color, label=label, clip_on=False)
            label = None


def _show_errors(axes):
    """Linear near zero, where solved runs live, and logarithmic above."""
    axes.set_yscale("symlog", linthresh=0.1, linscale=0.4)
    axes.set_ylim(bottom=0)
