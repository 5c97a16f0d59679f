"""What `memnets train` says at its end."""

import dataclasses

import pytest

import tasks
from tasks.cli.verdict import verdict
from tasks.evaluation import EvaluationResult
from tasks.training_options.training_config import TrainingConfig

TASK = tasks.Copy()
MODEL = tasks.get_model("ntm-lstm", TASK)
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
    text = verdict(TASK, MODEL, TRAINING, None, results(TASK, perfect=[0.0] * 5))
    assert "copy is not solved" in text
    assert "--seed 4" in text
    assert "--sequences 1000" in text
    assert "memnets search" not in text  # its settings are tuned


@dataclasses.dataclass(frozen=True)
class Mine(tasks.Copy):
    name = "mine"


@pytest.mark.parametrize(
    ("task", "model"), [(TASK, "lstm"), (TASK, "stack"), (Mine(), "ntm-lstm")]
)
def test_unsolved_with_settings_that_are_not_tuned_says_how_to_choose_others(
    task, model
):
    config = tasks.get_model(model, task)
    text = verdict(task, config, TRAINING, None, results(task, perfect=[0.0] * 5))
    for part in ("--seed 4", "--learning-rate", "--starts", "`memnets search`"):
        assert part in text


@pytest.mark.parametrize(
    ("task", "right", "advised"),
    [
        (tasks.Copy(8, 1, 16), [1.0, 1.0, 0.0, 0.0], "--memory-size 64"),
        (tasks.Copy(8, 1, 16), [1.0, 1.0, 1.0, 0.0], "--memory-size 128"),
        (tasks.Copy(8, 1, 31), [1.0, 0.0, 0.0, 0.0], "Another seed"),
        (tasks.RepeatCopy(8, 1, 16), [1.0, 1.0, 0.0, 0.0], "--memory-size 64"),
        (tasks.AssociativeRecall(), [], "Another seed"),
    ],
)
def test_a_memory_without_a_row_for_each_vector_is_named(task, right, advised):
    model = tasks.get_model("ntm-lstm", task, memory_size=32)
    sizes = len(task.evaluation.eval_tasks)
    shares = [*right, *[0.0] * sizes][:sizes]
    text = verdict(task, model, TRAINING, 400, results(task, perfect=shares))
    assert advised in text
    assert ("Another seed" in text) == (advised == "Another seed")
    assert ("The memory has 32 rows" in text) == ("--memory" in advised)


def test_an_unsolved_task_with_too_few_rows_is_told_so():
    model = tasks.get_model("ntm-lstm", TASK, memory_size=10)
    text = verdict(TASK, model, TRAINING, None, results(TASK, perfect=[0.0] * 5))
    assert "The memory has 10 rows" in text and "--memory-size 40" in text


@pytest.mark.parametrize(
    ("perfect", "expected"),
    [
        ([1.0, 1.0, 1.0, 0.97, 0.95], "right up to size 120."),
        ([1.0, 1.0, 1.0, 0.97, 0.94], "right up to size 80, and not at 120."),
        ([1.0, 1.0, 0.5, 1.0, 1.0], "right at the sizes of training, and not at 40."),
    ],
)
def test_solved_says_how_far_it_goes_on(perfect, expected):
    text = verdict(TASK, MODEL, TRAINING, 400, results(TASK, perfect=perfect))
    assert text.startswith("copy is solved.")
    assert expected in text
    assert ("--seed 4" in text) == ("not at" in expected)


def test_a_task_that_was_solved_and_then_lost_is_not_called_solved():
    lost = results(TASK, perfect=[0.5, 1.0, 1.0, 1.0, 1.0])
    text = verdict(TASK, MODEL, TRAINING, 400, lost)
    assert text.startswith("copy was solved, but the network lost it again.")
    assert "--seed 4" in text


def test_tasks_with_a_bound_in_bits_are_right_within_the_bound_of_each_size():
    task = tasks.PrioritySort()
    bounds = [at.success.below for at in task.evaluation.eval_tasks]
    assert bounds == sorted(bounds)
    right = [bound - 0.1 for bound in bounds]
    text = verdict(task, MODEL, TRAINING, 400, results(task, bits=right))
    assert f"up to size {task.evaluation.eval_tasks[-1].evaluation.sizes}." in text
    wrong = [*right[:-1], bounds[-1] + 0.1]
    text = verdict(task, MODEL, TRAINING, 400, results(task, bits=wrong))
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
    assert verdict(task, MODEL, TRAINING, 400, perfect) == "copy is solved."


def test_tasks_without_a_bound_have_no_verdict():
    task = tasks.DynamicNGrams(1, 2)
    assert task.success is None
    assert verdict(task, MODEL, TRAINING, None, []) == ""
