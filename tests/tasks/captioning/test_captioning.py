"""Captioning: the task of scenes, what is written and how it scores."""

import functools
import json
import re

import numpy as np
import pytest
from click.testing import CliRunner
from PIL import Image

import tasks
from tasks.captions import describer
from tasks.captions.describer import Describer
from tasks.captions.pictures import read_picture
from tasks.captions.report import draw_cells, draw_pictures, floors
from tasks.captions.scene_captioning import WIDTH
from tasks.captions.scenes.world import HELD_BACK, SIZE
from tasks.cli.main import main
from tasks.models.captioner import CaptionerConfig
from tasks.registry import MODELS, get_model
from tasks.runs.run import Run
from tasks.text.tokens import END, PAD, START

SMALL = {"units": 8, "embedding_size": 6, "channels": 4}
CAPTION_MODELS = [
    name
    for name, model in MODELS.items()
    if isinstance(model, type) and issubclass(model, CaptionerConfig)
]


@pytest.fixture(scope="module")
def task():
    return tasks.get_task("captioning")


def drawn(task, split, count=40):
    return task.on(split).eval_pictures(count, np.random.default_rng(1))


def test_a_batch_has_pictures_and_what_the_decoder_reads(task):
    batch = task.stream.batch(3, 6, seed=1)
    again = task.stream.batch(3, 6, seed=1)
    np.testing.assert_equal(again, batch)
    read = batch.inputs["caption"]
    assert read.shape == (6, WIDTH)
    assert (read[:, 0] == START).all()
    shifted = np.where(batch.targets == END, PAD, batch.targets)[:, :-1]
    assert np.array_equal(read[:, 1:], shifted)
    assert np.array_equal(batch.mask, batch.targets != PAD)
    for row, picture in enumerate(batch.inputs["picture"]):
        expected = task.described(3 * 6 + row, 1, 1)
        assert np.array_equal(picture, expected.picture)
        text = task.target_vocabulary.decode(batch.targets[row])
        assert text == expected.captions[0]


def test_the_stream_does_not_depend_on_the_batch_size(task):
    whole = task.stream.batch(0, 6, seed=2).targets
    halves = [task.stream.batch(i, 3, seed=2).targets for i in range(2)]
    assert np.array_equal(whole, np.concatenate(halves))


def test_splits_are_what_they_promise(task):
    kinds = {
        split: [[(t.color, t.shape) for t in one.scene] for one in drawn(task, split)]
        for split in task.splits
    }
    for split in ("train", "validation", "test", "test-more"):
        assert not any(kind in HELD_BACK for scene in kinds[split] for kind in scene)
    assert all(sum(k in HELD_BACK for k in s) == 1 for s in kinds["test-unseen"])
    assert {len(scene) for scene in kinds["test-more"]} == {5}
    assert {len(scene) for scene in kinds["test"]} == {1, 2, 3, 4}
    assert len({str(scenes) for scenes in kinds.values()}) == len(kinds)
    with pytest.raises(ValueError, match=re.escape("`split` must be one of")):
        task.on("test-fewer")


def test_scores_are_those_of_the_metrics_and_of_the_truth(task):
    pictures = drawn(task, "test")
    right = [one.captions[0] for one in pictures]
    scores = task.score_captions(pictures, right).values
    assert scores["true"] == 1
    assert scores["bleu"] == pytest.approx(1)
    wrong = [*right[:-10], *["a star"] * 10]
    scores = task.score_captions(pictures, wrong).values
    assert scores["true"] == pytest.approx(30 / 40)
    assert 0.2 < scores["bleu"] < 1


def test_floors_are_below_the_human_line(task):
    found = floors(task)
    human, other, constant = found.values()
    assert human["true"] == 1
    for floor in (other, constant):
        for name in ("true", "bleu", "meteor", "cider-d"):
            assert floor[name] < 0.7 * human[name]


@pytest.mark.parametrize("name", CAPTION_MODELS)
def test_every_model_writes_captions(task, name):
    model = get_model(name, task, **SMALL).build(task)
    pictures = np.stack([one.picture for one in drawn(task, "test", 2)])
    written = Describer(model, task, n_best=2).describe(pictures)
    again = Describer(model, task, n_best=2).describe(pictures[1:])
    assert [[one.text for one in best] for best in written[1:]] == [
        [one.text for one in best] for best in again
    ]
    for best in written:
        assert len({one.text for one in best}) == 2
        assert best[0].score >= best[1].score
        known = set(task.target_vocabulary._words)
        assert all(set(one.text.split()) <= known for one in best)


def test_pictures_of_numbers_up_to_one_are_nearly_black(task):
    model = get_model("cnn-gru", task, **SMALL).build(task)
    picture = np.stack([one.picture for one in drawn(task, "test", 1)])
    with pytest.warns(UserWarning, match="`pictures` should be numbers from 0 to 255"):
        Describer(model, task).describe(picture / 255.0)


def test_every_model_is_known(task):
    assert set(task.recipe.compared_models) <= set(CAPTION_MODELS)


@pytest.mark.once
def test_a_model_of_captions_refuses_other_tasks_and_the_reverse(task):
    with pytest.raises(ValueError, match="`task` must be one of pictures"):
        get_model("cnn-gru").build(tasks.get_task("copy"))
    with pytest.raises(ValueError, match="`model` must write a text"):
        get_model("lstm", task).build(task)
    with pytest.raises(ValueError, match="`task` must be a task that has pictures and"):
        Describer(None, tasks.get_task("toy-translation"))
    with pytest.raises(ValueError, match="a Keras model with one layer Captioner. Rec"):
        Describer(None, task)


@pytest.mark.once
def test_a_run_is_trained_reported_and_used(task, tmp_path, monkeypatch):
    model = get_model("cnn-gru-attention", task, **SMALL)
    path = tmp_path / "run"
    result = tasks.train(
        task,
        model,
        out=path,
        sequences=32,
        batch_size=16,
        epoch_steps=2,
        progress=False,
        evaluate=False,
    )
    assert {"val_true", "val_meteor", "bits_per_token"} <= set(result.history[-1])
    # The commands share what each would load and compile anew.
    loaded = tasks.open_run(path).load_model()
    monkeypatch.setattr(Run, "load_model", lambda run: loaded)
    monkeypatch.setattr(describer, "Describer", functools.cache(Describer))
    files = []
    for number, one in enumerate(drawn(task, "test", 2)):
        files.append(str(tmp_path / f"{number}.png"))
        Image.fromarray(one.picture).save(files[-1])
    found = CliRunner().invoke(main, ["caption", str(path), *files])
    assert found.exit_code == 0
    lines = found.stdout.splitlines()
    assert [line.split(": ")[0] for line in lines] == files
    alone = CliRunner().invoke(main, ["caption", str(path), files[1]])
    assert alone.stdout.strip() == lines[1].removeprefix(f"{files[1]}: ")
    check_damaged_files_leave_the_others(path, files, lines)
    several = CliRunner().invoke(
        main, ["caption", str(path), files[0], "--n-best", "3", "--beam", "4"]
    )
    assert len(several.stdout.splitlines()) == 3
    words = ["evaluate", str(path), "--split", "test", "--sequences", "4"]
    evaluated = CliRunner().invoke(main, words).stdout
    scores, floors = evaluated.split("beside the scores of test:")
    assert len(scores.strip().splitlines()) == 2
    headings, people, *others = floors.strip().splitlines()
    assert headings.split()[:2] == ["captions", "true"] and len(others) == 2
    # People do not err about shapes.
    assert people.split()[-4] == "1.000"


def check_damaged_files_leave_the_others(run, files, lines):
    damaged, gone = run / "damaged.png", run / "gone.png"
    damaged.write_bytes(b"no picture")
    bad = [str(damaged), str(gone), str(run)]  # the last is a directory
    words = ["caption", str(run), files[0], *bad, files[1]]
    found = CliRunner().invoke(main, words)
    assert found.exit_code == 1 and found.stdout.splitlines() == lines
    reasons = ("no picture of a known form", "No such file or dir", "Is a directory")
    for path, reason, line in zip(bad, reasons, found.stderr.splitlines(), strict=True):
        assert line.startswith(
            f"Error: `{path}` must be a picture file. Received: {reason}"
        )
    as_json = json.loads(CliRunner().invoke(main, [*words, "--json"]).stdout)
    assert list(as_json["captions"]) == files and list(as_json["faults"]) == bad
    # Also where one remains, lines begin with names, as several were given.
    one = CliRunner().invoke(main, ["caption", str(run), bad[0], files[0]])
    assert one.exit_code == 1 and one.stdout.splitlines() == lines[:1]
    none = CliRunner().invoke(main, ["caption", str(run), *bad])
    assert none.exit_code == 2 and not none.stdout
    assert len(none.stderr.splitlines()) == 3


def test_bad_pictures_are_named(tmp_path, task):
    path = tmp_path / "picture.png"
    path.write_bytes(b"\x89PNG\r\n\x1a\n broken")
    with pytest.raises(ValueError, match="picture.png` must be a picture file"):
        read_picture(path, task.picture_shape)
    Image.fromarray(np.zeros((10, 20), np.uint8)).save(path)
    assert read_picture(path, task.picture_shape).shape == task.picture_shape
    Image.fromarray(np.full((SIZE, SIZE, 3), 7, np.uint8)).save(path)
    assert (read_picture(path, task.picture_shape) == 7).all()
    # Of 16 bits, which are the 8 bits and those of smaller numbers.
    Image.fromarray(np.full((SIZE, SIZE), 7 * 256 + 99, np.uint16)).save(path)
    assert (read_picture(path, task.picture_shape) == 7).all()
    Image.fromarray(np.ones((SIZE, SIZE), np.float32)).save(tmp_path / "f.tiff")
    with pytest.raises(ValueError, match="no range that is known: mode F"):
        read_picture(tmp_path / "f.tiff", task.picture_shape)


@pytest.mark.once
def test_pictures_are_drawn(task):
    pictures = [one.picture for one in drawn(task, "test", 3)]
    figure = draw_pictures(pictures, ["a", "b", "c"], [True, False, True])
    assert len(figure.axes) == 3
    shown = figure.axes[1]
    assert np.array_equal(shown.images[0].get_array(), pictures[1])
    assert shown.get_xlabel() == "b"
    colors = [axes.xaxis.label.get_color() for axes in figure.axes]
    assert colors[0] == colors[2] != colors[1]
    weights = np.zeros((2, 16))
    weights[0, 0] = weights[1, 15] = 1
    figure = draw_cells(pictures[0], ["a", "b"], weights)
    light = [axes.images[0].get_array().mean(axis=2) for axes in figure.axes[:2]]
    assert light[0][:16, :16].mean() > 2 * light[0][16:, 16:].mean()
    assert light[1][48:, 48:].mean() > 2 * light[1][:48, :48].mean()
