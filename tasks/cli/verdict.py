"""What a training came to, in words: the end of `memnets train`."""

from collections.abc import Sequence

from ..contract.task import Task
from ..evaluation import EvaluationResult
from ..training_options.training_config import TrainingConfig


def verdict(
    task: Task,
    training: TrainingConfig,
    solved_at: int | None,
    results: Sequence[EvaluationResult],
) -> str:
    """Whether the task is solved, up to which size the network goes on, and what to do
    if it is not.

    Args:
        task: The task.
        training: How it was trained, resolved.
        solved_at: Sequences after which it was first solved, None if it never was.
        results: The evaluation, an entry for each of `Evaluation.eval_tasks`.
    Returns:
        One or two sentences; empty for a task that has no bound for success.
    """
    if task.success is None:
        return ""
    if solved_at is None:
        return (
            f"{task.name} is not solved. Try another seed (--seed {training.seed + 1}) "
            f"or a longer training (--sequences {2 * (training.sequences or 0)})."
        )
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
            return (
                f"{solved} Beyond training the network is right up to size {reached}, "
                f"and not at {at.evaluation.sizes}. {advice}"
            )
        reached, is_beyond = at.evaluation.sizes, is_beyond or result.beyond
    if not is_beyond:
        return solved
    return f"{solved} Beyond training the network is right up to size {reached}."
