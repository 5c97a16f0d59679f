"""What `memnets train` says at its end."""

import dataclasses

import pytest

import tasks
from tasks.cli.verdict import verdict
from tasks.evaluation import EvaluationResult
from tasks.training_options.training_config import TrainingConfig

TASK = tasks.Copy()
TRAINING = TrainingConfig(seed=3, sequences=500)


def results(task, **values):
    """An evaluation with a number for each of the task's sizes, per value."""
    return [
        EvaluationResult(
            size=at.evaluation.sizes,
            length=at.size[0],
            beyond=at.size > task.size,
            sequences=10,
            values={name: numbers[place] for name, numbers in values.items()},
        )
        for place, at in enumerate(task.evaluation.eval_tasks)
    ]


def test_unsolved_says_what_to_try():
    text = verdict(TASK, TRAINING, None, results(TASK, perfect=[0.0] * 5))
    assert "copy is not solved" in text
    assert "--seed 4" in text
    assert "--sequences 1000" in text


@pytest.mark.parametrize(
    ("perfect", "expected"),
    [
        ([1.0, 1.0, 1.0, 0.97, 0.95], "right up to size 120."),
        ([1.0, 1.0, 1.0, 0.97, 0.94], "right up to size 80, and not at 120."),
        ([1.0, 1.0, 0.5, 1.0, 1.0], "right up to size 20, and not at 40."),
    ],
)
def test_solved_says_how_far_it_goes_on(perfect, expected):
    text = verdict(TASK, TRAINING, 400, results(TASK, perfect=perfect))
    assert text.startswith("copy is solved.")
    assert expected in text
    assert ("--seed 4" in text) == ("not at" in expected)


def test_a_task_that_was_solved_and_then_lost_is_not_called_solved():
    lost = results(TASK, perfect=[0.5, 1.0, 1.0, 1.0, 1.0])
    text = verdict(TASK, TRAINING, 400, lost)
    assert text.startswith("copy was solved, but the network lost it again.")
    assert "--seed 4" in text


def test_tasks_with_a_bound_in_bits_are_right_within_the_bound_of_each_size():
    task = tasks.PrioritySort()
    bounds = [at.success.below for at in task.evaluation.eval_tasks]
    assert bounds == sorted(bounds)
    right = [bound - 0.1 for bound in bounds]
    text = verdict(task, TRAINING, 400, results(task, bits=right))
    assert f"up to size {task.evaluation.eval_tasks[-1].evaluation.sizes}." in text
    wrong = [*right[:-1], bounds[-1] + 0.1]
    text = verdict(task, TRAINING, 400, results(task, bits=wrong))
    assert f"not at {task.evaluation.eval_tasks[-1].evaluation.sizes}." in text


def test_tasks_that_cannot_say_what_is_right_are_only_solved_or_not():
    class SilentEvaluation(tasks.Copy.evaluation):
        def is_right(self, values):
            return None

    @dataclasses.dataclass(frozen=True)
    class Silent(tasks.Copy):
        evaluation = tasks.Beside(SilentEvaluation)

    task = Silent()
    perfect = results(task, perfect=[1.0] * 5)
    assert verdict(task, TRAINING, 400, perfect) == "copy is solved."


def test_tasks_without_a_bound_have_no_verdict():
    task = tasks.DynamicNGrams(1, 2)
    assert task.success is None
    assert verdict(task, TRAINING, None, []) == ""
