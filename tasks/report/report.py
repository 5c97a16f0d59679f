"""The report of a run: one HTML file that needs nothing else, and its pictures."""

import numpy as np

from ..algorithmic.priority_sort import PrioritySort
from ..evaluation import evaluate, table_of
from ..runs.run import Run
from ..training.rollback import outcome
from . import figures
from .page import Section, write_page


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
    path = write_page(
        run.file("report.html"),
        title=f"{run.model.name} learns {run.task.name}",
        signature=run.signature,
        summary=_summary(run, history),
        sections=_sections(run, model, results, history),
        table=table_of(results),
        versions=run.versions,
    )
    return path, results


def _summary(run, history):
    if not history:
        return "The training was stopped before its first epoch was complete."
    last, solved = outcome(history), run.training.solved_at(history, run.task.success)
    seen = f"{last['sequences']:,.0f} sequences in {last['seconds']:.0f} s"
    errors = f"{last['bit_errors']:.4f} wrong bits per sequence at the end"
    first = f"solved after {solved:,} sequences" if solved else "not solved"
    return f"Trained on {seen}: {first}, {errors}."


def _sections(run, model, results, history):
    """Yields each `Section`."""
    if history:
        yield Section(
            "learning",
            "Learning",
            "Errors on fresh sequences as training goes on, each point over an epoch.",
            figures.draw_learning(history),
        )
    yield Section(
        "sizes",
        "Beyond the sizes of training",
        "A network that learned the algorithm does not care how long the sequence is.",
        figures.draw_sizes(results),
    )
    trained, beyond = run.task.at_length(run.task.size[0]), run.task.eval_tasks[-1]
    for task in (trained, beyond):
        yield Section(
            f"sequence-{task.sizes.replace(' ', '')}",
            f"A sequence of size {task.sizes}",
            "Time runs from left to right; darker is more attention. Where the read "
            "head retraces what the write head wrote, the network runs an algorithm.",
            draw_example(model, task),
        )
    batch = trained.sample(1, 0)
    for layer in memory_layers(model):
        memory, rows = memory_after(layer, batch.inputs)
        yield Section(
            "memory",
            "The memory at the end",
            "A row of the memory a line, those in use; red is below 0.",
            figures.draw_memory(memory, rows),
        )
        if isinstance(trained, PrioritySort):
            priorities = batch.inputs[0, : trained.num_vectors, trained.num_bits]
            written = [
                (head.title, head.weighting[: trained.num_vectors])
                for head in heads_of(layer, batch.inputs)
                if head.vectors_title == "adds"
            ]
            yield Section(
                "write-locations",
                "Where each vector was written, by its priority",
                "A write head that sorts puts vectors of like priority side by side.",
                figures.draw_write_locations(priorities, written),
            )


def draw_example(model, task, seed=0):
    """The picture of one sequence of a task, with the heads of a memory model."""
    batch = task.sample(1, seed)
    outputs = 1 / (1 + np.exp(-np.asarray(model.predict_on_batch(batch.inputs))))
    heads = [
        head for layer in memory_layers(model) for head in heads_of(layer, batch.inputs)
    ]
    return figures.draw_sequence(
        batch.inputs[0], batch.targets[0], outputs[0], batch.mask[0], heads
    )


def memory_layers(model):
    """The NTM layers of a model of `tasks.models`; they see its input."""
    import memnets

    return [layer for layer in model.layers if isinstance(layer, memnets.NTM)]


def heads_of(layer, inputs):
    """The `figures.Head`s of a layer over inputs `(1, T, size)`, write heads first."""
    state = layer.trace(inputs)
    weightings = np.asarray(state.weightings)[0]  # (T, H, N)
    reads = np.asarray(state.reads)[0]  # (T, R, W)
    adds = np.asarray(layer.trace_heads(inputs)[1].add)[0]
    count = reads.shape[1]
    kinds = (
        ("write head", "adds", adds, weightings[:, count:]),
        ("read head", "reads", reads, weightings[:, :count]),
    )
    return [
        figures.Head(
            f"{kind} {index + 1}" if vectors.shape[1] > 1 else kind,
            name,
            vectors[:, index],
            where[:, index],
        )
        for kind, name, vectors, where in kinds
        for index in range(vectors.shape[1])
    ]


def memory_after(layer, inputs):
    """The memory `(N, W)` after the last step, and the rows that were in use."""
    state = layer.trace(inputs)
    weightings = np.asarray(state.weightings)[0]
    rows = figures.rows_in_use(list(np.moveaxis(weightings, 1, 0)))
    return np.asarray(state.memory)[0, -1], rows
