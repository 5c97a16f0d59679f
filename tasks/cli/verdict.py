"""What a training came to, in words: the end of `memnets train`."""

from collections.abc import Sequence

from ..contract.task import Task
from ..evaluation import EvaluationResult
from ..models.base import ModelConfig
from ..own_code import is_own
from ..training_options.training_config import TrainingConfig


def verdict(
    task: Task,
    model: ModelConfig,
    training: TrainingConfig,
    solved_at: int | None,
    results: Sequence[EvaluationResult],
) -> str:
    """Whether the task is solved, up to which size the network goes on, and what to do
    if it is not.

    Args:
        task: The task.
        model: What was trained.
        training: How it was trained, resolved.
        solved_at: Sequences after which it was first solved, None if it never was.
        results: The evaluation, an entry for each of `Evaluation.eval_tasks`.
    Returns:
        A few sentences; empty for a task that has no bound for success.
    """
    if task.success is None:
        return ""
    if solved_at is None:
        return _not_solved(task, model, training)
    solved = f"{task.name} is solved."
    advice = f"Another seed (--seed {training.seed + 1}) may go further."
    reached, is_beyond = task.evaluation.sizes, False
    for at, result in zip(task.evaluation.eval_tasks, results, strict=True):
        is_right = at.evaluation.is_right(result.values)
        if is_right is None:
            return solved
        if not is_right and not result.beyond:
            return f"{task.name} was solved, but the network lost it again. {advice}"
        if not is_right:
            right = "The network is right at the sizes of training"
            if is_beyond:
                right = f"Beyond training the network is right up to size {reached}"
            so_far = f"{solved} {right}, and not at {at.evaluation.sizes}."
            return f"{so_far} {_of_rows(at, model) or advice}"
        reached, is_beyond = at.evaluation.sizes, is_beyond or result.beyond
    if not is_beyond:
        return solved
    return f"{solved} Beyond training the network is right up to size {reached}."


def _not_solved(task: Task, model: ModelConfig, training: TrainingConfig) -> str:
    text = f"{task.name} is not solved. "
    if rows := _of_rows(task, model):
        return text + rows
    text += (
        f"Try another seed (--seed {training.seed + 1}) or a longer training "
        f"(--sequences {2 * (training.sequences or 0)})."
    )
    if model.name in task.recipe.solved_by and not is_own(type(task)):
        return text
    return (
        f"{text} The settings are not tuned for this task and model: try another "
        "--learning-rate, several --starts, or what `memnets search` finds."
    )


def _of_rows(at: Task, model: ModelConfig) -> str:
    """That a memory has too few rows for the largest sequences of a task; empty if it
    has enough or was made larger, or if the task or the model has no number of them."""
    needed = at.recipe.places_needed([at.size[0]])
    rows = None if model.places else getattr(model, "memory_size", None)
    # Heads that advance at every step also pass a row at the delimiter.
    if needed is None or rows is None or rows > needed:
        return ""
    return (
        f"The memory has {rows} rows, no more than such a sequence has vectors, and "
        f"a row holds one of them: train with more, as --memory-size {2 * needed}."
    )
