"""A picture of what a network does, redrawn while it is trained."""

import base64
import io
import time

import numpy as np

from tasks import figures
from tasks.report import draw_example, heads_of, memory_layers
from tasks.runs import Run, RunError

SHADES = " ░▒▓█"
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
    """The states of a run as it is trained, each at most once.

    Args:
        run: The run, finished or not.
        interval: Seconds between two looks at its files.
        patience: Seconds to wait for a new state; without end if `None`.
    Yields:
        `(model, caption, ended)`: the Keras model as it was last saved, one line, and
        whether the run has ended.
    """
    model, seen, waited = None, None, 0.0
    while True:
        ended = run.file("summary.json").exists()
        path = run.file("model.keras")
        changed = path.stat().st_mtime_ns if path.exists() else None
        if changed is not None and changed != seen:
            if model is None:
                model = run.load_model()
            else:
                # The same model with other weights: nothing is compiled anew.
                model.load_weights(path)
            seen, waited = changed, 0.0
            yield model, _caption(run), ended
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
    last = history[-1]
    return (
        f"after {last['sequences']:,.0f} of {run.training.sequences:,} sequences, "
        f"{last['seconds']:.0f} s: {last['bit_errors']:.3f} wrong bits per sequence, "
        f"{last['bits_per_sequence']:.2f} bits"
    )


def task_of_width(task, width):
    """The task at the greatest length of training whose sequences have at most `width`
    steps, or else at its smallest."""
    for length in range(task.size[0], 0, -1):
        try:
            at = task.at_length(length)
        except ValueError:
            break
        smallest = at
        if at.sample(1, 0).mask.shape[1] <= width:
            break
    return smallest


def draw_text(model, task, seed=0) -> str:
    """One sequence as text: what went in and came out, and where each head was."""
    batch = task.sample(1, seed)
    outputs = np.asarray(model.predict_on_batch(batch.inputs))
    _, *lines = task.render(batch, outputs).splitlines()
    for layer in memory_layers(model):
        heads = heads_of(layer, batch.inputs)
        rows = figures.rows_in_use([head.weighting for head in heads])
        for head in heads:
            lines.append(head.title)
            for row in range(rows.start, rows.stop):
                marks = head.weighting[:, row] * (len(SHADES) - 1)
                shades = "".join(SHADES[round(float(mark))] for mark in marks)
                lines.append(f"{row:>11} {shades}")
    return "\n".join(lines)


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
