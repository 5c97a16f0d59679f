"""Recipes and streams: what is set for a task, and where its batches come from."""

import dataclasses

import numpy as np
import pytest

import tasks
from tasks.contract.earlier import PARAMETERS, error_names, upgraded
from tasks.contract.recipe import Recipe
from tasks.contract.stream import FULL_SIZE, Stream
from tasks.models import ModelConfig
from tasks.models.ntm import NTMLSTM, NTMConfig
from tasks.registry import MODELS, get_model
from tasks.runs.training_config import DEFAULTS, EARLIER, TrainingConfig

from .test_default_models import data_of

TASK = tasks.Copy(2, 1, 4)


@pytest.fixture(scope="module")
def every_task(tmp_path_factory):
    folder = tmp_path_factory.mktemp("data")
    return [tasks.get_task(name, **data_of(name, folder)) for name in tasks.TASKS]


@pytest.mark.once
@pytest.mark.parametrize("name", list(MODELS))
def test_a_registered_copy_of_a_model_trains_as_the_original(
    name, every_task, registries
):
    kind = type("Other", (MODELS[name],), {"name": f"my-{name}"})
    tasks.register_model(kind)
    num_own = 0
    for task in every_task:
        original, other = get_model(name, task), get_model(kind.name, task)
        assert other.name == f"my-{name}"
        assert other.parameters == original.parameters
        config = TrainingConfig()
        assert config.resolved(task, other) == config.resolved(task, original)
        recipe = task.recipe
        num_own += bool(
            recipe.model_parameters(kind) or recipe.training_parameters(kind)
        )
    assert num_own


def recipe_with(**members):
    return type("Own", (Recipe,), members)(TASK)


def test_settings_of_the_nearest_class_win_and_are_not_mixed():
    recipe = recipe_with(
        training={
            ModelConfig: {"batch_size": 1, "sequences": 9},
            NTMConfig: {"batch_size": 2},
        }
    )
    assert recipe.training_parameters(NTMLSTM) == {"batch_size": 2}
    assert recipe.training_parameters(MODELS["gru"]) == {
        "batch_size": 1,
        "sequences": 9,
    }
    assert recipe.model_parameters(NTMLSTM) == {}


def test_a_function_that_makes_a_model_has_no_parameters():
    assert recipe_with(models={ModelConfig: {"x": 1}}).model_parameters(dense) == {}


def dense(task):
    """No class."""


def test_a_task_gives_its_recipe_and_its_class_the_class_of_it():
    assert type(TASK.recipe) is tasks.Copy.recipe
    assert TASK.recipe.task is TASK
    assert issubclass(tasks.Copy.recipe, Recipe)
    assert tasks.Copy.recipe.compared_models == TASK.recipe.compared_models


def test_blocks_of_a_curriculum_are_small_but_for_one_in_five():
    rng = np.random.default_rng(1)
    drawn = [TASK.stream.stage(0.0, rng) for _ in range(1_000)]
    assert set(drawn) == {TASK, TASK.stream.easier(0.0)}
    assert np.mean([task == TASK for task in drawn]) == pytest.approx(
        FULL_SIZE, abs=0.04
    )
    assert TASK.stream.stage(1.0, rng) is TASK


def test_a_task_may_say_itself_what_draws_a_block_of_a_curriculum():
    @dataclasses.dataclass(frozen=True)
    class Own(tasks.Copy):
        def staged(self, share, rng):
            return "staged", share

    assert Own().stream.stage(0.25, np.random.default_rng(1)) == ("staged", 0.25)
    assert Own().stream.stage(1.0, None) == Own()


def test_a_stream_draws_as_its_task_does_and_has_no_easier_sequences():
    stream = Stream(TASK)
    for one, other in zip(stream.sample(3, 1), TASK.sample(3, 1), strict=True):
        np.testing.assert_array_equal(one, other)
    assert stream.batch(0, 3, 1) is None
    with pytest.raises(
        ValueError, match="`curriculum`: the task copy has no easier sequences."
    ):
        stream.easier(0.5)


@pytest.mark.parametrize(
    ("kind", "saved", "expected"),
    [
        (tasks.Copy, {"num_bits": 2}, {"num_bits": 2, "blank_rate": 0.0}),
        (tasks.RepeatCopy, {"go_on": 0.5}, {"continue_rate": 0.5}),
        (tasks.RepeatCopy, {}, {"continue_rate": 0.0}),
        (tasks.AssociativeRecall, {"alike": None}, {"similar_items": 0.0}),
        (tasks.PrioritySort, {"num_bits": 2}, {"num_bits": 2}),
    ],
)
def test_saved_parameters_are_upgraded_also_of_a_class_derived_from_a_task(
    kind, saved, expected
):
    given = dict(saved)
    for one in (kind, type("Own", (kind,), {"name": "my-own"})):
        assert upgraded(one, saved) == expected
    assert saved == given


def test_names_of_errors_in_old_summaries():
    assert error_names(tasks.RepeatCopy)["vectors"] == "vector_errors"
    assert error_names(tasks.Copy) == {}
    assert PARAMETERS.keys() <= tasks.TASKS.keys()


def test_defaults_of_today_do_not_say_what_old_runs_had(monkeypatch):
    monkeypatch.setitem(DEFAULTS, "schedule", "constant")
    model = get_model("ntm-lstm")
    assert TrainingConfig().resolved(TASK, model).schedule == "constant"
    assert TrainingConfig.saved({}).schedule == EARLIER["schedule"] == "cosine"
