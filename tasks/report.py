"""The report of a run: one HTML file that needs nothing else, and its pictures."""

import base64
import io
import itertools

import jinja2
import numpy as np

from tasks import figures
from tasks.evaluation import evaluate
from tasks.runs import Run
from tasks.training_config import solved_at

TEMPLATE = """\
<!doctype html>
<html lang="en">
<meta charset="utf-8">
<title>{{ title }}</title>
<style>
  body { font: 16px/1.5 system-ui, sans-serif; max-width: 60rem; margin: 2rem auto;
         padding: 0 1rem; color: #222; }
  img { max-width: 100%; }
  table { border-collapse: collapse; }
  td, th { padding: .2rem .9rem; text-align: right; border-bottom: 1px solid #ddd; }
  code { font-size: 85%; color: #555; overflow-wrap: anywhere; }
</style>
<h1>{{ title }}</h1>
<p><code>{{ signature }}</code></p>
<p>{{ summary }}</p>
{% for heading, text, image in sections %}
<h2>{{ heading }}</h2>
<p>{{ text }}</p>
<p><img alt="{{ heading }}" src="data:image/png;base64,{{ image }}"></p>
{% endfor %}
<h2>By length</h2>
<table>
<tr><th>length</th><th>wrong bits per sequence</th><th>perfect</th><th>of</th></tr>
{% for r in results %}
<tr><td>{{ r.length }}</td><td>{{ "%.3f" % r.bit_errors }}</td>
<td>{{ "%.0f" % (100 * r.perfect) }}%</td><td>{{ r.sequences }}</td></tr>
{% endfor %}
</table>
<p><code>{{ versions }}</code></p>
</html>
"""


def write_report(run: Run, model=None, results=None):
    """Draws a run and writes `report.html` and `figures/*.png` into its directory.

    Args:
        run: The run.
        model: Its trained model; read from the run if `None`.
        results: List of `LengthResult`; measured at the task's lengths if `None`.
    Returns:
        The path of the report and the results.
    """
    model = run.load_model() if model is None else model
    results = evaluate(model, run.task) if results is None else results
    history = run.read_history()
    sections = []
    folder = run.file("figures")
    folder.mkdir(exist_ok=True)
    for name, heading, text, figure in _sections(run, model, results, history):
        png = io.BytesIO()
        figure.savefig(png, dpi=110)
        (folder / f"{name}.png").write_bytes(png.getvalue())
        encoded = base64.b64encode(png.getvalue()).decode()
        sections.append((heading, text, encoded))
    environment = jinja2.Environment(autoescape=True, undefined=jinja2.StrictUndefined)
    page = environment.from_string(TEMPLATE).render(
        title=f"{run.model.name} learns {run.task.name}",
        signature=run.signature,
        summary=_summary(history, run.task.success),
        sections=sections,
        results=results,
        versions=", ".join(f"{key} {value}" for key, value in run.versions.items()),
    )
    path = run.file("report.html")
    path.write_text(page, encoding="utf-8")
    return path, results


def _summary(history, success):
    if not history:
        return "The training was stopped before its first epoch was complete."
    last, solved = history[-1], solved_at(history, success)
    seen = f"{last['sequences']:,.0f} sequences in {last['seconds']:.0f} s"
    errors = f"{last['bit_errors']:.4f} wrong bits per sequence at the end"
    first = f"solved after {solved:,} sequences" if solved else "not solved"
    return f"Trained on {seen}: {first}, {errors}."


def _sections(run, model, results, history):
    """Yields (file name, heading, text, figure)."""
    if history:
        yield (
            "learning",
            "Learning",
            "Errors on fresh sequences as training goes on, each point over an epoch.",
            figures.draw_learning(history),
        )
    _, longest = run.task.train_lengths
    yield (
        "lengths",
        "Beyond the training lengths",
        "A network that learned the algorithm does not care how long the sequence is.",
        figures.draw_lengths(results, longest),
    )
    for length in (longest, results[-1].length):
        yield (
            f"sequence-{length}",
            f"A sequence of length {length}",
            "Time runs from left to right; darker is more attention. Where the read "
            "head retraces what the write head wrote, the network runs an algorithm.",
            draw_example(model, run.task.at_length(length)),
        )


def draw_example(model, task, seed=0):
    """The picture of one sequence of a task, with the attention of a memory model."""
    batch = task.sample(1, seed)
    outputs = 1 / (1 + np.exp(-np.asarray(model.predict_on_batch(batch.inputs))))
    return figures.draw_sequence(
        batch.inputs[0],
        batch.targets[0],
        outputs[0],
        batch.mask[0],
        head_weightings(model, batch.inputs),
    )


def head_weightings(model, inputs):
    """`(title, weighting (T, N))` of every head, write heads first.

    Args:
        model: A model of `tasks.models`: memory layers, if any, see its input.
        inputs: `(1, T, input_size)`.
    """
    import memnets

    heads = []
    for layer in model.layers:
        if not isinstance(layer, memnets.NTM):
            continue
        weightings = np.asarray(layer.trace(inputs).weightings)[0]  # (T, H, N)
        reads = layer.cell.num_read_heads
        writes = layer.cell.num_write_heads
        order = itertools.chain(range(reads, reads + writes), range(reads))
        for head in order:
            number = head if head < reads else head - reads
            total = reads if head < reads else writes
            kind = "read head" if head < reads else "write head"
            title = f"{kind} {number + 1}" if total > 1 else kind
            heads.append((title, weightings[:, head]))
    return heads
