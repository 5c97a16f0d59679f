"""Tasks and models of the user's own, by name."""

import dataclasses
import subprocess
import sys

import keras
import pytest

import tasks
from tasks.models.base import ModelConfig
from tasks.own_code import is_own
from tasks.registry import as_model, as_task

OPTIONS = {"sequences": 64, "batch_size": 4, "progress": False, "jit_compile": False}


class Reversed(tasks.Copy):
    """A task from outside the package."""

    name = "reversed"


def dense_layers(task):
    inputs = task.inputs()
    return keras.Model(inputs, keras.layers.Dense(task.output_size)(inputs))


@dataclasses.dataclass(frozen=True)
class Shallow(ModelConfig):
    """A model from outside the package."""

    units: int = 4

    name = "shallow"

    def layer(self, units):
        return keras.Sequential(
            [keras.layers.Dense(self.units, "tanh"), keras.layers.Dense(units)]
        )


pytestmark = [pytest.mark.usefixtures("registries"), pytest.mark.once]


def test_a_registered_task_is_found_by_its_name():
    assert tasks.register_task(Reversed) is Reversed
    assert tasks.get_task("reversed", num_bits=3) == Reversed(num_bits=3)
    assert as_task("reversed") == Reversed()
    # As a file that is imported twice does.
    assert tasks.register_task(Reversed) is Reversed


@pytest.mark.parametrize(
    ("task", "error", "message"),
    [
        (Reversed(), TypeError, "`task` must be a class derived from Task. Received"),
        (int, TypeError, "`task` must be a class derived from Task. Received"),
        ("copy", TypeError, "`task` must be a class derived from Task. Received"),
        (
            type("T", (tasks.Task,), {}),
            TypeError,
            "`task` must have a `name`. Received",
        ),
        (type("T", (tasks.Copy,), {"name": ""}), TypeError, "must have a `name`. Rec"),
        (type("T", (tasks.Copy,), {}), ValueError, "of its own. Received: 'copy'"),
    ],
)
def test_other_things_are_not_registered_as_tasks(task, error, message):
    before = dict(tasks.TASKS)
    with pytest.raises(error, match=message):
        tasks.register_task(task)
    assert before == tasks.TASKS


def test_a_registered_model_is_found_by_its_name():
    assert tasks.register_model(Shallow) is Shallow
    assert tasks.get_model("shallow", units=3) == Shallow(3)


def test_a_registered_function_is_found_by_its_name():
    assert tasks.register_model(dense_layers) is dense_layers
    config = as_model("dense-layers", tasks.Copy(2))
    assert config.label == "dense-layers"
    assert config.build(tasks.Copy(2)).output_shape == (None, None, 2)


@pytest.mark.parametrize(
    ("model", "error", "message"),
    [
        (
            Shallow(),
            TypeError,
            "`model` must be a class derived from ModelConfig or a f",
        ),
        (
            keras.layers.Dense,
            TypeError,
            "`model` must be a class derived from ModelConf",
        ),
        (keras.layers.Dense(2), TypeError, "`model` must be"),
        (
            "lstm",
            TypeError,
            "`model` must be a class derived from ModelConfig or a func",
        ),
        (
            type("M", (ModelConfig,), {}),
            TypeError,
            "`model` must have a `name`. Receiv",
        ),
        (type("M", (Shallow,), {"name": "lstm"}), ValueError, "own. Received: 'lstm'"),
    ],
)
def test_other_things_are_not_registered_as_models(model, error, message):
    before = dict(tasks.MODELS)
    with pytest.raises(error, match=message):
        tasks.register_model(model)
    assert before == tasks.MODELS


def test_a_run_of_registered_things_is_opened(tmp_path):
    tasks.register_task(Reversed)
    tasks.register_model(dense_layers)
    tasks.train("reversed", "dense-layers", out=tmp_path, **OPTIONS)
    run = tasks.open_run(tmp_path)
    assert run.task == Reversed()
    assert run.model.label == "dense-layers"
    # The function is known: its run can be continued.
    assert run.model.build(run.task).output_shape == (None, None, 8)
    assert run.load_model().output_shape == (None, None, 8)


@pytest.mark.parametrize(
    ("task", "model", "message"),
    [
        (Reversed(2), Shallow(), "the task .* or call tasks.register_task in Python"),
        (
            tasks.Copy(2),
            Shallow(),
            "the model .* or call tasks.register_model in Python",
        ),
    ],
)
def test_opening_a_run_of_unregistered_things_says_how_to_register(
    tmp_path, task, model, message
):
    tasks.train(task, model, out=tmp_path, evaluate=False, **OPTIONS)
    with pytest.raises(tasks.RunError, match=message):
        tasks.open_run(tmp_path)
    # Nothing needs to be registered where they are given.
    again = tasks.train(task, model, out=tmp_path, resume=True, **OPTIONS)
    assert len(again.history) == 1


def test_the_tasks_of_the_package_cannot_be_replaced():
    class Copy(tasks.Task):
        name = "copy"

    Copy.__qualname__ = "Copy"
    with pytest.raises(ValueError, match="a name of its own. Received: 'copy'"):
        tasks.register_task(Copy)
    assert tasks.TASKS["copy"] is tasks.Copy


def test_a_saved_model_of_the_users_own_is_not_a_registered_one_of_that_name():
    from tasks.runs.saved_config import saved_model

    saved = {"name": "keras", "model_name": "lstm", "architecture": "abc"}
    found = saved_model(saved)
    assert found.is_own
    assert found.parameters == {"model_name": "lstm", "architecture": "abc"}
    assert not tasks.get_model("lstm").is_own


@pytest.mark.parametrize(
    "name", ["train", "evaluate", "write_report", "compare", "search"]
)
def test_the_main_functions_are_listed(name):
    assert name in dir(tasks)


def test_everything_listed_exists():
    # Those of other modules are imported at their first use.
    for name in dir(tasks):
        assert getattr(tasks, name) is not None


def test_every_task_of_the_package_can_be_imported_from_it():
    for task in tasks.TASKS.values():
        if not is_own(task):
            assert getattr(tasks, task.__name__) is task


def test_other_names_are_refused():
    with pytest.raises(AttributeError, match="has no attribute 'trian'"):
        tasks.trian  # noqa: B018


def test_listing_tasks_needs_no_keras():
    code = "import sys, tasks; dir(tasks); sys.exit('keras' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code]).returncode == 0


def test_the_signature_of_an_own_task_has_its_name():
    class EverySecond(tasks.Copy):
        name = "every-second"

    assert EverySecond().signature.startswith("every-second|bits:8|")
    assert tasks.Copy().signature.startswith("copy|bits:8|")


def test_the_signature_of_a_model_has_the_size_of_an_unusual_controller():
    usual, other = (
        tasks.get_model("ntm-lstm", controller_size=size).signature
        for size in (100, 32)
    )
    assert other == f"{usual}|units:32"
