"""How a model does on fresh sequences, within and beyond the sizes of training."""

import dataclasses
from collections.abc import Callable, Iterable, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from .checks import check_integer, check_number, shorten
from .contract.corpus_task import CorpusTask
from .contract.of_few_tasks import evaluated_things, is_read_whole
from .contract.task import Task
from .models.few_shapes import FewShapes
from .models.keras_model import (
    check_model,
    check_shapes,
    check_vocabulary,
    with_named_inputs,
)
from .models.room import with_room

if TYPE_CHECKING:
    import keras

# Keeps the sequences of an evaluation apart from those of every training seed but this
# one, which NumPy takes for the same.
EVALUATION = 10**9
# Heuristic: to compile as many shapes as lengths takes longer than to pad.
MANY_LENGTHS = 8


@dataclasses.dataclass(frozen=True)
class EvaluationResult:
    """Errors of a model on sequences of one size, or of the task's own sizes.

    The values are attributes too: `result.bit_errors` is `result.values["bit_errors"]`.

    Attributes:
        size: Their `Evaluation.sizes`, such as "20", "10 x 20" or "1-20".
        length: Length of the longest of the sequences, in the task's unit.
        beyond: Whether that is larger than any sequence of training.
        sequences: Number of sequences.
        values: Means over the sequences of what `Task.errors` counts, or the scores of
            `Evaluation.score`, by name.
        intervals: Confidence intervals of 95% of scores.
        signatures: What makes scores reproducible.
    """

    size: str
    length: int
    beyond: bool
    sequences: int
    values: dict[str, float]
    intervals: dict[str, tuple[float, float]] = dataclasses.field(default_factory=dict)
    signatures: dict[str, str] = dataclasses.field(default_factory=dict)

    def shown(self, name: str, form: str) -> str:
        """A value as text, with its interval if it has one.

        Args:
            name: Name of the value.
            form: Format specification of the numbers.
        """
        text = format(self.values[name], form)
        if name not in self.intervals:
            return text
        low, high = (format(bound, form) for bound in self.intervals[name])
        return f"{text} ({low} to {high})"

    def __getattr__(self, name: str) -> float:
        try:
            return self.__dict__["values"][name]
        except KeyError:
            raise AttributeError(
                f"`{name}` must be one of {', '.join(self.__dict__.get('values', ()))}."
            ) from None


def evaluate(
    model: "keras.Model",
    task: Task | str,
    lengths: Iterable[int] | None = None,
    *,
    split: str | None = None,
    num_sequences: int | None = None,
    seed: int = 0,
    trained: Task | None = None,
) -> list[EvaluationResult]:
    """Evaluates a model on fresh sequences.

    Args:
        model: Keras model with the inputs and outputs of the task.
        task: The task, or its name. For other data than that of a run,
            `tasks.altered(run.task, data=...)`: a task that is made anew finds another
            vocabulary.
        lengths: Lengths to try, in the task's unit; the `Evaluation.eval_tasks` if
            None.
        split: The split to evaluate on, of a task that has splits.
        num_sequences: Sequences of each length; `Evaluation.num_eval_sequences` if
            None.
        seed: The same seed gives the same sequences.
        trained: The task that the model was trained on, if it is another.
    Returns:
        A result for each length.
    Raises:
        TypeError: If `model` is none, such as the directory of a run, `task` is neither
            a task nor a name, or `lengths` is no list.
        ValueError: If the task has no sequences of a length or no such split.
    """
    from .registry import as_task

    task = as_task(task)
    if num_sequences is not None:
        check_integer("num_sequences", num_sequences)
    check_model(model)
    model = with_named_inputs(model, task)
    if (shape := getattr(model, "output_shape", None)) is not None:
        if isinstance(task, CorpusTask) and isinstance(shape, tuple):
            check_vocabulary(shape[-1], task.output_size)
        check_shapes(model, task)
    check_integer("seed", seed, minimum=0)
    tasks = evaluated_tasks(task, lengths, split)
    model = with_room(model, trained or task, [at.size[0] for at in tasks])
    # Steps after an answer are padding in training too.
    if lengths is not None and len(tasks) >= MANY_LENGTHS and is_read_whole(task):
        model = FewShapes(model)
    return [_result(model, at, num_sequences, seed, trained or task) for at in tasks]


def evaluated_tasks(
    task: Task, lengths: Iterable[int] | None = None, split: str | None = None
) -> list[Task]:
    """The tasks whose sequences an evaluation takes, see `evaluate`."""
    if lengths is not None and split is not None:
        raise ValueError("`lengths` and `split` must not be given together.")
    if split is not None:
        if not hasattr(task, "on"):
            raise ValueError(
                f"`split` must be None for the task {task.name}, which draws its data. "
                f"Received: split={split!r}"
            )
        return [task.on(split)]  # type: ignore[attr-defined]
    if lengths is not None:
        if not isinstance(lengths, Iterable):
            raise TypeError(
                "`lengths` must be a list of lengths, such as [20, 40]. "
                f"Received: lengths={shorten(lengths)}"
            )
        return [task.evaluation.at_length(length) for length in lengths]
    return list(task.evaluation.eval_tasks)


def _result(
    model: Any,
    task: Task,
    num_sequences: int | None,
    seed: int,
    trained: Task,
) -> EvaluationResult:
    rng = np.random.default_rng([EVALUATION, seed])
    num_sequences = num_sequences or task.evaluation.num_eval_sequences
    return EvaluationResult(
        size=task.evaluation.sizes,
        length=task.size[0],
        beyond=any(a > b for a, b in zip(task.size, trained.size, strict=True)),
        **task.evaluation.score(model, num_sequences, rng)._asdict(),
    )


def longest_right(
    model: "keras.Model",
    task: Task,
    share: float = 0.9,
    *,
    num_sequences: int = 200,
    seed: int = 0,
    limit: int = 1_000,
) -> int:
    """The longest length at which a model is right on a share of fresh sequences.

    The first length is the longest of training. From there lengths grow, or, if the
    model is not right on it, shrink, by a quarter at a time, until the answer changes;
    the length at which it does is then found by halves. A network that is right again
    at a greater length, after one at which it is not, is given the smaller one.

    Args:
        model: Keras model with the inputs and outputs of the task.
        task: The task that the model was trained on, with lengths and a `perfect` in
            its errors.
        share: The share of the sequences that must be without an error.
        num_sequences: Sequences of each length.
        seed: The same seed gives the same sequences.
        limit: The longest length that is tried.
    Returns:
        The length; 0 if there is none, `limit` if it may be longer.
    Raises:
        ValueError: If `share` is not from 0 to 1, `limit` or `num_sequences` is not
            positive, or the task has no lengths or no `perfect`.
    """
    check_number("share", share, minimum=0, maximum=1)
    check_integer("limit", limit)

    def is_right(length: int) -> bool:
        (result,) = evaluate(
            model, task, [length], num_sequences=num_sequences, seed=seed, trained=task
        )
        if "perfect" not in result.values:
            raise ValueError(
                f"`task` must have `perfect` in its errors. Received: task={task.name}"
            )
        return result.values["perfect"] >= share

    return _last_right(is_right, min(task.size[0], limit), _shortest(task), limit)


def _last_right(
    is_right: Callable[[int], bool], start: int, least: int, limit: int
) -> int:
    """See `longest_right`; lengths are tried from `start` on, from `least` to `limit`,
    and each of them once."""
    right, wrong = least - 1, limit + 1
    length = start
    while right + 1 < wrong:
        if is_right(length):
            right = length
            length = min(limit, max(length + 1, length * 5 // 4))
        else:
            wrong = length
            length = max(least, min(length - 1, length * 4 // 5))
        found_both = right >= least and wrong <= limit
        if found_both or not right < length < wrong:
            length = (right + wrong) // 2
    return right if right >= least else 0


def _shortest(task: Task) -> int:
    """The shortest length that a task has."""
    length = 1
    while True:
        try:
            task.evaluation.at_length(length)
            return length
        except ValueError:
            if length >= task.size[0]:
                raise
            length += 1


def differ_in_size(results: Sequence[EvaluationResult]) -> bool:
    """Whether results are of different sizes, rather than of splits or of kinds of
    questions."""
    return len({result.length for result in results}) > 1


def headline_of(task: Task, results: Sequence[EvaluationResult]) -> str:
    """The value that pictures and tables show first: the task's headline; if a result
    has none, the measure of its validation or else the first value."""
    measure = (task.recipe.validation_measure or "").removeprefix("val_")
    known = (task.presentation.headline, measure, *results[0].values)
    return next(n for n in known if n and all(n in r.values for r in results))


def table_of(task: Task, results: list[EvaluationResult]) -> list[list[str]]:
    """Results as cells to print, the headings first; a cell is empty where a result has
    no such value."""
    # In the order of the result with the most values: others may have some of them.
    ordered = sorted(results, key=lambda result: -len(result.values))
    names = dict.fromkeys(name for result in ordered for name in result.values)
    columns = {name: task.presentation.column(name) for name in names}
    labels = (column.label for column in columns.values())
    counts = evaluated_things(task)
    return [[task.evaluation.heading, *labels, counts]] + [
        [
            result.size,
            *(
                result.shown(name, column.form) if name in result.values else ""
                for name, column in columns.items()
            ),
            str(result.sequences),
        ]
        for result in results
    ]
