"""What a training came to, in words: the end of `memnets train`."""

from collections.abc import Sequence

from ..base import Task
from ..evaluation import EvaluationResult
from ..runs.training_config import TrainingConfig


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
        results: The evaluation, an entry for each of `task.eval_tasks`.
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
    at = dict(zip(task.eval_tasks, results, strict=True))
    beyond = {of: result for of, result in at.items() if result.beyond}
    if not beyond or None in (of.is_right(result.values) for of, result in at.items()):
        return solved
    reached = task.sizes
    for of, result in beyond.items():
        if not of.is_right(result.values):
            return (
                f"{solved} Beyond training it is right up to size {reached}, and not "
                f"at {of.sizes}. Another seed (--seed {training.seed + 1}) may go "
                "further."
            )
        reached = of.sizes
    return f"{solved} Beyond training it is right up to size {reached}."
