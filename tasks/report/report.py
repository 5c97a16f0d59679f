"""The report of a run: one HTML file that needs nothing else, and its pictures."""

import pathlib
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING

import numpy as np

from ..contract.parts import Batch, Section
from ..contract.task import Task
from ..evaluation import (
    EvaluationResult,
    differ_in_size,
    evaluate,
    headline_of,
    table_of,
)
from ..figures.memory_figures import draw_memory, draw_values, rows_in_use
from ..runs.history import History
from ..runs.run import Run
from ..training.progress import shown_measure
from . import figures
from .memories import heads_of, trace_memories
from .page import write_page

if TYPE_CHECKING:
    import keras

    from memnets import MemoryTrace


def write_report(
    run: Run,
    model: "keras.Model | None" = None,
    results: list[EvaluationResult] | None = None,
) -> tuple[pathlib.Path, list[EvaluationResult]]:
    """Draws a run and writes `report.html` and `figures/*.png` into its directory.

    Args:
        run: The run.
        model: Its trained model; read from the run if `None`.
        results: Its evaluation; evaluated anew if `None`.
    Returns:
        The path of the report and the results.
    """
    model = run.load_model() if model is None else model
    results = evaluate(model, run.task) if results is None else results
    history = run.read_history()
    path = write_page(
        run.folder,
        "report.html",
        title=f"{run.model.label} learns {run.task.name}",
        signature=run.signature,
        summary=_summary(run, history),
        sections=_sections(run, model, results, history),
        table=table_of(run.task, results),
        versions=run.versions,
    )
    return path, results


def _summary(run: Run, history: History) -> str:
    if not history:
        return "The training was stopped before its first epoch was complete."
    last, success = history.final, run.task.success
    seen = f"{last['sequences']:,.0f} sequences in {last['seconds']:.0f} s"
    solved = history.solved_at(success)
    if success is None:
        state = ""
    elif solved:
        state = f"Solved ({success}) after {solved:,} sequences. "
    else:
        state = f"Not solved ({success}). "
    measured = shown_measure(run.task, last)
    return (
        f"Trained on {seen}. {state}Over the last epoch: {measured}. "
        f"{_weights_in_words(run, history)}"
    )


def _weights_in_words(run: Run, history: History) -> str:
    """Of which epochs the weights of the model are."""
    config, measure = run.training, run.task.recipe.validation_measure
    kept, what = history.final, "the last epoch"
    if config.keep == "best" and measure and (best := history.best(run.task)):
        column = run.task.presentation.column(measure)
        kept = best
        what = f"epoch {best['epoch']:,.0f} of {len(history):,}, the best one by "
        what += f"{column.label} ({format(best[measure], column.form)})"
    before = min(config.average, int(kept["epoch"])) - 1
    if before:
        what += f", averaged with those of the {before:,} before it"
    return f"The model has the weights of {what}."


def _sections(
    run: Run, model: "keras.Model", results: list[EvaluationResult], history: History
) -> Iterator[Section]:
    if history:
        yield Section(
            "learning",
            "Learning",
            "Errors during training; each point is an epoch.",
            figures.draw_learning(run.task, history),
        )
    yield Section(
        "sizes",
        "By size" if differ_in_size(results) else "Evaluation",
        sizes_in_words(run.task, results),
        figures.draw_sizes(run.task, results),
    )
    examples = [(task, *run_example(model, task)) for task in _example_tasks(run.task)]
    for task, batch, outputs, traces in examples:
        figure = task.presentation.draw(batch, outputs, heads_of(traces))
        if figure is not None:
            yield Section(
                f"sequence-{task.evaluation.sizes.replace(' ', '')}",
                f"A sequence of size {task.evaluation.sizes}",
                _example_in_words(task, batch, outputs, bool(heads_of(traces))),
                figure,
            )
    task, batch, _, traces = examples[0]
    for number, trace in enumerate(traces):
        yield from _memory_sections(trace, f"-{number + 1}" if number else "")
        yield from task.presentation.sections(batch, trace.heads)
    yield from examples[-1][0].presentation.model_sections(model)


def _memory_sections(trace: "MemoryTrace", end: str) -> Iterator[Section]:
    """The memory of one layer; `end` ends the names of its pictures' files."""
    if trace.heads:
        weightings = [head.weighting[0] for head in trace.heads]
        yield Section(
            f"memory{end}",
            "The memory at the end",
            "Each line is a row of the memory that was used; red is below 0.",
            draw_memory(trace.memory[0, -1], rows_in_use(weightings)),
        )
    values = draw_values(trace)
    if values is not None:
        yield Section(
            f"memory-values{end}",
            "The memory over time",
            "Darker is nearer to 1. The channels of a panel go from its top to its "
            "bottom.",
            values,
        )


def _example_tasks(task: Task) -> list[Task]:
    """Where examples come from: the largest size of training, and the largest size of
    an evaluation."""
    beyond = task.evaluation.eval_tasks[-1]
    try:
        largest = task.evaluation.at_length(task.size[0])
    except ValueError:  # a task without lengths
        return [beyond]
    return [largest, beyond]


def run_example(
    model: "keras.Model", task: Task, seed: int = 0
) -> tuple[Batch, np.ndarray, "list[MemoryTrace]"]:
    """One sequence of a task, what a model makes of it, and the traces of its
    memories."""
    batch = task.sample(1, seed)
    outputs = np.asarray(model.predict_on_batch(batch.inputs))
    return batch, outputs, trace_memories(model, batch.inputs)


def sizes_in_words(task: Task, results: list[EvaluationResult]) -> str:
    """The task's headline in words, within and beyond the sizes of training."""
    name = headline_of(task, results)
    column = task.presentation.column(name)

    def listed(chosen: Iterable[EvaluationResult]) -> str:
        return ", ".join(
            f"{format(result.values[name], column.form)} at {result.size}"
            for result in chosen
        )

    if not differ_in_size(results):
        return f"Mean over the sequences, {column.label}: {listed(results)}."
    text = f"Mean over fresh sequences, {column.label}"
    within = [result for result in results if not result.beyond]
    beyond = [result for result in results if result.beyond]
    text += f", within the sizes of training: {listed(within)}" if within else ""
    text += f"; beyond them: {listed(beyond)}" if beyond else ""
    return f"{text}."


def _example_in_words(
    task: Task, batch: Batch, outputs: np.ndarray, has_heads: bool
) -> str:
    counted = task.errors(batch, np.asarray(outputs, float))
    columns = {name: task.presentation.column(name) for name in counted}
    values = ", ".join(
        f"{column.label} {format(float(counted[name][0]), column.form)}"
        for name, column in columns.items()
    )
    heads = " Of the heads, darker is more attention." if has_heads else ""
    return f"Time runs from left to right.{heads} This sequence: {values}."
