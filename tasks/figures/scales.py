"""Axes on which errors and scores can be compared."""

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from matplotlib.axes import Axes

# Heuristic: errors whose largest is less than so many times the smallest are drawn on a
# linear axis of their own range.
WIDE = 10.0
# Heuristic: share of an axis that stays free at each end.
MARGIN = 0.05


def is_wide(low: float, high: float, threshold: float) -> bool:
    """Whether errors go over a power of ten, those below a threshold left aside."""
    return high > WIDE * max(low, threshold)


def show_errors(axes: "Axes", threshold: float) -> None:
    """Makes an axis that shows the errors drawn on it.

    If they go over a power of ten it is linear below `threshold`, where solved runs
    are, and logarithmic above; without the linear part if none is there. Else, as of
    bits per character, it is linear.
    """
    axes.margins(y=MARGIN)
    low, high = _range(axes)
    if is_wide(low, high, threshold) and low > threshold:
        axes.set_yscale("log")
    elif is_wide(low, high, threshold):
        axes.set_yscale("symlog", linthresh=threshold, linscale=0.5)
        axes.set_ylim(bottom=min(0.0, low))


def show_scores(axes: "Axes") -> None:
    """Makes an axis from 0 for the scores drawn on it."""
    axes.margins(y=MARGIN)
    low, high = _range(axes)
    if low >= 0:
        # Scores that are all alike have no range, of which there would be a margin.
        top = max(axes.get_ylim()[1], high * (1 + MARGIN))
        axes.set_ylim(0, top if high else 1.0)


def _range(axes: "Axes") -> tuple[float, float]:
    """The smallest and the largest finite value of the lines of an axis."""
    lines = [np.asarray(line.get_ydata(), float) for line in axes.get_lines()]
    values = np.concatenate([np.atleast_1d(y) for y in lines] or [np.zeros(1)])
    finite = values[np.isfinite(values)]
    return (finite.min(), finite.max()) if finite.size else (0.0, 0.0)
