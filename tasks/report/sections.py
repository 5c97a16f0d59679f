"""The sections of a report: what each shows, and its figure."""

from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING

import numpy as np

from ..contract.parts import Batch, Section
from ..contract.task import Task
from ..evaluation import EvaluationResult, differ_in_size, headline_of
from ..figures.memory_figures import draw_memory, draw_values, rows_in_use
from ..length_generalization import LengthTest, saved_test
from ..runs.files import RunError
from ..runs.history import History
from ..runs.run import Run
from . import run_figures
from .memories import heads_of, trace_memories

if TYPE_CHECKING:
    import keras

    from memnets import MemoryTrace


def sections_of(
    run: Run, model: "keras.Model", results: list[EvaluationResult], history: History
) -> Iterator[Section]:
    """The sections of a report in their order: those of every run, then those of its
    task."""
    if history:
        yield Section(
            "learning",
            "Learning",
            "Errors during training; each point is an epoch.",
            run_figures.draw_learning(run.task, history),
        )
    yield Section(
        "sizes",
        "By size" if differ_in_size(results) else "Evaluation",
        sizes_in_words(run.task, results),
        run_figures.draw_sizes(run.task, results),
    )
    if (test := test_in(run)) is not None:
        yield Section(
            "lengths",
            "By length",
            f"{test.in_words(run.task).capitalize()}.",
            run_figures.draw_lengths(run.task, test),
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


def test_in(run: Run) -> LengthTest | None:
    """The test of lengths of a run; None without one, or before the run has ended."""
    try:
        return saved_test(run.read_summary())
    except RunError:
        return None


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


def first_example(
    task: Task, model: "keras.Model"
) -> tuple[Task, Batch, np.ndarray, "list[MemoryTrace]"]:
    """The example of the largest size of training, with the task that draws it."""
    example = _example_tasks(task)[0]
    return example, *run_example(model, example)


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
