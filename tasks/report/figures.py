"""The pictures of a run, drawn with matplotlib; nothing is shown or stored here."""

from matplotlib.figure import Figure

GREY = "#888888"
BLUE = "#2b6cb0"
# White is 0, black 1, and red below 0, as priorities may be.
SIGNED = "RdGy"


def draw_learning(history) -> Figure:
    """Cross-entropy and bit errors per sequence against the sequences seen."""
    figure = Figure(figsize=(7, 3.2), layout="constrained")
    axes = figure.subplots()
    seen = [row["sequences"] for row in history]
    for key, label, color in (
        ("bits_per_sequence", "cross-entropy (bits)", GREY),
        ("bit_errors", "wrong bits", BLUE),
    ):
        axes.plot(seen, [row[key] for row in history], color=color, label=label)
    # Linear near zero, where a solved run lives, and logarithmic above.
    axes.set_yscale("symlog", linthresh=0.01, linscale=0.5)
    axes.set_ylim(bottom=0)
    axes.set_xlim(0, max(seen, default=1))
    axes.set_xlabel("training sequences")
    axes.set_ylabel("per sequence")
    axes.grid(alpha=0.3)
    axes.legend(frameon=False)
    return figure


def draw_sizes(results) -> Figure:
    """Share of perfect sequences by size, and the wrong bits of the others."""
    figure = Figure(figsize=(7, 2.8), layout="constrained")
    axes = figure.subplots()
    labels = [result.size for result in results]
    colors = [BLUE if result.beyond else GREY for result in results]
    bars = axes.bar(labels, [100 * r.perfect for r in results], color=colors)
    axes.bar_label(bars, [f"{r.bit_errors:.2f}" for r in results], padding=2)
    axes.set_ylim(0, 115)
    axes.set_yticks(range(0, 101, 25))
    axes.set_xlabel("size (blue: beyond training); above: wrong bits per sequence")
    axes.set_ylabel("% without a wrong bit")
    axes.spines[["top", "right"]].set_visible(False)
    return figure
