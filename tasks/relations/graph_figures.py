"""Pictures and tables of tasks about graphs."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from ..figures.figure import Figure
from ..figures.memory_figures import BLUE, RED
from .graphs import Edge

GREY = "#b0b0b0"


def draw_graph(
    edges: Sequence[Edge], answer: Sequence[Edge], given: Sequence[Edge]
) -> Figure:
    """A graph with its nodes on a circle: the edges of the answer, and those of it that
    a model did not give.

    Args:
        edges: The graph.
        answer: The right triples.
        given: Those of the model, as many.
    """
    nodes = list(dict.fromkeys(node for edge in edges for node in (edge[0], edge[2])))
    angles = 2 * np.pi * np.arange(len(nodes)) / len(nodes)
    place = dict(zip(nodes, np.stack([np.cos(angles), np.sin(angles)], 1), strict=True))
    figure = Figure(figsize=(7, 7), layout="constrained")
    axes = figure.add_subplot()
    right = {step for step, other in zip(answer, given, strict=True) if step == other}
    colors = {**dict.fromkeys(answer, RED), **dict.fromkeys(right, BLUE)}
    # An edge of the answer need not be one of the graph.
    for edge in dict.fromkeys([*edges, *answer]):
        if edge.source in place and edge.destination in place:
            _draw_edge(axes, place, edge, colors.get(edge, GREY))
    for node, position in place.items():
        axes.annotate(
            f"{node:03d}",
            position,
            ha="center",
            va="center",
            bbox={"boxstyle": "circle", "facecolor": "white", "edgecolor": "black"},
        )
    axes.set(xlim=(-1.2, 1.2), ylim=(-1.2, 1.2), aspect="equal")
    axes.axis("off")
    for color, label in ((BLUE, "right"), (RED, "wrong in the output")):
        axes.plot([], [], color=color, label=label)
    axes.legend(title="edges of the answer", loc="upper right", frameon=False)
    return figure


def _draw_edge(axes: Any, place: dict, edge: Edge, color: str) -> None:
    start, end = place[edge.source], place[edge.destination]
    axes.annotate(
        "",
        end,
        start,
        arrowprops={
            "arrowstyle": "-|>",
            "color": color,
            "shrinkA": 14,
            "shrinkB": 14,
            "connectionstyle": "arc3,rad=0.1",  # two edges of a pair stay apart
        },
    )
    # Nearer to the source, whose edges have labels of their own.
    axes.annotate(
        f"{edge.label:03d}", start + 0.35 * (end - start), color=color, fontsize=7
    )
