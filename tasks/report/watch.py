"""A picture of what a network does, redrawn while it is trained."""

import time
from collections.abc import Iterator
from typing import TYPE_CHECKING

import numpy as np

from ..contract.parts import Section
from ..contract.task import Task
from ..figures.memory_figures import rows_in_use
from ..runs.files import RunError
from ..runs.lock import in_use
from ..runs.output_folder import OutputFolder
from ..runs.run import Run
from ..training.progress import shown_measure, shown_name
from .memories import heads_of
from .page import write_page
from .sections import run_example

if TYPE_CHECKING:
    import keras

    from memnets import HeadTrace


# Columns before the first step, as `Presentation.render` has them.
LABEL = 12
LEGEND = "x: wrong. Memory rows: W: written, R: read, X: both; w, r, x: in part."
RELOAD_SECONDS = 3
BLOCKS = "▁▂▃▄▅▆▇█"
# The page, in the directory of the run.
WATCH = "watch.html"


def frames(
    run: Run, *, interval: float = 1.0, patience: float | None = None
) -> Iterator[tuple["keras.Model", str, bool]]:
    """The states of a run as it is trained.

    It ends when no process trains in the run's directory: the training is done, was
    stopped or was killed.

    Args:
        run: The run, finished or not.
        interval: Seconds between two looks at its files.
        patience: Seconds to wait for a new state; no limit if `None`.
    Yields:
        `(model, caption, ended)`: the Keras model as it was last saved, one line, and
        whether the training has ended.
    Raises:
        RunError: If it has ended without a model, or `patience` is exceeded.
    """
    model, seen, waited = None, None, 0.0
    while True:
        ended = is_finished(run) or not in_use(run.path)
        path = run.file("model.keras")
        changed = path.stat().st_mtime_ns if path.exists() else None
        if changed not in (None, seen) or (ended and model is None):
            if model is None:
                model = run.load_model()
            else:
                # The same model with other weights: nothing is compiled again.
                model.load_weights(path)
            seen, waited = changed, 0.0
            yield model, _caption(run), ended
        elif ended:
            yield model, _caption(run), True  # the same state, and the last
        if ended:
            return
        if patience is not None and waited >= patience:
            raise RunError(f"`{run.path}` has not changed for {waited:.0f} seconds.")
        time.sleep(interval)
        waited += interval


def is_finished(run: Run) -> bool:
    """Whether the training of a run has come to its end."""
    return run.file("summary.json").exists()


def _caption(run: Run) -> str:
    history = run.read_history()
    if not history:
        return "before the first epoch"
    last = history.final
    return (
        f"after {last['sequences']:,.0f} of {run.training.trained_sequences:,} "
        f"sequences, {last['seconds']:.0f} s: {shown_measure(run.task, last)}"
    )


def draw_curve(run: Run, width: int) -> str:
    """How a run learns, as a line of blocks: the mean of each part of its epochs, the
    highest block for the largest; empty before the second epoch.

    Args:
        run: The run.
        width: Columns to fill at most.
    """
    rows = run.read_history().rows
    if len(rows) < 2:
        return ""
    name = shown_name(run.task, rows[0])
    column = run.task.presentation.column(name)
    values = np.array([row[name] for row in rows], float)
    values = values[np.isfinite(values)]
    if not len(values):
        return ""
    ends = [format(values[place], column.form) for place in (0, -1)]
    left, right = f"{column.label:>{LABEL - 1}} ", f" from {ends[0]} to {ends[1]}"
    room = max(8, width - len(left) - len(right))
    means = [part.mean() for part in np.array_split(values, min(room, len(values)))]
    low, high = min(means), max(means)
    steps = (np.array(means) - low) / (high - low or 1.0) * (len(BLOCKS) - 1)
    return left + "".join(BLOCKS[round(step)] for step in steps) + right


def task_that_fits(task: Task, width: int, height: int) -> Task:
    """The task at the greatest length of training whose text picture takes at most
    `width` columns and `height` lines, or else at its smallest."""
    smallest = task
    for length in range(1, task.size[0] + 1):
        try:
            at = task.evaluation.at_length(length)
        except ValueError:
            continue  # below its smallest
        steps = at.sample(1, 0).steps
        # A head that advances attends to another row at each step; three lines are the
        # title, the caption and the legend.
        fits = steps + LABEL <= width and steps + 3 + task.output_size <= height
        if smallest is not task and not fits:
            break
        smallest = at
    return smallest


def draw_text(
    model: "keras.Model", task: Task, height: int | None = None, seed: int = 0
) -> str:
    """One sequence as text: inputs, targets, outputs, where the heads were, a legend.

    `W` and `R` mark the row that has most of the attention of a write or read head,
    `w` and `r` one that has some, `X` and `x` one where both kinds have it.

    Args:
        model: The model.
        task: The task.
        height: Lines to fill. If there is not enough room, inputs and targets are left
            out: the outputs show what is wrong.
        seed: Seed of the sequence.
    """
    batch, outputs, traces = run_example(model, task, seed)
    _, *lines = task.presentation.render(batch, outputs).splitlines()
    # A trace may be without heads, as that of a stack.
    memories = filter(None, (heads_of([trace]) for trace in traces))
    heads = [line for own in memories for line in _lines(own)]
    heads += [LEGEND] * bool(heads)
    if height is not None and len(lines) + len(heads) > height:
        lines = lines[-task.output_size :]
    return "\n".join(lines + heads)


def _lines(heads: "list[HeadTrace]") -> Iterator[str]:
    """A line for each row of the memory that a head attended to."""
    rows = rows_in_use([head.weighting[0] for head in heads])
    attention = {kind: _attention(heads, kind) for kind in ("write", "read")}
    for row in range(rows.start, rows.stop):
        pairs = zip(attention["write"][:, row], attention["read"][:, row], strict=True)
        label = "heads" if row == rows.start else ""
        yield f"{label:>7} {row:>3} {''.join(_mark(w, r) for w, r in pairs)}"


def _attention(heads: "list[HeadTrace]", kind: str) -> np.ndarray:
    """The most attention that any head of a kind pays, `(T, N)`."""
    weightings = [head.weighting[0] for head in heads if head.kind == kind]
    return np.max(weightings or [np.zeros_like(heads[0].weighting[0])], axis=0)


def _mark(write: float, read: float) -> str:
    """A letter for the attention of the two kinds of heads to a row."""
    letter = {(0, 0): " ", (1, 0): "w", (0, 1): "r", (1, 1): "x"}
    found = letter[write > 0.1, read > 0.1]
    return found.upper() if max(write, read) > 0.5 else found


def write_html(
    model: "keras.Model",
    task: Task,
    caption: str,
    title: str,
    output: OutputFolder,
    *,
    reload: bool,
) -> None:
    """Writes the picture of one sequence as `watch.html`, which a browser reloads.

    Raises:
        ValueError: If the task has no picture.
    """
    batch, outputs, traces = run_example(model, task)
    figure = task.presentation.draw(batch, outputs, heads_of(traces))
    if figure is None:
        raise ValueError(
            f"The task {task.name} has no picture to draw: watch it without --html."
        )
    write_page(
        output,
        WATCH,
        title=title,
        summary=caption,
        sections=[Section("watch", "One sequence", "", figure)],
        reload=RELOAD_SECONDS if reload else None,
        figures=False,
    )
