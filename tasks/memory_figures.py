"""Pictures of a memory at work, which reports and tasks share."""

import numpy as np
from matplotlib.figure import Figure
from matplotlib.ticker import MaxNLocator

BLUE = "#2b6cb0"
# White is 0, black 1, red below 0.
SIGNED = "RdGy"


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


def rows_in_use(weightings):
    """The range of memory rows that any head attends to, with a margin."""
    if not weightings:
        return slice(0, 0)
    peak = np.max([weighting.max(axis=0) for weighting in weightings], axis=0)
    used = np.flatnonzero(peak > 0.5)
    if not len(used):
        return slice(0, len(peak))
    return slice(max(0, used[0] - 2), min(len(peak), used[-1] + 3))
