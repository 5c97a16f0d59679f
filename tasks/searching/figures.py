"""The pictures of a search, drawn with Matplotlib."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from ..figures.figure import COLORS, Figure
from .axes import Axis
from .result import Search
from .trial import COMPLETE, PRUNED, Trial

COLUMNS = 3  # panels beside each other


def draw_settings(axes: dict[str, Axis], result: Search) -> Figure:
    """The score of each complete trial against each setting, a panel a setting, and at
    the top where trials were stopped early.

    Args:
        axes: What varies.
        result: What came out; at least one trial must be complete.
    """
    importances = result.importances
    rows = -(-len(axes) // COLUMNS)
    columns = min(COLUMNS, len(axes))
    figure = Figure(figsize=(3.6 * columns, 2.9 * rows), layout="constrained")
    panels = np.ravel(figure.subplots(rows, columns, sharey=True, squeeze=False))
    names = sorted(axes, key=lambda name: -importances.get(name, 0.0))
    for panel, name in zip(panels, names, strict=False):
        axis = axes[name]
        _draw_trials(panel, axis, name, result)
        share = f"  {importances[name]:.0%}" if name in importances else ""
        panel.set_title(f"{name}{share}", fontsize=10)
        axis.draw_ticks(panel)
    for panel in panels[::COLUMNS]:
        panel.set_ylabel("score")
    for panel in panels[len(names) :]:
        panel.set_axis_off()
    return figure


def _draw_trials(panel: Any, axis: Axis, name: str, result: Search) -> None:
    """The points of one panel: complete trials, those that were stopped early, and the
    best."""
    place = axis.place
    complete = [trial for trial in result.trials if trial.state == COMPLETE]
    pruned = [trial for trial in result.trials if trial.state == PRUNED]
    chosen = [trial for trial in complete if trial == result.best]
    scores = [trial.score or 0.0 for trial in complete]
    top = max(scores) + 0.08 * (max(scores) - min(scores) or 1.0)
    marks: dict[str, Any] = {"s": 14, "alpha": 0.8, "linewidths": 0}
    panel.scatter(
        [place(t.settings[name]) for t in complete], scores, color=COLORS[0], **marks
    )
    panel.scatter(
        [place(t.settings[name]) for t in pruned],
        [top] * len(pruned),
        color=COLORS[2],
        marker="|",
        s=30,
    )
    panel.scatter(
        [place(trial.settings[name]) for trial in chosen],
        [trial.score or 0.0 for trial in chosen],
        color=COLORS[1],
        s=60,
        marker="*",
    )


def draw_progress(trials: Sequence[Trial]) -> Figure:
    """The score of each complete trial in their order, and the best so far."""
    figure = Figure(figsize=(7, 3.2), layout="constrained")
    panel = figure.subplots()
    complete = [trial for trial in trials if trial.state == COMPLETE]
    numbers = [trial.number for trial in complete]
    scores = [trial.score or 0.0 for trial in complete]
    panel.plot(numbers, scores, "o", color=COLORS[0], ms=4, label="a trial")
    panel.step(
        numbers,
        np.minimum.accumulate(scores),
        where="post",
        color=COLORS[1],
        label="the best so far",
    )
    panel.set_xlabel("trial")
    panel.set_ylabel("score")
    panel.legend(fontsize=8, frameon=False)
    return figure
