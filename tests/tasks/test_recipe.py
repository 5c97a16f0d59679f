"""Recipes, default models and streams: what is set for a task, and where its batches
come from."""

import dataclasses
import json
import re
import types

import numpy as np
import pytest
from click.testing import CliRunner
from conformance.task_descriptors import DESCRIPTORS

import tasks
from tasks.cli.main import main
from tasks.contract.earlier import PARAMETERS, error_names, upgraded
from tasks.contract.of_few_tasks import staged_batch
from tasks.contract.recipe import Recipe
from tasks.contract.stream import FULL_SIZE, Stream
from tasks.models import ModelConfig
from tasks.models.ntm import NTMLSTM, NTMConfig
from tasks.own_code import is_own
from tasks.registry import MODELS, default_model, get_model
from tasks.training_options.training_config import DEFAULTS, EARLIER, TrainingConfig

TASK = tasks.Copy(2, 1, 4)
ROWS = {row.task_class.name: row for row in DESCRIPTORS}


@pytest.fixture(scope="module")
def every_task(tmp_path_factory):
    folder = tmp_path_factory.mktemp("data")
    return [tasks.get_task(name, **row.data(folder)) for name, row in ROWS.items()]


@pytest.mark.once
def test_every_task_is_known_by_its_name_and_has_a_row():
    known = {name: kind for name, kind in tasks.TASKS.items() if not is_own(kind)}
    assert known == {name: row.task_class for name, row in ROWS.items()}
    assert all(kind.name == name for name, kind in known.items())


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
    assert staged_batch(TASK, 0.5, 0, 3, 1) is None


def test_batches_that_are_drawn_whole_have_no_curriculum_by_default():
    class Whole(Stream):
        def batch(self, index, size, seed):
            return self.task.sample(size, seed)

    with pytest.raises(ValueError, match="`curriculum`: the task copy has no easier"):
        staged_batch(types.SimpleNamespace(stream=Whole(TASK)), 0.5, 0, 3, 1)


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


@pytest.mark.parametrize("name", ROWS)
def test_the_default_model_of_a_task_reads_its_batches(name, tmp_path):
    task = tasks.get_task(name, **ROWS[name].data(tmp_path))
    model = tasks.registry.as_model(None, task)
    assert model == get_model(default_model(task), task)
    network = model.build(task)
    inputs = task.sample(1, 1).inputs
    if isinstance(inputs, np.ndarray):  # a few steps say it too
        inputs = inputs[:, :8]
    outputs = np.asarray(network(inputs))
    assert outputs.shape[-1] == task.output_size
    assert np.isfinite(outputs).all()
    # Its training parameters suit the task.
    assert TrainingConfig().resolved(task, model).sequences


def test_the_default_model_of_one_vector_a_picture_does_not_attend(tmp_path):
    places = ROWS["photo-captioning"].data(tmp_path)
    for cells, name in ((1, "cnn-gru"), (3, "cnn-gru-attention")):
        features = np.zeros((4, cells, 5)[:: 2 if cells == 1 else 1])
        np.save(tmp_path / "features.npy", features)
        task = tasks.get_task(
            "photo-captioning",
            data=places["data"],
            image_features=tmp_path / "features.npy",
        )
        assert default_model(task) == name
        for compared in task.recipe.compared_models:
            get_model(compared, task, units=4).build(task)


@pytest.mark.once
def test_help_and_list_name_the_same_models():
    listed = CliRunner().invoke(main, ["list", "--json"])
    found = json.loads(listed.output)["default_models"]
    assert list(found) == list(json.loads(listed.output)["tasks"])
    words = " ".join(CliRunner().invoke(main, ["list"]).output.split())
    for name, model in found.items():
        assert model == default_model(tasks.TASKS[name])
        assert f"({model})" in words.partition(f" {name} ")[2]
        for command in ("train", "search"):
            text = CliRunner().invoke(main, [command, name, "--help"]).output
            # A line may end with the hyphen of a name.
            text = " ".join(re.sub(r"-\n +", "-", text).split())
            assert f"[default: {model}]" in text
            # The options of that model, not of another, are listed.
            assert f"Model {model}:" in text


@pytest.mark.once
def test_a_training_without_a_model_takes_that_of_the_task(tmp_path, untrained):
    task = tasks.get_task("translation", **ROWS["translation"].data(tmp_path))
    command = ["train", "translation", "--data", str(tmp_path), "--unit", "word"]
    words = "--units 4 --embedding-size 4 --beam-size 1 --sequences 8 --batch-size 8"
    out = tmp_path / "run"
    result = CliRunner().invoke(main, [*command, *words.split(), "--out", str(out)])
    assert result.exit_code == 0, result.output
    assert tasks.open_run(out).model.name == default_model(task) == "gru-attention"


BOUNDED = [
    ("ntm-feedforward", "input_clip"),
    ("ntm-lstm", "cell_clip"),
    ("dnc-feedforward", "input_clip"),
    ("dnc-lstm", "cell_clip"),
    ("sam-lstm", "input_clip"),
    ("mann", "input_clip"),
]


@pytest.mark.parametrize(("name", "bound"), BOUNDED)
def test_a_bound_reaches_the_layer_and_0_is_none(name, bound):
    for given, expected in ((1.5, 1.5), (0.0, None)):
        model = tasks.get_model(name, tasks.Copy(), **{bound: given})
        assert getattr(model.layer(2).cell, bound) == expected


@pytest.mark.parametrize(("name", "bound"), BOUNDED)
@pytest.mark.parametrize("given", [-1, float("nan"), "1"])
def test_a_bound_is_not_negative(name, bound, given):
    message = f"^`{bound}` must be a finite number at least 0. Received: {bound}="
    with pytest.raises(ValueError, match=message):
        tasks.get_model(name, tasks.Copy(), **{bound: given})


@pytest.mark.parametrize("name", ["dnc-feedforward", "sam-feedforward"])
def test_only_an_lstm_has_carries_to_bound(name):
    with pytest.raises(TypeError, match="cell_clip"):
        tasks.get_model(name, tasks.Copy(), cell_clip=1.0)
