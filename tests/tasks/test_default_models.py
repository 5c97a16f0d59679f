"""Each task can be trained without naming a model."""

import json

import numpy as np
import pytest
from click.testing import CliRunner
from PIL import Image

import tasks
from tasks.cli.main import main
from tasks.registry import default_model, get_model
from tasks.runs.training_config import TrainingConfig

TASKS = list(tasks.TASKS)


def data_of(name, folder):
    """The data that a task needs: nothing of most."""
    if name == "translation":
        for part in ("train", "val"):
            for language in ("en", "de"):
                lines = [f"{part} {language} {number}" for number in range(9)]
                (folder / f"{part}.{language}").write_text("\n".join(lines) + "\n")
        return {"data": folder, "unit": "word"}
    if name == "photo-captioning":
        rows = ["image,caption"]
        for number in range(4):
            picture = Image.new("RGB", (32, 32), (40 * number,) * 3)
            picture.save(folder / f"{number}.png")
            rows.append(f"{number}.png,a wall")
        (folder / "captions.csv").write_text("\n".join(rows) + "\n")
        return {"data": folder / "captions.csv", "images": folder, "picture_size": 32}
    return {}


@pytest.mark.parametrize("name", TASKS)
def test_the_default_model_of_a_task_reads_its_batches(name, tmp_path):
    task = tasks.get_task(name, **data_of(name, tmp_path))
    model = tasks.registry.as_model(None, task)
    assert model == get_model(default_model(task), task)
    network = model.build(task)
    batch = task.sample(1, 1)
    outputs = np.asarray(network(batch.inputs))
    assert outputs.shape[-1] == task.output_size
    assert np.isfinite(outputs).all()
    # Its training parameters suit the task.
    assert TrainingConfig().resolved(task, model).sequences


def test_the_default_model_of_one_vector_a_picture_does_not_attend(tmp_path):
    places = data_of("photo-captioning", tmp_path)
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
            assert f"[default: {model}]" in " ".join(text.split())
            # The options of that model, not of another, are listed.
            assert f"Model {model}:" in text


@pytest.mark.once
def test_a_training_without_a_model_takes_that_of_the_task(tmp_path):
    task = tasks.get_task("translation", **data_of("translation", tmp_path))
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
