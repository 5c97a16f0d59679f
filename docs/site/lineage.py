"""Draws docs/images/lineage.png: which network grew out of which, and what was new.

python docs/site/lineage.py
"""

import pathlib

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt

PICTURE = pathlib.Path(__file__).parents[1] / "images" / "lineage.png"
# Name: year, row, what was new, the networks it grew out of.
NETWORKS = {
    "Jordan": (1986, 1.6, "the last outputs\nreturn as inputs", []),
    "Elman": (1990, 2, "the hidden units\nreturn", ["Jordan"]),
    "LSTM 1997": (1997, 4, "cells that add up,\nbehind gates", ["Elman"]),
    "echo state": (2001, 0.85, "only the readout\nis trained", ["Elman"]),
    "LSTM": (2000, 3, "forget gates,\npeepholes", ["LSTM 1997"]),
    "multiplicative": (2011, 2.35, "the input chooses\nthe weights", ["Elman"]),
    "GRU": (2014, 3, "two gates, one state", ["LSTM"]),
    "clockwork": (2014, 1.45, "modules with\ntheir own clocks", ["Elman"]),
    "NTM": (2014, 4, "rows of memory,\nread and written\nby address", ["LSTM"]),
}
# Papers of one year would cover each other.
SHIFT = {
    "LSTM": 2.2,
    "LSTM 1997": -0.4,
    "multiplicative": 0.4,
    "echo state": -1,
    "Elman": 1.6,
    "Jordan": -0.6,
}
GATED, SIMPLE = "#e6f4ea", "#e8eef7"
HALF = 2.6  # half the width of a box, in years


def place(name):
    """Where the middle of a box is."""
    year, row, *_ = NETWORKS[name]
    return year + SHIFT.get(name, 0), row


def draw():
    """The figure."""
    figure, axes = plt.subplots(figsize=(9.6, 4.6))
    for name, (year, row, new, parents) in NETWORKS.items():
        x, y = place(name)
        for parent in parents:
            from_x, from_y = place(parent)
            axes.annotate(
                "",
                (x - HALF, y),
                (from_x + HALF, from_y),
                arrowprops={
                    "arrowstyle": "->",
                    "color": "#888888",
                    "connectionstyle": "arc3,rad=0.04",
                },
            )
        box = {
            "boxstyle": "round,pad=0.5",
            "fc": GATED if row >= 3 else SIMPLE,
            "ec": "#666666",
        }
        shown = name.removesuffix(f" {year}").replace(" ", "~")
        text = f"$\\bf{{{shown}}}$ {year}\n{new}"
        axes.text(x, y, text, ha="center", va="center", fontsize=8.5, bbox=box)
    axes.set(xlim=(1982.6, 2017), ylim=(0.4, 4.7))
    axes.set_yticks([])
    axes.spines[["left", "right", "top"]].set_visible(False)
    figure.tight_layout()
    return figure


if __name__ == "__main__":
    draw().savefig(PICTURE, dpi=110)
