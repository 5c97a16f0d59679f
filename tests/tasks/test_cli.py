import json
import subprocess
import sys

import pytest
from click.testing import CliRunner

import memnets.native
from tasks.cli.main import main


def run(*args):
    return CliRunner().invoke(main, [str(arg) for arg in args])


@pytest.fixture
def finished(trained):
    """Path of a finished run."""
    return trained.run.path


def test_list_names_tasks_and_models():
    result = run("list")
    assert result.exit_code == 0
    for name in ("copy", "priority-sort", "ntm-lstm", "ntm-feedforward", "lstm"):
        assert f"  {name} " in result.stdout


def test_list_prints_json():
    assert set(json.loads(run("list", "--json").stdout)["tasks"]) == {
        "associative-recall",
        "copy",
        "dynamic-ngrams",
        "priority-sort",
        "repeat-copy",
    }


@pytest.mark.parametrize("args", [["--help"], ["list"], ["train", "--help"]])
def test_light_commands_do_not_import_keras(args):
    code = (
        "import sys\n"
        "from tasks.cli.main import main\n"
        f"try: main({args})\n"
        "except SystemExit as stop: assert not stop.code\n"
        "heavy = {'keras', 'tensorflow', 'jax', 'matplotlib'} & set(sys.modules)\n"
        "assert not heavy, heavy\n"
    )
    subprocess.run([sys.executable, "-c", code], check=True, capture_output=True)


def test_show_draws_the_seeded_sequence():
    args = ["show", "copy", "--seed", 1, "--max-length", 4, "--num-bits", 2]
    result = run(*args)
    assert result.exit_code == 0
    assert result.stdout.startswith("sequence 0\n   input  0 ")
    assert result.stdout == run(*args).stdout


def test_show_prints_json():
    shown = json.loads(
        run("show", "copy", "--seed", 1, "--max-length", 2, "--json").stdout
    )
    assert shown["signature"] == "copy|bits:8|len:1-2"
    assert len(shown["inputs"][0]) == len(shown["mask"][0]) == 5


def test_evaluate_counts_at_the_lengths_given(finished):
    args = ["evaluate", finished, "--lengths", 2, 5, "--sequences", 3, "--json"]
    result = run(*args)
    assert result.exit_code == 0
    results = json.loads(result.stdout)["lengths"]
    assert [(r["length"], r["sequences"]) for r in results] == [(2, 3), (5, 3)]


def test_evaluate_takes_options_of_the_task(finished):
    result = run("evaluate", finished, "--min-length", 2, "--max-length", 2, "--json")
    lengths = [r["length"] for r in json.loads(result.stdout)["lengths"]]
    assert lengths == [2, 4, 8, 12]
    result = run("evaluate", finished, "--max-repeats", 2)
    assert result.exit_code == 2
    assert "`--max-repeats` is not an option of the task copy" in result.stderr


def test_lengths_may_stand_before_the_run(finished):
    result = run("evaluate", "--lengths", 2, 4, "--sequences", 3, finished)
    assert result.exit_code == 0
    assert [line.split()[0] for line in result.stdout.splitlines()[1:]] == ["2", "4"]


def test_report_draws_pictures_and_ends_with_its_path(finished):
    result = run("report", finished)
    assert result.exit_code == 0
    assert result.stdout.splitlines()[-1] == f"report: {finished / 'report.html'}"
    page = (finished / "report.html").read_text()
    pictures = sorted((finished / "figures").glob("*.png"))
    assert len(pictures) == page.count("data:image/png;base64,") == 5
    # Nothing is loaded from elsewhere.
    assert "http" not in page and "<script" not in page


def test_train_leaves_a_run_and_prints_json(tmp_path):
    args = ["train", "copy", "--model", "ntm-feedforward", "--num-bits", 2]
    args += ["--max-length", 2, "--memory-size", 8, "--word-size", 4]
    args += ["--controller-size", 8, "--sequences", 64, "--seed", 9, "--json"]
    result = run(*args, "--out", tmp_path / "run")
    assert result.exit_code == 0, result.output
    printed = json.loads(result.stdout)
    assert printed["sequences"] == 64
    assert "|seed:9|" in printed["signature"]
    assert (tmp_path / "run" / "report.html").exists()
    assert "64/64 sequences" in result.stderr
    ended = run(*args, "--out", tmp_path / "run", "--resume")
    assert json.loads(ended.stdout) == printed  # the start-up seconds too
    again = run(*args, "--out", tmp_path / "run")
    assert again.exit_code == 2
    assert "--force" in again.stderr


def test_train_says_first_which_path_runs(tmp_path):
    # Said before the training, which is refused here: its folder is a file.
    path = tmp_path / "file" / "run"
    path.parent.write_text("")
    args = ["train", "copy", "--out", path]
    expected = memnets.native.status()
    result = run(*args)
    assert result.stderr.splitlines()[0] == f"Runs on: {expected}"
    try:
        result = run(*args, "--no-native")
    finally:
        memnets.native.set_enabled(True)
    assert result.stderr.splitlines()[0] == (
        "Runs on: portable path, without the compiled kernel: it is switched off"
    )


def test_the_baseline_sorts_and_is_drawn(tmp_path):
    args = ["train", "priority-sort", "--model", "lstm", "--num-layers", 1]
    args += ["--layer-size", 8, "--num-vectors", 3, "--num-outputs", 2]
    result = run(*args, "--sequences", 64, "--out", tmp_path / "run")
    assert result.exit_code == 0, result.output
    assert (tmp_path / "run" / "figures" / "sequence-3.png").exists()


@pytest.mark.parametrize("lengths", [["--lengths=2", 4], ["--lengths", 2, 4]])
def test_both_forms_of_lengths_are_read(finished, lengths):
    result = run("evaluate", *lengths, "--sequences", 3, finished, "--json")
    assert [r["length"] for r in json.loads(result.stdout)["lengths"]] == [2, 4]


def test_directories_that_cannot_be_made_are_named(tmp_path):
    (tmp_path / "file").write_text("")
    result = run("train", "copy", "--max-length", 1, "--out", tmp_path / "file" / "run")
    assert result.exit_code == 2
    assert "Not a directory" in result.stderr


@pytest.mark.parametrize(
    ("args", "message"),
    [
        (
            ["train", "juggling"],
            "priority-sort, repeat-copy. Received: task='juggling'",
        ),
        (["train", "copy", "--model", "gpt"], "`model` must be one of lstm"),
        (["train", "copy", "--num-vectors", 3], "`--num-vectors` is not an option of"),
        (["train", "copy", "--num-layers", 3], "`--num-layers` is not an option of"),
        (["train", "copy", "--max-length", 0], "`max_length` must be an integer"),
        (
            ["train", "copy", "--memory-size", 2],
            "`2 * shift_range + 1` must be at most",
        ),
        (["train", "copy", "--sequences", "many"], "is not a valid integer"),
        (["show", "juggling"], "`task` must be one of"),
        (["evaluate", "nowhere"], "`nowhere` holds no run"),
        (["report", "nowhere"], "`nowhere` holds no run"),
        (["juggle"], "No such command"),
    ],
)
def test_bad_input_exits_with_2_and_one_clear_line(
    args, message, tmp_path, monkeypatch
):
    monkeypatch.chdir(tmp_path)
    result = run(*args)
    assert result.exit_code == 2
    assert message in result.stderr
    assert isinstance(result.exception, SystemExit)
    assert result.stderr.count("Error: ") == 1
    assert not list(tmp_path.iterdir())


def test_truncated_model_exits_with_2(finished, tmp_path):
    (tmp_path / "config.json").write_text((finished / "config.json").read_text())
    (tmp_path / "model.keras").write_bytes(b"PK")
    result = run("evaluate", tmp_path)
    assert result.exit_code == 2
    assert "model.keras` is not a Keras model: no zip file." in result.stderr


def test_diverged_training_exits_with_1(monkeypatch, tmp_path):
    from tasks.training import training

    def diverge(*args, **kwargs):
        raise training.TrainingDiverged("The loss became nan in epoch 3.")

    monkeypatch.setattr(training, "train", diverge)
    result = run("train", "copy", "--out", tmp_path / "run")
    assert result.exit_code == 1
    assert "The loss became nan in epoch 3. The last good model is in" in result.stderr
