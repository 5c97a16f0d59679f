import dataclasses
import errno
import json
import math
import os
import re
import shutil
import tempfile

import keras
import numpy as np
import pytest
from foreign_files import contents_of, names_in
from hostile import damage

import tasks
from memnets.saving.atomic import atomic_write, temporary_folder
from tasks.models.ntm import NTMLSTM, NTMFeedforward
from tasks.registry import get_model
from tasks.report.report import write_report
from tasks.runs import (
    RunError,
    TrainingConfig,
    checkpoint,
    create_run,
    locked,
    open_run,
    resume_run,
)
from tasks.runs.checksum import BLANK, with_checksum
from tasks.runs.output_folder import MARK

pytestmark = pytest.mark.usefixtures("undrawn")

TASK = tasks.Copy(2, 1, 3)
TINY = NTMFeedforward(memory_size=8, word_size=4, controller_size=8)


HEADER = (
    "epoch,sequences,seconds,loss,bits_per_sequence,bit_errors,skipped,rolled_back\n"
)


@pytest.fixture
def run(tmp_path, tiny):
    """A run that has just been made."""
    return create_run(tmp_path / "run", TASK, tiny, TrainingConfig(seed=4))


@pytest.fixture
def trained_copy(trained, tmp_path):
    """A run that has ended and has no report, to change."""
    shutil.copytree(trained.run.path, tmp_path / "copy")
    run = open_run(tmp_path / "copy")
    for name in run.folder.listed():  # another test may have drawn it
        if name.startswith(("figures/", "report.")):
            run.folder.remove(name)
    return run


def test_a_run_opens_as_it_was_made(run):
    assert open_run(run.path) == run


def test_signature_has_what_repeats_the_run(run):
    assert run.signature.startswith(
        "copy|bits:2|len:1-3|blank:0.05|model:ntm-feedforward|heads:1+1|N:8|W:4"
        "|units:8|"
    )
    assert "|seed:4|v:" in run.signature


def test_another_run_is_never_overwritten(run, tiny):
    before = run.file("config.json").read_text()
    with pytest.raises(RunError, match="holds a run.*--force"):
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
    run.folder.reserve("figures/sequence-2.png").write_bytes(b"Software\0memnets")
    create_run(run.path, TASK, tiny, TrainingConfig(), force=True)
    assert not list(run.path.glob("figures/*"))


def test_out_that_is_a_file_is_refused(tmp_path, tiny):
    (tmp_path / "run").write_text("")
    with pytest.raises(RunError, match="must be a directory"):
        create_run(tmp_path / "run", TASK, tiny, TrainingConfig())


def test_a_missing_run_is_named(tmp_path):
    with pytest.raises(RunError, match="holds no run"):
        open_run(tmp_path / "nothing")


def test_a_file_in_place_of_a_run_is_named(run, tmp_path):
    file = tmp_path / "swap.py"
    file.write_text("")
    with pytest.raises(RunError, match="is a file: give the directory of a run\\.$"):
        open_run(file)
    with pytest.raises(RunError, match=f"Did you mean `{re.escape(str(run.path))}`"):
        open_run(run.file("config.json"))


def test_an_unknown_task_of_a_run_is_named_without_all_others(run):
    change(run, lambda config: config["task"].update(name="kopy"))
    with pytest.raises(RunError) as error:
        open_run(run.path)
    text = str(error.value)
    assert text.startswith("Give the file that registers the task 'kopy', as memnets")
    assert text.endswith("is not known here. Did you mean copy?")
    assert "bucket-sort" not in text and str(run.file("config.json")) in text


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
            "Give the file that registers the task 'juggling', as memnets --import "
            "FILE, or call tasks.register_task in Python: `",
        ),
        (
            lambda c: c["task"].update(num_bits=-1),
            "`num_bits` must be a positive integer",
        ),
        (lambda c: c["task"].update(color="red"), "color"),
        (
            lambda c: c["model"].update(name="gpt"),
            "Give the file that registers the model 'gpt', as",
        ),
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
    (tmp_path / ".lock").touch()
    half = unfinished_by(2**22 - 1, tmp_path / "config.json")
    (tmp_path / "config.json").unlink()
    half.write_text("half")
    assert create_run(tmp_path, TASK, tiny, TrainingConfig())


@pytest.mark.parametrize(
    ("change", "named"),
    [
        ({"training": TrainingConfig(seed=5)}, "give --seed 4 again"),
        ({"task": tasks.Copy(3, 1, 3)}, "give --num-bits 2 again"),
        ({"model": NTMLSTM()}, "the model must be ntm-feedforward"),
    ],
)
def test_only_a_run_of_the_same_parameters_is_resumed(run, change, named):
    parts = {"task": TASK, "model": run.model, "training": run.training}
    assert resume_run(run.path, **parts) == run
    with pytest.raises(RunError, match=named):
        resume_run(run.path, **(parts | change))


def test_all_settings_that_differ_are_named_as_what_to_type(tmp_path):
    model = get_model("ntm-feedforward", gate_bias=(-4.0, 2.0), num_read_heads=2)
    create_run(tmp_path, tasks.Copy(4, 1, 12), model, TrainingConfig())
    other = dataclasses.replace(model, gate_bias=1.0)
    training = TrainingConfig(jit_compile=False, rollback=False, clip_value=2.0)
    with pytest.raises(RunError) as raised:
        resume_run(tmp_path, tasks.Copy(), other, training)
    assert str(raised.value) == (
        f"`{tmp_path}` holds a run of other settings: to resume it, give "
        "--num-bits 4 --max-length 12 --gate-bias -4.0/2.0 --rollback "
        "neither --jit-compile nor --no-jit-compile --clip-value none again, or the "
        "same values in Python."
    )


def test_a_run_goes_on_that_was_begun_before_a_parameter_was_there(tmp_path):
    task, model = tasks.Stories(), get_model("dnc-lstm", links=False)
    run = create_run(tmp_path, task, model, TrainingConfig())

    def forget(config):
        del config["task"]["read_by"], config["model"]["masks"]

    change(run, forget)
    assert resume_run(tmp_path, task, model, TrainingConfig()) == run
    other = dataclasses.replace(model, masks=True)
    with pytest.raises(RunError, match="give --no-masks again"):
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
    with pytest.raises(RunError, match="give .*--continue-rate 0.0 "):
        resume_run(tmp_path, task, model, TrainingConfig())


# What a run may replace and remove.


@pytest.mark.parametrize("force", [False, True])
def test_a_folder_that_looks_like_a_run_is_not_one(tmp_path, tiny, force):
    """Other programs have files of these names: Hugging Face, `CSVLogger`, Keras."""
    theirs = tmp_path / "theirs"
    for name, content in (
        ("config.json", '{"model_type": "bert", "format": 4}'),
        ("history.csv", "epoch,loss\n0,1.5\n"),
        ("model.keras", "weights"),
        ("checkpoints/best.weights.h5", "weights"),
        ("figures/paper.png", "a picture"),
    ):
        (theirs / name).parent.mkdir(parents=True, exist_ok=True)
        (theirs / name).write_text(content)
    before = contents_of(tmp_path)
    with pytest.raises(RunError, match="holds other files. Choose another.$"):
        tasks.train(TASK, tiny, out=theirs, sequences=16, force=force, progress=False)
    assert contents_of(tmp_path) == before


def test_force_removes_only_what_the_run_has_written(trained_copy, tiny):
    for name in ("thesis.txt", "checkpoints/best.weights.h5", "figures/paper.png"):
        trained_copy.file(name).parent.mkdir(exist_ok=True)
        trained_copy.file(name).write_text("mine")
    create_run(trained_copy.path, TASK, tiny, TrainingConfig(seed=5), force=True)
    left = [path for path in trained_copy.path.rglob("*") if path.is_file()]
    assert {path.name for path in left} - {".lock"} == {
        *("thesis.txt", "best.weights.h5", "paper.png", "config.json", ".memnets")
    }


def test_a_file_that_the_run_has_not_written_is_not_replaced(trained_copy):
    trained_copy.file("report.html").write_text("mine")
    with pytest.raises(RunError, match=r"report.html` is in the way: memnets did not"):
        write_report(trained_copy)
    assert trained_copy.file("report.html").read_text() == "mine"


def test_links_to_other_disks_are_followed(tmp_path, tiny):
    """A new run, resumed, drawn, and replaced by another one."""
    path = tmp_path / "run"
    path.mkdir()
    disks = [tmp_path / name for name in ("checkpoints", "figures")]
    for disk in disks:
        disk.mkdir()
        (path / disk.name).symlink_to(disk)
    options = {"sequences": 32, "save_seconds": 0, "progress": False}
    run = tasks.train(TASK, tiny, out=path, **options).run
    write_report(run)
    for disk in disks:
        assert names_in(disk)
        (disk / "mine.png").write_text("mine")
    tasks.train(TASK, tiny, out=path, **options, resume=True)
    tasks.train(TASK, tiny, out=path, **options, force=True, seed=2, evaluate=False)
    last = checkpoint.load_last(path / "checkpoints")
    assert last.run["training.seed"] == 2
    for disk in disks:
        assert (path / disk.name).is_symlink()
        # No checkpoint and no picture of the earlier run is left.
        kept = {path.name for path in checkpoint.files_of(disk)}
        assert names_in(disk) == sorted({"mine.png", *kept})
    assert checkpoint.files_of(disks[0])


# Of two batches.
SHORT = {"sequences": 32, "progress": False, "evaluate": False}


@pytest.fixture(scope="module")
def finished(tmp_path_factory):
    return tasks.train(TASK, TINY, out=tmp_path_factory.mktemp("short"), **SHORT).run


@pytest.fixture
def short(finished, tmp_path):
    """A copy of a finished run, to change."""
    return open_run(shutil.copytree(finished.path, tmp_path / "short"))


def test_checkpoints_of_another_run_behind_a_link_are_refused(tmp_path, short):
    (tmp_path / "second").mkdir()
    (tmp_path / "second/checkpoints").symlink_to(short.checkpoints)
    before = contents_of(short.path)
    for further in ({}, {"force": True}, {"resume": True}):
        with pytest.raises(RunError, match="directory"):
            out = tmp_path / "second"
            tasks.train(TASK, TINY, out=out, seed=2, **SHORT, **further)
    assert contents_of(short.path) == before


@pytest.mark.parametrize(
    ("other", "named"),
    [
        ({"seed": 2}, "training.seed=2. This run has training.seed=1"),
        ({"learning_rate": 0.5}, "training.learning_rate=0.5. This run has"),
        ({"batch_size": 4}, "training.batch_size=4. This run has"),
    ],
)
def test_a_checkpoint_of_another_run_is_refused_by_name(tmp_path, short, other, named):
    options = SHORT | other
    theirs = tasks.train(TASK, TINY, out=tmp_path / "theirs", **options).run
    (last,) = checkpoint.files_of(theirs.checkpoints)
    shutil.copy(last, short.checkpoints / "000099.checkpoint")
    with pytest.raises(RunError, match=f"000099.checkpoint` is a .*{named}"):
        tasks.train(TASK, TINY, out=short.path, resume=True, **SHORT)


def test_a_checkpoint_of_an_earlier_version_is_used_with_a_note(short):
    (path,) = checkpoint.files_of(short.checkpoints)
    path.write_bytes(checkpoint.packed(checkpoint.load(path)._replace(run=None)))
    with pytest.warns(UserWarning, match="does not say of which run: it is taken for"):
        tasks.train(TASK, TINY, out=short.path, resume=True, **SHORT)


def test_a_run_of_an_earlier_version_is_recognised_by_its_files(trained_copy, tiny):
    """It has no listing. A picture is its own if the report shows it."""
    write_report(trained_copy)
    trained_copy.file(MARK).unlink()
    (trained_copy.path / "figures" / "learning-2.png").write_bytes(b"mine")
    trained_copy.file("thesis.txt").write_text("mine")
    create_run(trained_copy.path, TASK, tiny, TrainingConfig(seed=5), force=True)
    left = [path for path in trained_copy.path.rglob("*") if path.is_file()]
    assert {path.name for path in left} - {".lock"} == {
        *("thesis.txt", "learning-2.png", "config.json", ".memnets")
    }


def test_the_listing_of_a_stranger_reaches_no_file_outside(trained_copy, tiny):
    outside = trained_copy.path.parent / "mine"
    outside.write_text("mine")
    with trained_copy.file(MARK).open("a") as mark:
        mark.write(f"+ ../mine\n+ {outside}\n+ figures/../../mine\n")
    create_run(trained_copy.path, TASK, tiny, TrainingConfig(seed=5), force=True)
    assert outside.read_text() == "mine"


@pytest.fixture
def book(tmp_path):
    """A text, and what trains on it for a moment."""
    path = tmp_path / "book.txt"
    path.write_text("abcd" * 300)

    def train(data=path, **options):
        task = tasks.get_task("language-model", data=data, window=8, context=1)
        model = get_model("lstm", num_layers=1, layer_size=4)
        quiet = {"sequences": 16, "progress": False, "evaluate": False}
        return tasks.train(task, model, **{"out": tmp_path / "run", **quiet, **options})

    train.path = path
    return train


def test_what_a_run_reads_is_not_removed(book):
    """A text in the directory of the run that is replaced, under a name of its own."""
    run = book().run
    shutil.copy(book.path, run.file("history.csv"))
    before = contents_of(run.path)
    with pytest.raises(RunError, match="must not be or replace what is read"):
        book(run.file("history.csv"), force=True)
    assert contents_of(run.path) == before


def test_a_run_goes_on_when_its_text_has_moved(book, tmp_path):
    before = book().run
    (tmp_path / "elsewhere").mkdir()
    moved = book.path.rename(tmp_path / "elsewhere" / "moved.txt")
    assert book(moved, resume=True).run.path == before.path


def test_a_run_whose_text_has_changed_says_so(book):
    book()
    book.path.write_text("abdc" * 300)
    with pytest.raises(RunError, match="book.txt` has changed since the run in"):
        book(resume=True)


def test_a_longer_budget_is_resumed_with_a_note(book):
    epochs = {"epoch_steps": 1, "batch_size": 16}
    assert len(book(sequences=32, **epochs).history) == 2
    with pytest.warns(UserWarning, match="a budget of 32 sequences, now 48: it cont"):
        longer = book(sequences=48, **epochs, resume=True)
    assert [row["sequences"] for row in longer.history] == [16, 32, 48]
    assert open_run(longer.run.path).training.sequences == 48
    with pytest.raises(RunError, match="give --sequences 48 again"):
        book(sequences=32, **epochs, resume=True)


def unfinished_by(process, path):
    """The temporary file of another process that writes a file."""
    with atomic_write(path) as unfinished:
        unfinished.write_bytes(path.read_bytes() if path.exists() else b"")
    named = unfinished.name.replace(f"-{os.getpid()}-", f"-{process}-")
    return path.with_name(named)


def test_what_stopped_processes_left_is_swept(tmp_path, tiny):
    options = {"sequences": 32, "progress": False}
    run = tasks.train(TASK, tiny, out=tmp_path, **options).run
    dead = 2**22 - 1
    for name in ("model.keras", "checkpoints/000001.checkpoint"):
        unfinished_by(dead, run.file(name)).write_bytes(b"half")
    mine = unfinished_by(os.getppid(), run.file("summary.json"))
    mine.write_text("somebody writes it now")
    notes = run.file(".plan.2025-2026.unfinished.txt")
    notes.write_text("mine")
    tasks.train(TASK, tiny, out=tmp_path, resume=True, **options)
    left = [path for path in tmp_path.rglob("*") if "unfinished" in path.name]
    assert sorted(left) == sorted([mine, notes])


def test_a_command_removes_temporary_folders_of_killed_ones(
    tmp_path, trained_copy, monkeypatch
):
    """Also a command that needs none itself, such as the drawing of a report."""
    temporary = tmp_path / "temporary"
    temporary.mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(temporary))
    with temporary_folder() as mine:
        dead = mine.name.replace(f"-{os.getpid()}-", f"-{2**22 - 1}-")
        (temporary / dead / "inside").mkdir(parents=True)
        (temporary / "memnets-of-somebody").mkdir()
        write_report(trained_copy)
        assert sorted(one.name for one in temporary.iterdir()) == sorted(
            [mine.name, "memnets-of-somebody"]
        )


def test_the_same_run_has_the_same_bytes(tmp_path):
    """Also where a layer has a random generator that nothing draws from."""
    model = get_model("gru")
    options = {"sequences": 32, "progress": False, "save_seconds": 0}
    runs = []
    for name in "ab":
        keras.utils.clear_session()  # layers have the names that a new process gives
        runs.append(tasks.train(TASK, model, out=tmp_path / name, **options).run)
    first, second = ((run.file("model.keras")).read_bytes() for run in runs)
    assert first == second
    states = [
        [np.asarray(value.numpy()) for value in run.load_model().variables]
        for run in runs
    ]
    for one, other in zip(*states, strict=True):
        np.testing.assert_array_equal(one, other)
