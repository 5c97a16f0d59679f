"""The report of a run: one HTML file that needs nothing else, and its pictures."""

import pathlib
from typing import TYPE_CHECKING

from ..evaluation import EvaluationResult, evaluate, evaluated_tasks, table_of
from ..figures.animation import animate
from ..figures.memory_figures import rows_in_use
from ..models.room import with_room
from ..runs.history import History
from ..runs.run import Run
from ..training.progress import shown_measure
from .memories import heads_of
from .page import write_page
from .sections import first_example, sections_of

if TYPE_CHECKING:
    import keras


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
    model = with_room(model, run.task, [at.size[0] for at in evaluated_tasks(run.task)])
    results = evaluate(model, run.task) if results is None else results
    history = run.read_history()
    path = write_page(
        run.folder,
        "report.html",
        title=f"{run.model.label} learns {run.task.name}",
        signature=run.signature,
        summary=_summary(run, history),
        sections=sections_of(run, model, results, history),
        table=table_of(run.task, results),
        versions=run.versions,
    )
    return path, results


def write_animation(run: Run, model: "keras.Model") -> pathlib.Path:
    """Draws how a sequence of the largest size of training goes through the memory of a
    model, as `figures/animation.gif` of a run.

    Raises:
        ValueError: If the model has no memory to look at, or the task no picture.
    """
    from memnets.saving.atomic import atomic_write

    task, batch, outputs, traces = first_example(run.task, model)
    figure = task.presentation.draw(batch, outputs, heads_of(traces))
    if figure is None or not traces:
        raise ValueError(
            "`animation` needs a model with a memory to look at, and a task that draws "
            f"its sequences. Received: {run.model.label} on {run.task.name}"
        )
    memory, heads = traces[0].memory[0], traces[0].heads
    # A stack has no heads that say which rows are in use.
    whole = slice(0, memory.shape[1])
    rows = rows_in_use([head.weighting[0] for head in heads]) if heads else whole
    data = animate(figure, memory, rows)
    path = run.folder.reserve("figures/animation.gif")
    with atomic_write(path) as unfinished:
        unfinished.write_bytes(data)
    return path


def _summary(run: Run, history: History) -> str:
    if not history:
        return "The training was stopped before its first epoch was complete."
    last, success = history.final, run.task.success
    seen = f"{last['sequences']:,.0f} sequences in {last['seconds']:.0f} s"
    solved = history.solved_at(run.task)
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
    """The epochs that the weights of the model come from."""
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
