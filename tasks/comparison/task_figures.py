"""Pictures of several tasks: their scores, and a panel each by size."""

import itertools
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from ..figures.figure import Figure
from ..length_generalization import chance_of
from .figures import LEGEND, PANEL, SIGN, colors_of
from .finished_run import FinishedRun, by_label
from .page import by_size
from .task_table import by_task, class_of, entries

# Panels in a row.
COLUMNS = 3
PANEL_WIDTH = 4  # inches
# A score from which on the number in a cell is white.
DARK = 0.6


def draw_scores(runs: Sequence[FinishedRun]) -> Figure:
    """The best score of each model on each task, as a field of cells, with a gap
    between classes of tasks."""
    labels = list(by_label(list(runs)))
    tasks = by_task(runs)
    best = np.full((len(tasks), len(labels)), np.nan)
    for row, own in enumerate(tasks.values()):
        for label, entry in entries(own).items():
            if entry.known:
                best[row, labels.index(label)] = entry.best
    size = (2.5 + 1.1 * len(labels), 1.2 + 0.3 * len(tasks))
    figure = Figure(figsize=size, layout="constrained")
    axes = figure.subplots()
    axes.imshow(best, cmap="Blues", vmin=0, vmax=1, aspect="auto")
    for (row, column), score in np.ndenumerate(best):
        if np.isfinite(score):
            color = "white" if score > DARK else "black"
            text = f"{score:.0%}"
            axes.text(column, row, text, ha="center", va="center", color=color)
    classes = [class_of(own[0].run.task) for own in tasks.values()]
    for row, (one, following) in enumerate(itertools.pairwise(classes)):
        if one != following:  # a gap between classes
            axes.axhline(row + 0.5, color="white", lw=4)
    axes.set_xticks(range(len(labels)), labels, rotation=20, ha="right")
    axes.set_yticks(range(len(tasks)), list(tasks))
    return figure


def draw_class(tasks: Mapping[str, list[FinishedRun]]) -> Figure:
    """A panel a task: the values of each model by size, with a line for a guess.

    Args:
        tasks: The runs of each task, by its name.
    """
    columns = min(COLUMNS, len(tasks))
    rows = -(-len(tasks) // columns)
    figure = Figure(figsize=(PANEL_WIDTH * columns, 3 * rows), layout="constrained")
    panels = figure.subplots(rows, columns, squeeze=False).ravel()
    runs = [run for own in tasks.values() for run in own]
    colors = colors_of(by_label(runs))
    shown: dict[str, Any] = {}
    for axes, (name, own) in zip(panels, tasks.items(), strict=False):
        by_size(by_label(own)).draw(axes, colors)
        chance = chance_of(own[0].run.task)
        if chance is not None:
            axes.axhline(chance, color="#888888", ls="--", lw=1, label="a guess")
        axes.set_title(name, fontsize="medium")
        for handle, label in zip(*axes.get_legend_handles_labels(), strict=True):
            shown.setdefault(label, handle)
    for axes in panels[len(tasks) :]:
        axes.set_visible(False)
    width = columns * PANEL_WIDTH / PANEL[0] * LEGEND
    most = max(1, int(width / (SIGN + max(map(len, shown)))))
    figure.set_figheight(3 * rows + 0.25 * -(-len(shown) // most))
    figure.legend(
        shown.values(),
        shown.keys(),
        loc="outside lower center",
        ncols=most,
        frameon=False,
    )
    return figure
