"""Pictures of a run, drawn with Matplotlib; nothing is shown or stored here."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from ..contract.task import Task
from ..evaluation import EvaluationResult, differ_in_size, headline_of
from ..figures.figure import Figure
from ..figures.memory_figures import BLUE
from ..figures.scales import is_wide, show_errors, show_scores
from ..length_generalization import LengthTest, chance_of
from ..runs.history import FIRST_COLUMNS, LAST_COLUMNS, History

GREY = "#888888"
COLORS = (BLUE, GREY, "#c05621", "#2f855a")
# Heuristic: a curve of so few epochs is drawn with a marker for each.
FEW_EPOCHS = 20
# The lengths of training.
SHADE, TRAINED = "#f0ead6", "lengths of training"


def draw_learning(task: Task, history: History) -> Figure:
    """The task's measures against the sequences seen: errors above, scores below."""
    measures = [
        name for name in history.rows[0] if name not in (*FIRST_COLUMNS, *LAST_COLUMNS)
    ] or ["loss"]
    scores = [
        name for name in measures if task.presentation.column(name).higher_is_better
    ]
    errors = [name for name in measures if name not in scores]
    groups = [group for group in (errors, scores) if group]
    figure = Figure(figsize=(7, 0.6 + 2.6 * len(groups)), layout="constrained")
    all_axes = figure.subplots(len(groups), sharex=True, squeeze=False)[:, 0]
    seen = [row["sequences"] for row in history]
    for axes, names in zip(all_axes, groups, strict=True):
        for name, color in zip(names, COLORS, strict=False):
            axes.plot(
                seen,
                [row[name] for row in history],
                color=color,
                label=task.presentation.column(name).label,
                marker="o" if len(history) <= FEW_EPOCHS else None,
                markersize=3,
            )
        if names is errors:
            show_errors(axes, 0.01)
        else:
            show_scores(axes)
        axes.set_xlim(0, 1.02 * max(seen))
        axes.grid(alpha=0.3)
        axes.legend(frameon=False)
    all_axes[-1].set_xlabel("training sequences")
    return figure


def draw_sizes(task: Task, results: list[EvaluationResult]) -> Figure:
    """The task's headline by size, with its value above each bar."""
    name = headline_of(task, results)
    column = task.presentation.column(name)
    figure = Figure(figsize=(7, 3), layout="constrained")
    axes = figure.subplots()
    values = [_finite(result.values[name]) for result in results]
    bars = axes.bar(
        [result.size for result in results],
        values,
        color=[BLUE if result.beyond else GREY for result in results],
        width=0.5,
    )
    axes.bar_label(bars, [_label(task, name, result) for result in results], padding=2)
    if not any(values):
        axes.text(0.5, 0.6, "All are 0: no bars", ha="center", transform=axes.transAxes)
    low, high = min(values), max(values)
    if column.higher_is_better or not is_wide(low, high, 0.1):
        axes.set_ylim(1.25 * min(0.0, low), 1.25 * high or 1.0)
    else:
        axes.set_yscale("symlog", linthresh=0.1, linscale=0.5)
        axes.set_ylim(0, 4 * high)
    axes.set_xlim(-0.75, len(results) - 0.25)
    if name == "bits" and all("best_bits" in result.values for result in results):
        best = [result.values["best_bits"] for result in results]
        axes.plot(range(len(best)), best, "_", color="black", markersize=40)
    if differ_in_size(results):
        axes.set_xlabel("size (blue: beyond training)")
    axes.set_ylabel(column.label)
    axes.spines[["top", "right"]].set_visible(False)
    return figure


def draw_lengths(task: Task, test: LengthTest) -> Figure:
    """The measure of a test by length, with the lengths of training shaded, and beside
    it the score of a guess."""
    column = task.presentation.column(test.measure)
    figure = Figure(figsize=(7, 3), layout="constrained")
    axes = figure.subplots()
    few = len(test.lengths) <= FEW_EPOCHS
    axes.plot(
        test.lengths, test.measured, color=BLUE, marker="o" if few else None, ms=3
    )
    show_training(axes, task, test.lengths)
    if (chance := chance_of(task)) is not None:
        axes.axhline(chance, color=GREY, ls="--", lw=1, label="a guess")
    axes.set_ylim(0, 1.05)
    axes.set_xlabel("length")
    axes.set_ylabel(column.label)
    axes.grid(alpha=0.3)
    axes.legend(frameon=False, loc="lower right")
    return figure


def show_training(axes: Any, task: Task, lengths: Sequence[int]) -> None:
    """Shades the lengths of training, and shows them beside others."""
    ranges = getattr(task, "size_ranges", ())
    if not ranges:
        return
    least, most = ranges[0]
    room = max(0, 0.02 * (max(lengths) - least) - (most - least)) / 2
    axes.axvspan(least - room, most + room, color=SHADE, lw=0, zorder=0, label=TRAINED)
    axes.set_xlim(min(least - room, *lengths), max(most, *lengths))


def _finite(value: float) -> float:
    """The height of a bar: none of a value that is not finite, which its label says."""
    return value if np.isfinite(value) else 0.0


def _label(task: Task, name: str, result: EvaluationResult) -> str:
    text = format(result.values[name], task.presentation.column(name).form)
    if "perfect" in result.values and name != "perfect":
        share = format(
            result.values["perfect"], task.presentation.column("perfect").form
        )
        text += f"\n{share} {task.presentation.column('perfect').label}"
    return text
