"""A picture of what a network does, redrawn while it is trained."""

import base64
import io
import time

import numpy as np

from ..runs.run import Run, RunError, in_use
from ..training.rollback import outcome
from . import figures
from .report import draw_example, heads_of, memory_layers

# Columns before the first step, as `Task.render` has them.
LABEL = 12
PAGE = """\
<!doctype html>
<html lang="en">
<meta charset="utf-8">
{reload}
<title>{title}</title>
<h1>{title}</h1>
<p>{caption}</p>
<p><img alt="one sequence" src="data:image/png;base64,{image}"></p>
</html>
"""


def frames(run: Run, *, interval=1.0, patience=None):
    """The states of a run as it is trained.

    It ends when no process trains in the run's directory: the training is done, was
    stopped or was killed.

    Args:
        run: The run, finished or not.
        interval: Seconds between two looks at its files.
        patience: Seconds to wait for a new state; without end if `None`.
    Yields:
        `(model, caption, ended)`: the Keras model as it was last saved, one line, and
        whether the training has ended.
    Raises:
        RunError: If it has ended without a model, or `patience` is at its end.
    """
    model, seen, waited = None, None, 0.0
    while True:
        ended = run.file("summary.json").exists() or not in_use(run.path)
        path = run.file("model.keras")
        changed = path.stat().st_mtime_ns if path.exists() else None
        if changed not in (None, seen) or (ended and model is None):
            if model is None:
                model = run.load_model()
            else:
                # The same model with other weights: nothing is compiled anew.
                model.load_weights(path)
            seen, waited = changed, 0.0
            yield model, _caption(run), ended
        elif ended:
            yield model, _caption(run), True  # the same, but now it is the last
        if ended:
            return
        if patience is not None and waited >= patience:
            raise RunError(f"`{run.path}` has not changed for {waited:.0f} seconds.")
        time.sleep(interval)
        waited += interval


def _caption(run):
    history = run.read_history()
    if not history:
        return "before the first epoch"
    last = outcome(history)
    return (
        f"after {last['sequences']:,.0f} of {run.training.sequences:,} sequences, "
        f"{last['seconds']:.0f} s: {last['bit_errors']:.3f} wrong bits per sequence, "
        f"{last['bits_per_sequence']:.2f} bits"
    )


def task_that_fits(task, width, height):
    """The task at the greatest length of training whose outputs and heads take at most
    `width` columns and `height` lines, or else at its smallest."""
    smallest = task
    for length in range(1, task.size[0] + 1):
        try:
            at = task.at_length(length)
        except ValueError:
            continue  # below its smallest
        steps = at.sample(1, 0).mask.shape[1]
        # A head that walks is at another row at each step.
        fits = steps + LABEL <= width and steps + 2 + task.target_size <= height
        if smallest is not task and not fits:
            break
        smallest = at
    return smallest


def draw_text(model, task, height=None, seed=0) -> str:
    """One sequence as text: what went in and came out, and where the heads were, `W`
    and `R` where one of those that write or read has most of its attention, `w` and `r`
    where some, `X` and `x` where both kinds have.

    Args:
        model: The model.
        task: The task.
        height: Lines to fill. Where there is not enough room, inputs and targets are
            left out: the outputs show what is wrong.
        seed: Of the sequence.
    """
    batch = task.sample(1, seed)
    outputs = np.asarray(model.predict_on_batch(batch.inputs))
    _, *lines = task.render(batch, outputs).splitlines()
    heads = [line for layer in memory_layers(model) for line in _lines(layer, batch)]
    if height is not None and len(lines) + len(heads) > height:
        lines = lines[-task.target_size :]
    return "\n".join(lines + heads)


def _lines(layer, batch):
    """A line for each row of the memory that a head was at."""
    heads = heads_of(layer, batch.inputs)
    rows = figures.rows_in_use([head.weighting for head in heads])
    writes, reads = (
        np.max([h.weighting for h in heads if h.vectors_title == kind], axis=0)
        for kind in ("adds", "reads")
    )
    for row in range(rows.start, rows.stop):
        marks = [
            _mark(w, r) for w, r in zip(writes[:, row], reads[:, row], strict=True)
        ]
        label = "heads" if row == rows.start else ""
        yield f"{label:>7} {row:>3} {''.join(marks)}"


def _mark(write, read):
    """A letter for the attention of the two kinds of heads to a row."""
    letter = {(0, 0): " ", (1, 0): "w", (0, 1): "r", (1, 1): "x"}
    found = letter[write > 0.1, read > 0.1]
    return found.upper() if max(write, read) > 0.5 else found


def write_html(model, task, caption, title, path, *, reload):
    """Writes the picture of one sequence as a page that a browser reloads by itself."""
    png = io.BytesIO()
    draw_example(model, task).savefig(png, dpi=90)
    page = PAGE.format(
        reload='<meta http-equiv="refresh" content="3">' if reload else "",
        title=title,
        caption=caption,
        image=base64.b64encode(png.getvalue()).decode(),
    )
    # Written beside and renamed: a browser never finds half a page.
    unfinished = path.with_suffix(".unfinished")
    unfinished.write_text(page, encoding="utf-8")
    unfinished.replace(path)
