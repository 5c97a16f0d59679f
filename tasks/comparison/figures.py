"""The picture of a comparison, drawn with Matplotlib: a panel each for learning and for
the size of the sequences, with the same colours."""

import dataclasses
import itertools
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np

from ..contract.task import Column
from ..figures.figure import COLORS, Figure
from ..figures.scales import show_errors, show_scores
from ..registry import MODELS
from ..report.run_figures import FEW_EPOCHS, SHADE

PANEL = 5.4, 3.7  # inches
# Heuristic: characters that the legend has room for below a panel; a sign beside a
# label takes as much as so many of them.
LEGEND, SIGN = 75, 8
# Heuristic: budgets that differ by more than this factor need a logarithmic axis.
FAR_BUDGETS = 4.0
# Heuristic: so many lengths have a tick and a marker each.
FEW_LENGTHS = 8
SIZES = "size of the sequences"
PUBLISHED = "published"  # until the legend names the paper
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


@dataclasses.dataclass(frozen=True)
class Curves:
    """A measure against the sequences seen, median and range over the seeds.

    Args:
        values: By label, the sequences and the measure `(seeds, epochs)`.
        column: What the measure is.
        published: By label, points that a paper has.
        best: The measure of the best possible predictor, if that is not 0.
    """

    values: dict[str, tuple[list[float], np.ndarray]]
    column: Column
    published: Points = dataclasses.field(default_factory=dict)
    best: float | None = None

    def draw(self, axes: Any, colors: dict[str, str]) -> None:
        """Draws them into a panel."""
        for label, (sequences, values) in self.values.items():
            marker = "o" if len(sequences) <= FEW_EPOCHS else None
            _line_and_range(axes, sequences, values, label, colors[label], marker)
        ends = [sequences[-1] for sequences, _ in self.values.values()]
        within = {
            label: [
                (x, y) for x, y in self.published.get(label, []) if x <= 1.05 * last
            ]
            for label in self.values
            for last in [max(ends)]
        }
        _mark_published(axes, within, colors)
        if self.best is None:
            _scale(axes, self.column)
        else:
            axes.axhline(self.best, color="black", ls="--", lw=1, label="best possible")
            # The view is cut to what each model reached, not to where it started.
            reached = max(
                np.median(values, axis=0).min() for _, values in self.values.values()
            )
            axes.set_ylim(self.best - 1, max(self.best, reached) + 8)
        if max(ends) > FAR_BUDGETS * min(ends):
            axes.set_xscale("log")
            first = min(sequences[0] for sequences, _ in self.values.values())
            axes.set_xlim(first, 1.1 * max(ends))
        else:
            axes.set_xlim(0, 1.02 * max(ends))
        axes.xaxis.set_major_formatter("{x:,.0f}")
        axes.set_title("during training", fontsize="medium")
        _finish(axes, self.column, "training sequences")


@dataclasses.dataclass(frozen=True)
class BySize:
    """A value of an evaluation by the size of the sequences, median and range over the
    seeds. The sizes of training are shaded.

    Args:
        sizes: Names of the sizes, or of what else was evaluated, such as splits.
        values: By label, `(seeds, sizes)`.
        column: What the value is.
        beyond: For each size, whether it is beyond those of training; None if they are
            no sizes. A line joins the values of sizes.
        trained: The smallest and the largest length of training, if it has lengths.
            Sizes that are lengths then stand where their numbers are.
        published: By label, what a paper has, by size.
    """

    sizes: list[str]
    values: dict[str, np.ndarray]
    column: Column
    beyond: list[bool] | None = None
    trained: tuple[int, int] | None = None
    published: Mapping[str, Mapping[str, float]] = dataclasses.field(
        default_factory=dict
    )

    def draw(self, axes: Any, colors: dict[str, str]) -> None:
        """Draws it into a panel."""
        lengths = [n for n, size in enumerate(self.sizes) if size.isdecimal()]
        if self.beyond is not None and self.trained and len(lengths) > 1:
            self._draw_lengths(axes, colors, lengths, self.trained)
        else:
            self._draw_names(axes, colors)
        _scale(axes, self.column)
        axes.set_title("after training", fontsize="medium")
        _finish(axes, self.column, "" if self.beyond is None else SIZES)

    def _draw_lengths(
        self,
        axes: Any,
        colors: dict[str, str],
        lengths: list[int],
        trained: tuple[int, int],
    ) -> None:
        """Lengths where their numbers are; the mean over those of training, which the
        learning curve has, is left out."""
        places = [int(self.sizes[n]) for n in lengths]
        few = len(places) <= FEW_LENGTHS
        marker = "o" if few else None
        for label, own in self.values.items():
            _line_and_range(axes, places, own[:, lengths], label, colors[label], marker)
        for line in axes.lines:
            line.set_clip_on(False)  # points at 0 are seen as a whole
        least, most = trained
        # A single length would be a line that nobody sees.
        wide = max(0, 0.02 * (places[-1] - least) - (most - least)) / 2
        _shade(axes, least - wide, most + wide)
        points = self._published(dict(zip(self.sizes, self.sizes, strict=True)))
        _mark_published(axes, points, colors)
        if few:
            axes.set_xticks(sorted({*places, *trained}))
        room = 0.03 * (places[-1] - least)
        axes.set_xlim(min(least, places[0]) - room, places[-1] + room)

    def _draw_names(self, axes: Any, colors: dict[str, str]) -> None:
        places = np.arange(len(self.sizes))
        step = min(0.06, 0.6 / len(self.values))
        for offset, (label, own) in enumerate(self.values.items()):
            middle = np.median(own, axis=0)
            spread = np.abs(np.stack([own.min(axis=0), own.max(axis=0)]) - middle)
            axes.errorbar(
                places + step * (offset - (len(self.values) - 1) / 2),
                middle,
                spread,
                fmt="o" if self.beyond is None else "o-",
                capsize=3,
                clip_on=False,
                color=colors[label],
                label=label,
            )
        for place, beyond in enumerate(self.beyond or ()):
            if not beyond:
                _shade(axes, place - 0.5, place + 0.5)
        points = self._published({size: n for n, size in enumerate(self.sizes)})
        _mark_published(axes, points, colors)
        axes.set_xticks(places, self.sizes)
        axes.set_xlim(-0.5, len(self.sizes) - 0.5)

    def _published(self, places: Mapping[str, Any]) -> Points:
        return {
            label: [(float(places[s]), y) for s, y in own.items() if s in places]
            for label, own in self.published.items()
            if label in self.values
        }


def draw_panels(panels: Sequence[Curves | BySize], source: str = "") -> Figure:
    """Panels side by side, with one legend below.

    Args:
        panels: What is drawn.
        source: The paper whose numbers are marked.
    """
    width, height = PANEL
    figure = Figure(figsize=(width * len(panels), height), layout="constrained")
    colors = colors_of(dict.fromkeys(x for panel in panels for x in panel.values))
    columns = figure.subplots(1, len(panels), squeeze=False)[0]
    for panel, axes in zip(panels, columns, strict=True):
        panel.draw(axes, colors)
    shown: dict[str, Any] = {}
    for axes in columns:
        for handle, label in zip(*axes.get_legend_handles_labels(), strict=True):
            shown.setdefault(
                label if label != PUBLISHED else f"{source} (read off)", handle
            )
    # All columns of a legend are as wide as its longest label.
    most = max(1, LEGEND * len(panels) // (SIGN + max(map(len, shown))))
    figure.set_figheight(height + 0.25 * -(-len(shown) // most))
    figure.legend(
        shown.values(),
        shown.keys(),
        loc="outside lower center",
        ncols=most,
        frameon=False,
    )
    return figure


def _line_and_range(
    axes: Any,
    x: Sequence[float],
    values: np.ndarray,
    label: str,
    color: str,
    marker: str | None,
) -> None:
    """The median over the seeds as a line, their range as a band."""
    middle = np.median(values, axis=0)
    axes.plot(x, middle, color=color, label=label, marker=marker, markersize=3)
    low, high = values.min(axis=0), values.max(axis=0)
    axes.fill_between(x, low, high, color=color, alpha=0.15, lw=0)


def _shade(axes: Any, start: float, end: float) -> None:
    axes.axvspan(start, end, color=SHADE, lw=0, zorder=0, label="sizes of training")


def _mark_published(axes: Any, points: Points, colors: dict[str, str]) -> None:
    """Diamonds where a paper has a number; `points` by label, `(x, y)`."""
    for label, own in points.items():
        if own:
            x, y = zip(*own, strict=True)
            axes.plot(x, y, "D", mfc="none", mec=colors[label], label=PUBLISHED)


def _scale(axes: Any, column: Column) -> None:
    if column.higher_is_better:
        show_scores(axes)
    else:
        show_errors(axes, 0.1)


def _finish(axes: Any, column: Column, below: str) -> None:
    axes.set_xlabel(below)
    axes.set_ylabel(column.label)
    axes.grid(alpha=0.3)
