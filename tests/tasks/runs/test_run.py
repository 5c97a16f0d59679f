import dataclasses
import errno
import json
import math
import os

import keras
import numpy as np
import pytest
from damage import damage

import tasks
from tasks.models import NTMLSTM
from tasks.registry import get_model
from tasks.runs import (
    RunError,
    TrainingConfig,
    create_run,
    locked,
    open_run,
    resume_run,
)
from tasks.runs.checksum import BLANK, with_checksum

TASK = tasks.Copy(2, 1, 3)


HEADER = (
    "epoch,sequences,seconds,loss,bits_per_sequence,bit_errors,skipped,rolled_back\n"
)


@pytest.fixture
def run(tmp_path, tiny):
    """A run that has just been made."""
    return create_run(tmp_path / "run", TASK, tiny, TrainingConfig(seed=4))


def test_a_run_opens_as_it_was_made(run):
    assert open_run(run.path) == run


def test_signature_has_what_repeats_the_run(run):
    assert run.signature.startswith(
        "copy|bits:2|len:1-3|blank:0.05|model:ntm-feedforward|heads:1+1|N:8|W:4|"
    )
    assert "|seed:4|v:" in run.signature


def test_another_run_is_never_overwritten(run, tiny):
    before = run.file("config.json").read_text()
    with pytest.raises(RunError, match="holds another run.*--force"):
        create_run(run.path, TASK, tiny, TrainingConfig(seed=5))
    assert run.file("config.json").read_text() == before


def test_a_directory_with_other_files_is_refused(tmp_path, tiny):
    (tmp_path / "thesis.txt").write_text("years of work")
    (tmp_path / "figures").mkdir()
    (tmp_path / "figures" / "mine.png").write_bytes(b"a picture")
    for config in (None, '{"of": "another program"}', "no JSON"):
        if config is not None:
            (tmp_path / "config.json").write_text(config)
        for force in (False, True):
            with pytest.raises(RunError, match="holds other files. Choose another.$"):
                create_run(tmp_path, TASK, tiny, TrainingConfig(), force=force)
    assert (tmp_path / "figures" / "mine.png").exists()
    assert (tmp_path / "config.json").read_text() == "no JSON"


@pytest.mark.parametrize("resume", [False, True])
def test_a_refused_directory_has_no_lock_afterwards(tmp_path, tiny, resume):
    (tmp_path / "thesis.txt").write_text("years of work")
    with pytest.raises(RunError, match="holds other files. Choose another.$"):
        tasks.train(TASK, tiny, out=tmp_path, resume=resume, sequences=16)
    assert [path.name for path in tmp_path.iterdir()] == ["thesis.txt"]


def test_force_overwrites_the_run_and_nothing_else(run, tiny):
    run.write_history([])
    run.file("thesis.txt").write_text("years of work")
    create_run(run.path, TASK, tiny, TrainingConfig(seed=5), force=True)
    assert open_run(run.path).training.seed == 5
    assert not run.file("history.csv").exists()
    assert run.file("thesis.txt").exists()


def test_force_removes_the_earlier_figures(run, tiny):
    run.folder.reserve("figures/sequence-2.png").write_bytes(b"")
    create_run(run.path, TASK, tiny, TrainingConfig(), force=True)
    assert not list(run.path.glob("figures/*"))


def test_out_that_is_a_file_is_refused(tmp_path, tiny):
    (tmp_path / "run").write_text("")
    with pytest.raises(RunError, match="must be a directory"):
        create_run(tmp_path / "run", TASK, tiny, TrainingConfig())


def test_a_missing_run_is_named(tmp_path):
    with pytest.raises(RunError, match="holds no run"):
        open_run(tmp_path / "nothing")


def change(run, edit):
    path = run.file("config.json")
    config = json.loads(path.read_text())
    edit(config)
    path.write_text(with_checksum(json.dumps(config | {"sha256": BLANK})))


@pytest.mark.parametrize(
    ("edit", "message"),
    [
        (lambda c: c.update(format=99), '"format" must be 4'),
        (
            lambda c: c["task"].update(name="juggling"),
            "must be one of adding",
        ),
        (
            lambda c: c["task"].update(num_bits=-1),
            "`num_bits` must be a positive integer",
        ),
        (lambda c: c["task"].update(color="red"), "color"),
        (lambda c: c["model"].update(name="gpt"), "must be one of bahdanau"),
        (lambda c: c.pop("training"), "training"),
        (lambda c: c.update(training=3), "is not a valid configuration"),
        (lambda c: c.update(versions={}), "memnets"),
        (
            lambda c: c["model"].update(memory_size="big"),
            "`memory_size` must be a positive",
        ),
    ],
)
def test_errors_of_configurations_are_named(run, edit, message):
    change(run, edit)
    with pytest.raises(RunError, match=r"config\.json") as caught:
        open_run(run.path)
    assert message in str(caught.value)


@pytest.mark.parametrize(
    "content", [b"", b'{"format": 2,', b"\xff\xfe\x00", b"[" * 10**5]
)
def test_broken_configurations_are_named(run, content):
    run.file("config.json").write_bytes(content)
    with pytest.raises(RunError, match=r"config\.json. is (truncated|not)"):
        open_run(run.path)


@pytest.mark.parametrize(
    "content", ["a,b\n1,2\n", HEADER + "1,2,x,4,5,6,0,0\n", HEADER + "1,2,3\n"]
)
def test_broken_histories_are_named(run, content):
    run.file("history.csv").write_text(with_checksum(f"{content}# sha256 {BLANK}\n"))
    with pytest.raises(RunError, match=r"history\.csv. is not a history"):
        run.read_history()


def test_missing_model_is_named(run):
    with pytest.raises(RunError, match=r"model\.keras. is missing"):
        run.load_model()


@pytest.mark.parametrize("size", [0, 10, 1000, -10])
def test_truncated_models_are_named(trained, tmp_path, tiny, size):
    broken = create_run(tmp_path, TASK, tiny, TrainingConfig())
    content = trained.run.file("model.keras").read_bytes()
    broken.file("model.keras").write_bytes(content[:size])
    message = r"model\.keras. is (empty|truncated|not a Keras model|damaged)"
    with pytest.raises(RunError, match=message):
        broken.load_model()


def test_corrupted_models_are_named(trained, tmp_path, tiny):
    broken = create_run(tmp_path, TASK, tiny, TrainingConfig())
    content = bytearray(trained.run.file("model.keras").read_bytes())
    content[len(content) // 2] ^= 255
    broken.file("model.keras").write_bytes(content)
    with pytest.raises(RunError, match=r"model\.keras. is damaged"):
        broken.load_model()


@pytest.mark.parametrize(("features", "bits"), [(7, 2), (3, 1)])
def test_models_of_another_task_are_named(tmp_path, tiny, features, bits):
    run = create_run(tmp_path, TASK, tiny, TrainingConfig())
    inputs = keras.Input((None, features))
    keras.Model(inputs, keras.layers.Dense(bits)(inputs)).save(run.file("model.keras"))
    with pytest.raises(
        RunError, match=r"model\.keras` must have (in|out)puts of shape"
    ):
        run.load_model()


def test_other_zip_files_are_named(tmp_path, tiny):
    import zipfile

    run = create_run(tmp_path, TASK, tiny, TrainingConfig())
    with zipfile.ZipFile(run.file("model.keras"), "w") as archive:
        archive.writestr("letter.txt", "dear all")
    with pytest.raises(RunError, match="is not a Keras model: a zip file with"):
        run.load_model()


@pytest.mark.parametrize("name", ["config.json", "history.csv", "summary.json"])
def test_changed_text_files_are_named(run, name):
    run.write_history([dict.fromkeys(HEADER.strip().split(","), 1.5)])
    run.write_summary({"evaluation": [1]})
    content = run.file(name).read_bytes()
    reads = {"config.json": lambda: open_run(run.path), "history.csv": run.read_history}
    read = reads.get(name, run.read_summary)
    read()
    rng = np.random.default_rng(0)
    for _ in range(100):
        run.file(name).write_bytes(damage(content, rng))
        with pytest.raises(RunError, match=name.replace(".", r"\.")):
            read()


def test_a_summary_with_what_is_not_a_number_is_json(run):
    """Readers of other languages refuse NaN, which JSON does not have."""
    values = {"abs_error": np.float32("nan"), "wrong": 1.0}
    entry = {"values": values, "intervals": {"wrong": [0.5, math.inf]}}
    summary = {"loss": math.nan, "solved_at": None, "evaluation": [entry]}
    run.write_summary(summary)

    def refuse(word):
        raise ValueError(word)

    json.loads(run.file("summary.json").read_text(), parse_constant=refuse)
    found = run.read_summary()
    assert found["solved_at"] is None and math.isnan(found["loss"])
    (entry,) = found["evaluation"]
    assert math.isnan(entry["values"]["abs_error"]) and entry["values"]["wrong"] == 1
    assert entry["intervals"]["wrong"] == pytest.approx([0.5, math.nan], nan_ok=True)


def test_a_summary_of_an_earlier_version_may_hold_nan(run):
    text = json.dumps({"loss": math.nan, "evaluation": [1], "sha256": BLANK})
    run.file("summary.json").write_text(with_checksum(text))
    assert math.isnan(run.read_summary()["loss"])


def test_an_empty_history_is_refused(run):
    run.file("history.csv").write_text("")
    with pytest.raises(RunError, match="is not a history"):
        run.read_history()


def test_a_directory_in_use_is_refused(run):
    with locked(run.path), pytest.raises(RunError, match="another process trains"):
        with locked(run.path):
            pass
    with locked(run.path):
        pass


def test_a_full_disk_leaves_what_was_there(run, monkeypatch):
    before = run.file("config.json").read_text()

    def full(*arguments):
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(RunError, match=r"config\.json. cannot be written: No space"):
        run.write_config()
    assert run.file("config.json").read_text() == before
    assert {file.name for file in run.path.iterdir()} == {"config.json", ".memnets"}


def test_files_of_a_stopped_process_do_not_count(tmp_path, tiny):
    for name in (".lock", ".config.123-4.unfinished.json"):
        (tmp_path / name).write_text("half")
    assert create_run(tmp_path, TASK, tiny, TrainingConfig())


@pytest.mark.parametrize(
    ("change", "named"),
    [
        ({"training": TrainingConfig(seed=5)}, "seed must be 4. Received: seed=5"),
        ({"task": tasks.Copy(3, 1, 3)}, "num_bits must be 2. Received: num_bits=3"),
        ({"model": NTMLSTM()}, "name must be 'ntm-feedforward'"),
    ],
)
def test_only_a_run_of_the_same_parameters_is_resumed(run, change, named):
    parts = {"task": TASK, "model": run.model, "training": run.training}
    assert resume_run(run.path, **parts) == run
    with pytest.raises(RunError, match=named):
        resume_run(run.path, **(parts | change))


def test_a_run_goes_on_that_was_begun_before_a_parameter_was_there(tmp_path):
    task, model = tasks.Stories(), get_model("dnc-lstm", links=False)
    run = create_run(tmp_path, task, model, TrainingConfig())

    def forget(config):
        del config["task"]["read_by"], config["model"]["masks"]

    change(run, forget)
    assert resume_run(tmp_path, task, model, TrainingConfig()) == run
    other = dataclasses.replace(model, masks=True)
    with pytest.raises(RunError, match="masks must be False. Received: "):
        resume_run(tmp_path, task, other, TrainingConfig())


def test_resuming_with_other_versions_warns(run):
    change(run, lambda config: config["versions"].update(keras="3.0"))
    with pytest.warns(UserWarning, match="begun with other versions"):
        resume_run(run.path, TASK, run.model, run.training)


@pytest.mark.parametrize(
    ("devices", "device"),
    [(["cpu:0"], None), (["gpu:0", "gpu:1"], "GPU"), (["tpu:0"], "TPU")],
)
def test_a_run_says_on_what_it_ran_if_not_on_a_processor(
    tmp_path, monkeypatch, devices, device
):
    monkeypatch.setattr(keras.distribution, "list_devices", lambda: devices)
    run = create_run(tmp_path, TASK, get_model("ntm-lstm", TASK), TrainingConfig())
    assert open_run(tmp_path) == run
    assert run.versions.get("device") == device


def test_runs_of_earlier_versions_lack_what_they_do_not_name(tmp_path):
    task, model = tasks.RepeatCopy(2), get_model("ntm-lstm", tasks.RepeatCopy(2))
    run = create_run(tmp_path, task, model, TrainingConfig())

    def forget(config):
        del config["task"]["continue_rate"]
        del config["model"]["input_clip"], config["model"]["cell_clip"]

    change(run, forget)
    before = open_run(tmp_path)
    assert before.task == dataclasses.replace(task, continue_rate=0.0)
    assert before.model == dataclasses.replace(model, input_clip=0.0, cell_clip=0.0)
    cell = before.model.layer(2).cell
    assert cell.input_clip is None
    assert cell.cell_clip is None
    with pytest.raises(
        RunError, match="continue_rate must be 0.0. Received: continue_rate=0.25"
    ):
        resume_run(tmp_path, task, model, TrainingConfig())
