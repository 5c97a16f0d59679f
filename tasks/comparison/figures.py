"""The pictures of a comparison, drawn with Matplotlib."""

import itertools
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np

from ..contract.task import Column
from ..figures.figure import COLORS, Figure
from ..figures.scales import show_errors, show_scores
from ..registry import MODELS
from ..report.figures import FEW_EPOCHS

# By label of the model: x and y of points.
Points = Mapping[str, Sequence[tuple[float, float]]]


def colors_of(labels: Iterable[str]) -> dict[str, str]:
    """A colour for each label, different as long as there are enough.

    A model by its plain name has always the same one, unless another has it already.
    """
    fixed = {name: COLORS[n % len(COLORS)] for n, name in enumerate(MODELS)}
    labels = list(labels)
    colors: dict[str, str] = {}
    for label in labels:
        if label in fixed and fixed[label] not in colors.values():
            colors[label] = fixed[label]
    free = [color for color in COLORS if color not in colors.values()] or list(COLORS)
    others = [label for label in labels if label not in colors]
    return colors | dict(zip(others, itertools.cycle(free), strict=False))


def draw_curves(
    curves: dict[str, tuple[list[float], np.ndarray]],
    column: Column,
    *,
    published: Points,
    source: str = "",
    best: float | None = None,
) -> Figure:
    """A measure against the sequences seen, median and range over the seeds.

    Args:
        curves: By label, the sequences and the measure `(seeds, epochs)`.
        column: What the measure is.
        published: By label, points that a paper has.
        source: The paper.
        best: The measure of the best possible predictor, if that is not 0.
    """
    figure = Figure(figsize=(7, 3.8), layout="constrained")
    axes = figure.subplots()
    colors = colors_of(curves)
    for label, (sequences, values) in curves.items():
        low, high = values.min(axis=0), values.max(axis=0)
        axes.plot(
            sequences,
            np.median(values, axis=0),
            color=colors[label],
            label=label,
            marker="o" if len(sequences) <= FEW_EPOCHS else None,
            markersize=3,
        )
        axes.fill_between(sequences, low, high, color=colors[label], alpha=0.15, lw=0)
    last = max(sequences[-1] for sequences, _ in curves.values())
    within = {
        label: [(x, y) for x, y in published.get(label, []) if x <= 1.05 * last]
        for label in curves
    }
    _mark_published(axes, within, colors, source)
    if best is None:
        _scale(axes, column)
    else:
        axes.axhline(best, color="black", ls="--", lw=1, label="best possible")
        # The view is cut to what each model reached, not to where it started.
        reached = max(np.median(values, axis=0).min() for _, values in curves.values())
        axes.set_ylim(best - 1, max(best, reached) + 8)
    axes.set_xlim(0, 1.02 * last)
    axes.set_xlabel("training sequences")
    _finish(axes, column)
    return figure


def draw_values_by_size(
    sizes: list[str],
    values: dict[str, np.ndarray],
    column: Column,
    *,
    joined: bool = True,
    published: dict[str, dict[str, float]],
    source: str = "",
) -> Figure:
    """A value against the size of sequences, median and range over the seeds.

    Args:
        sizes: Names of the sizes, or of what else was evaluated, such as splits.
        values: By label, `(seeds, sizes)`.
        column: What the value is.
        joined: Whether they are sizes: then a line joins their values.
        published: By label, what a paper has, by size.
        source: The paper.
    """
    figure = Figure(figsize=(7, 3.4), layout="constrained")
    axes = figure.subplots()
    colors = colors_of(values)
    places = np.arange(len(sizes))
    step = min(0.06, 0.6 / len(values))
    for offset, (label, own) in enumerate(values.items()):
        middle = np.median(own, axis=0)
        spread = np.abs(np.stack([own.min(axis=0), own.max(axis=0)]) - middle)
        axes.errorbar(
            places + step * (offset - (len(values) - 1) / 2),
            middle,
            spread,
            fmt="o-" if joined else "o",
            capsize=3,
            clip_on=False,
            color=colors[label],
            label=label,
        )
    points = {
        label: [(sizes.index(s), y) for s, y in own.items() if s in sizes]
        for label, own in published.items()
        if label in values
    }
    _mark_published(axes, points, colors, source)
    axes.set_xticks(places, sizes)
    axes.set_xlim(-0.5, len(sizes) - 0.5)
    _scale(axes, column)
    if joined:
        axes.set_xlabel("size of the sequences")
    _finish(axes, column)
    return figure


def _mark_published(
    axes: Any, points: Points, colors: dict[str, str], source: str
) -> None:
    """Diamonds where a paper has a number; `points` by label, `(x, y)`."""
    name: str | None = f"{source} (read off)"
    for label, own in points.items():
        if own:
            x, y = zip(*own, strict=True)
            edge = colors[label]
            axes.plot(x, y, "D", mfc="none", mec=edge, label=name, clip_on=False)
            name = None


def _scale(axes: Any, column: Column) -> None:
    if column.higher_is_better:
        show_scores(axes)
    else:
        show_errors(axes, 0.1)


def _finish(axes: Any, column: Column) -> None:
    axes.set_ylabel(column.label)
    axes.grid(alpha=0.3)
    axes.legend(frameon=False)
