"""Pictures of models of text, drawn with Matplotlib; nothing is shown or stored."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from ..figures.figure import Figure
from ..figures.memory_figures import BLUE, draw_steps
from .by_length import ScoredLines

# Heuristic: characters in a line of a picture.
WIDTH = 60
# Heuristic: a character that costs as much is drawn in the darkest colour. A guess
# among a hundred characters costs 6.6.
DARKEST = 8.0
GREY = "#888888"
# How characters that would break a line are shown.
SHOWN = str.maketrans({"\n": "\u23ce", "\r": "\u21e4", "\t": "\u21e5"})


def draw_bits(text: str, bits: np.ndarray, heads: Sequence[Any] = ()) -> Figure:
    """A text with the bits that each of its characters cost, darker for more; where
    there are heads of a memory, the bits over time above them.

    Args:
        text: The characters.
        bits: What each cost, `(T,)`.
        heads: The `memnets.HeadTrace` of the text.
    """
    if heads:
        return draw_steps([("bits", np.asarray(bits)[:, None])], heads)
    rows = -(-len(text) // WIDTH)
    figure = Figure(figsize=(9, 0.8 + 0.3 * rows), layout="constrained")
    axes = figure.subplots()
    cells = np.full(rows * WIDTH, np.nan)
    cells[: len(bits)] = bits
    image = axes.imshow(
        cells.reshape(rows, WIDTH), cmap="Blues", vmin=0, vmax=DARKEST, aspect="auto"
    )
    for place, character in enumerate(text.translate(SHOWN)):
        row, column = divmod(place, WIDTH)
        axes.text(
            column,
            row,
            character,
            color="white" if bits[place] > 0.6 * DARKEST else "black",
            # The font of Matplotlib that has the signs for line ends.
            family="DejaVu Sans Mono",
            ha="center",
            va="center_baseline",
        )
    axes.set_axis_off()
    figure.colorbar(image, ax=axes, label="bits", shrink=0.9, extend="max")
    return figure


def draw_token_bits(
    tokens: Sequence[str], bits: np.ndarray, heads: Sequence[Any] = ()
) -> Figure:
    """A text of pieces or words with the bits that each cost, as bars; where there are
    heads of a memory, the bits over time above them.

    Args:
        tokens: The pieces.
        bits: What each cost, `(T,)`.
        heads: The `memnets.HeadTrace` of the text.
    """
    if heads:
        return draw_steps([("bits", np.asarray(bits)[:, None])], heads)
    figure = Figure(figsize=(9, 3.2), layout="constrained")
    axes = figure.subplots()
    axes.bar(range(len(tokens)), bits, color=BLUE)
    axes.set_xticks(range(len(tokens)), tokens, rotation=60, ha="right")
    axes.set_ylabel("bits")
    axes.grid(axis="y", alpha=0.3)
    return figure


def draw_closings(
    curves: dict[str, tuple[np.ndarray, np.ndarray]], opening: str, closing: str
) -> Figure:
    """The probability of a closing sign by the characters since it was opened.

    Args:
        curves: By name of a model, what `closing_probabilities` gives.
        opening: The sign that opens.
        closing: The sign that closes.
    """
    size = (3.5 * len(curves), 3.2)
    figure = Figure(figsize=size, layout="constrained")
    all_axes = figure.subplots(1, len(curves), sharey=True, squeeze=False)[0]
    for axes, (name, (opened, plain)) in zip(all_axes, curves.items(), strict=True):
        steps = range(1, len(opened) + 1)
        axes.plot(steps, opened, color=BLUE, label=f"after {opening}")
        axes.plot(steps, plain, color=GREY, label=f"without {opening}")
        axes.set_yscale("log")
        axes.set_title(name)
        axes.set_xlabel(f"characters after {opening}")
        axes.grid(alpha=0.3)
    all_axes[0].set_ylabel(f"probability of {closing}")
    all_axes[0].legend(frameon=False)
    return figure


def draw_weights(
    weights: np.ndarray, rows: Sequence[str], columns: Sequence[str]
) -> Figure:
    """Weights from 0 to 1 as a map, darker for more, with words on both axes.

    Args:
        weights: `(rows, columns)`.
        rows: What stands beside each row.
        columns: What stands above each column.
    """
    size = (1.5 + 0.32 * len(columns), 1.2 + 0.28 * len(rows))
    figure = Figure(figsize=size, layout="constrained")
    axes = figure.subplots()
    image = axes.imshow(weights, cmap="Blues", vmin=0, vmax=1, aspect="auto")
    axes.set_xticks(range(len(columns)), columns, rotation=60, ha="left")
    axes.xaxis.tick_top()
    axes.set_yticks(range(len(rows)), rows)
    figure.colorbar(image, ax=axes, shrink=0.8)
    return figure


def draw_by_length(networks: Mapping[str, Sequence[ScoredLines]]) -> Figure:
    """BLEU of groups of lines by the length of their sources.

    Args:
        networks: For each network, by name, its groups, which are the same for all.
    """
    figure = Figure(figsize=(7, 3.2), layout="constrained")
    axes = figure.subplots()
    # Side by side, so that intervals do not hide one another.
    offsets = 0.08 * (np.arange(len(networks)) - (len(networks) - 1) / 2)
    for offset, (name, groups) in zip(offsets, networks.items(), strict=True):
        values = np.array([group.bleu for group in groups])
        bounds = np.array([group.interval or (group.bleu,) * 2 for group in groups])
        errors = np.abs(bounds - values[:, None]).T
        places = np.arange(len(groups)) + offset
        axes.errorbar(places, values, errors, marker="o", capsize=4, label=name)
        axes.set_xticks(np.arange(len(groups)), [group.lengths for group in groups])
    axes.set_ylim(0, None)
    axes.set_xlabel("words of the source")
    axes.set_ylabel("BLEU")
    axes.grid(axis="y", alpha=0.3)
    if len(networks) > 1:
        axes.legend()
    return figure
