"""Pictures of a memory at work, which reports and tasks share."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from matplotlib.ticker import MaxNLocator

from ..checks import check_integer, shorten
from .figure import Figure

if TYPE_CHECKING:
    from memnets import MemoryTrace

BLUE = "#2b6cb0"
RED = "#b2182b"  # of what is wrong
# White is 0, black 1, red below 0.
SIGNED = "RdGy"
# White is 0, dark blue 1.
SHARES = {"cmap": "Blues", "vmin": 0, "vmax": 1}
# Heuristic: a head uses a row where it gives it more than half of its attention.
USED = 0.5
# Heuristic: rows that have a tenth of the attention may be left out of a picture.
SHARE = 0.9
MARGIN = 2  # unused rows that are drawn on each side
# A title, values `(T, channels)`, a height, and how the values look.
Panel = tuple[str, np.ndarray, float, dict[str, Any]]


def draw_steps(
    panels: Sequence[tuple[str, np.ndarray]], heads: Sequence[Any]
) -> Figure:
    """Values over time, and what each head reads or writes at which memory row.

    Args:
        panels: `(title, values)`, values `(T, channels)`; NaN is left blank.
        heads: The `memnets.HeadTrace` of the sequence.
    """
    return _draw_panels([*_above(panels), *_of_heads(heads)])


def draw_trace(
    trace: "MemoryTrace",
    panels: Sequence[tuple[str, np.ndarray]] = (),
    *,
    sequence: int = 0,
) -> Figure:
    """What a memory did over time: a picture of what `trace_memory` of a layer gives.

    Args:
        trace: The trace, of any number of sequences.
        panels: What stands above it, such as inputs and outputs: titles and values
            `(T, channels)` of the sequence; NaN is left blank.
        sequence: The number of the sequence that is drawn.
    Returns:
        A figure, time from left to right. Of each head the vector that it reads or
        adds, and its attention to the rows, darker for more; then what else the trace
        has of rows and of steps. Rows that nothing uses are left out.
    Raises:
        TypeError: If it is no `MemoryTrace`, or panels are no pairs.
        ValueError: If the trace has neither heads nor other values, or no such
            sequence, or a panel has another number of steps.
    Example:
        >>> import memnets
        >>> layer = memnets.NTM(8, memory_size=12)
        >>> trace = layer.trace_memory(np.ones((1, 5, 3), "float32"))
        >>> len(tasks.draw_trace(trace).axes)  # two heads, two panels each
        4
    """
    if not all(hasattr(trace, name) for name in ("memory", "heads", "row_values")):
        raise TypeError(
            "`trace` must be what `trace_memory` of a layer gives, a MemoryTrace. "
            f"Received: trace={shorten(trace)}"
        )
    count = len(trace.memory)
    check_integer("sequence", sequence, 0, count - 1)
    own = slice(sequence, sequence + 1)
    heads = [
        head._replace(vectors=head.vectors[own], weighting=head.weighting[own])
        for head in trace.heads
    ]
    one = trace._replace(
        heads=heads,
        row_values=tuple((title, values[own]) for title, values in trace.row_values),
        step_values=tuple((title, values[own]) for title, values in trace.step_values),
    )
    drawn = [*_of_heads(heads), *_of_values(one)]
    if not drawn:
        raise ValueError(
            "`trace` must have heads, or values of rows or of steps. Received one with "
            "a memory alone, `trace.memory`."
        )
    return _draw_panels([*_above(_checked(panels, trace.memory.shape[1])), *drawn])


def _above(panels: Sequence[tuple[str, np.ndarray]]) -> list[Panel]:
    """The panels of values that are no part of a memory."""
    return [
        (title, values, max(1.0, values.shape[1] / 4), _signed(values))
        for title, values in panels
    ]


def _checked(panels: Any, steps: int) -> list[tuple[str, np.ndarray]]:
    """Titles and values over so many steps."""
    checked = []
    for panel in panels:
        if not isinstance(panel, tuple | list) or len(panel) != 2:
            raise TypeError(
                "`panels` must be a list of pairs, a title and its values. "
                f"Received: {shorten(panel)}"
            )
        title, values = panel[0], np.asarray(panel[1])
        if values.ndim != 2 or len(values) != steps:
            raise ValueError(
                f"Values of `panels` must have the shape ({steps}, channels), those of "
                f"one sequence. Received: {title!r} of shape {values.shape}"
            )
        checked.append((title, values))
    return checked


def _of_heads(heads: Sequence[Any]) -> list[Panel]:
    """The panels of the heads of a sequence."""
    if not heads:
        return []
    drawn: list[Panel] = []
    steps = heads[0].weighting.shape[1]
    rows = rows_in_use([head.weighting[0] for head in heads])
    attention = {**SHARES, "extent": _extent(steps, rows)}
    few = len(heads) <= 4
    height = float(np.clip((rows.stop - rows.start) / 6, 3, 9 if few else 3))
    for head in heads:
        vectors, weighting = head.vectors[0], head.weighting[0]
        verb = "adds" if head.kind == "write" else "reads"
        drawn.append((f"{head.name}\n{verb}", vectors, 2.5, _signed(vectors)))
        title = f"{head.name}\n{_of_rows(rows, weighting.shape[1])}"
        drawn.append((title, weighting[:, rows], height, attention))
    return drawn


def draw_values(trace: "MemoryTrace") -> Figure | None:
    """What else than its heads a memory shows over time: shares from 0 to 1, of each
    row and of each step.

    Args:
        trace: The `memnets.MemoryTrace` of the sequence.
    Returns:
        None if there is nothing else.
    """
    drawn = _of_values(trace)
    return _draw_panels(drawn) if drawn else None


def _of_values(trace: "MemoryTrace") -> list[Panel]:
    """The panels of what else than its heads a memory shows."""
    # Without heads, as of a stack, the values say which rows are in use.
    attention = [head.weighting for head in trace.heads]
    attention = attention or [values for _, values in trace.row_values]
    rows = rows_in_use([values[0] for values in attention])
    drawn: list[Panel] = []
    for title, values in trace.row_values:
        look = {**SHARES, "extent": _extent(values.shape[1], rows)}
        height = float(np.clip((rows.stop - rows.start) / 6, 3, 9))
        title = f"{title}\n{_of_rows(rows, values.shape[2])}"
        drawn.append((title, values[0][:, rows], height, look))
    for title, values in trace.step_values:
        drawn.append((title, values[0], max(1.0, values.shape[2] / 2), SHARES))
    return drawn


def _of_rows(rows: slice, count: int) -> str:
    """What the axis of memory rows shows: which of them, if it is not all."""
    if rows.stop - rows.start >= count:
        return "memory row"
    return f"memory row\n{rows.start} to {rows.stop - 1} of 0 to {count - 1}"


def _extent(steps: int, rows: slice) -> tuple[float, float, float, float]:
    """The edges of a picture of rows over time."""
    return (-0.5, steps - 0.5, rows.stop - 0.5, rows.start - 0.5)


def _draw_panels(drawn: Sequence[Panel]) -> Figure:
    """A figure of panels over time."""
    steps = len(drawn[0][1])
    ratios = [ratio for _, _, ratio, _ in drawn]
    width = float(np.clip(steps / 8, 8, 14))
    figure = Figure(figsize=(width, 0.36 * sum(ratios) + 1.2), layout="constrained")
    all_axes = figure.subplots(
        len(ratios), sharex=True, height_ratios=ratios, squeeze=False
    )[:, 0]
    for axes, (title, values, _, look) in zip(all_axes, drawn, strict=True):
        axes.imshow(values.T, aspect="auto", interpolation="nearest", **look)
        if "extent" not in look:
            axes.set_yticks([])
        axes.set_ylabel(title, rotation=0, ha="right", va="center")
    all_axes[-1].xaxis.set_major_locator(MaxNLocator(integer=True))
    all_axes[-1].set_xlabel("time step")
    return figure


def _signed(values: np.ndarray) -> dict[str, Any]:
    """Colours that are white at 0, from the largest value down to its negative."""
    finite = values[np.isfinite(values)]
    largest = float(np.abs(finite).max()) if finite.size else 1.0
    return {"cmap": SIGNED, "vmin": -(largest or 1.0), "vmax": largest or 1.0}


def draw_memory(memory: np.ndarray, rows: slice) -> Figure:
    """The memory matrix at the end of a sequence.

    Args:
        memory: `(N, W)`.
        rows: The rows to draw, see `rows_in_use`.
    """
    shown = memory[rows]
    height = float(np.clip(len(shown) / 6, 2, 9))
    figure = Figure(figsize=(5, height + 0.8), layout="constrained")
    axes = figure.subplots()
    largest = np.abs(shown).max()
    image = axes.imshow(
        shown,
        aspect="auto",
        interpolation="nearest",
        extent=(-0.5, memory.shape[1] - 0.5, rows.stop - 0.5, rows.start - 0.5),
        cmap=SIGNED,
        vmin=-largest,
        vmax=largest,
    )
    axes.xaxis.set_major_locator(MaxNLocator(integer=True))
    axes.set_xlabel("component")
    axes.set_ylabel(_of_rows(rows, len(memory)))
    figure.colorbar(image, shrink=0.8)
    return figure


def rows_in_use(weightings: Sequence[np.ndarray]) -> slice:
    """The range of memory rows that heads use, with a margin.

    A few used rows far from the others are left out if the range is less than half as
    long without them: most of the picture would be rows that nothing uses.

    Args:
        weightings: `(T, N)` for each head.
    Returns:
        A slice of `range(N)`; all rows if none is used.
    """
    if not weightings:
        return slice(0, 0)
    attention = np.sum(
        [np.where(w > USED, w, 0.0).sum(axis=0) for w in weightings], axis=0
    )
    used = np.flatnonzero(attention)
    if not len(used):
        return slice(0, len(attention))
    start, stop = int(used[0]), int(used[-1]) + 1
    shortest = _shortest_range(attention, used)
    if 2 * (shortest.stop - shortest.start) < stop - start:
        start, stop = shortest.start, shortest.stop
    return slice(max(0, start - MARGIN), min(len(attention), stop + MARGIN))


def _shortest_range(attention: np.ndarray, used: np.ndarray) -> slice:
    """The shortest range with `SHARE` of the attention, and used rows next to it."""
    before = np.concatenate([[0.0], np.cumsum(attention)])
    # For each first row, the end of the shortest range with enough attention.
    stops = np.searchsorted(before, before[:-1] + SHARE * before[-1])
    lengths = np.where(stops < len(before), stops - np.arange(len(stops)), len(before))
    start = int(lengths.argmin())
    stop = int(stops[start])
    near = MARGIN + 1
    for row in used[used >= stop]:
        stop = int(row) + 1 if row < stop + near else stop
    for row in used[used < start][::-1]:
        start = int(row) if row >= start - near else start
    return slice(start, stop)
