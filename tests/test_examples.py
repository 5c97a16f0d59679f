"""The examples run, and the tasks among them by the same commands as our own."""

import json
import os
import pathlib
import runpy
import subprocess
import sys
import warnings

import pytest
from click.testing import CliRunner

from tasks.cli.main import main

EXAMPLES = pathlib.Path(__file__).parent.parent / "examples"
pytestmark = pytest.mark.usefixtures("registries", "without_graphs")

# Each script with arguments for a size that tests can afford, and its longest length.
SCRIPTS = [
    ("plain_keras.py", ["--examples", "160"], 60),
    ("own_task.py", ["--sequences", "160"], 60),
    ("own_data.py", ["--sequences", "160"], 60),
    ("streaming.py", ["--length", "5"], 60),
    ("paired_test.py", ["--resamples", "50"], 60),
    ("text_callback.py", ["--examples", "64"], 60),
    ("pytorch.py", ["--steps", "2"], 60),
    ("hard_addressing.py", ["--longest", "1", "--steps", "2"], 160),
    ("first_symbol.py", None, 80),
    ("adding.py", None, 80),
]
# Tasks of other kinds: a small size, a measure, a model and its small size.
NTM = "ntm-lstm", {"memory-size": 8, "controller-size": 8}
LSTM = "lstm", {"num-layers": 1, "layer-size": 8}
TASKS = [
    ("first_symbol.py", "first-symbol", ["--length", "4"], "accuracy", NTM),
    ("adding.py", "my-adding", ["--length", "6"], "absolute_error", LSTM),
]
SHORT = ["--no-jit-compile", "--batch-size", "4"]


def test_every_example_is_in_the_table():
    found = {path.name for path in EXAMPLES.glob("*")} - {"__pycache__"}
    assert {name for name, *_ in SCRIPTS} == found


@pytest.mark.parametrize("name, arguments, most", SCRIPTS)
def test_examples_are_short(name, arguments, most):
    assert len((EXAMPLES / name).read_text(encoding="utf-8").splitlines()) < most


@pytest.mark.once
@pytest.mark.slow
@pytest.mark.parametrize(
    "name, arguments", [(name, given) for name, given, _ in SCRIPTS if given]
)
def test_example_runs(name, arguments, tmp_path, monkeypatch, capsys, without_xla):
    monkeypatch.chdir(tmp_path)
    if name == "pytorch.py":
        return run_apart(name, *arguments)
    monkeypatch.setattr(sys, "argv", [name, *arguments])
    runpy.run_path(str(EXAMPLES / name), run_name="__main__")
    assert capsys.readouterr().out


def run_apart(name, *arguments):
    """Runs an example on another backend, in a process of its own."""
    pytest.importorskip("torch")
    path = os.pathsep.join([str(EXAMPLES.parent), os.environ.get("PYTHONPATH", "")])
    done = subprocess.run(
        [sys.executable, str(EXAMPLES / name), *arguments],
        env={**os.environ, "PYTHONPATH": path},
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stderr
    assert done.stdout


@pytest.mark.once
@pytest.mark.slow
@pytest.mark.parametrize("file, name, size, measure, model", TASKS)
def test_task_from_outside_goes_through_the_commands_of_a_run(
    file, name, size, measure, model, tmp_path, monkeypatch
):
    monkeypatch.chdir(tmp_path)

    def run(*words):
        words = ["--import", str(EXAMPLES / file), *map(str, words)]
        result = CliRunner().invoke(main, words)
        assert result.exit_code == 0, result.output + str(result.exception)
        return result.stdout

    assert name in run("list")
    assert run("show", name, *size)
    model, sizes = model
    small = [word for key, value in sizes.items() for word in (f"--{key}", value)]
    train = ["train", name, "--model", model, *small, *SHORT, *size]
    train += ["--out", "run", "--json"]
    with monkeypatch.context() as patch:
        # Drawn once, at the end.
        write = "tasks.report.report.write_report"
        patch.setattr(write, lambda run, **given: (run.file("report.html"), None))
        first = json.loads(run(*train, "--sequences", 8))
        assert measure in first["evaluation"][0]["values"]
        # Resuming a run that has ended changes nothing.
        again = json.loads(run(*train, "--sequences", 8, "--resume"))
        assert again["evaluation"] == first["evaluation"]
        with warnings.catch_warnings():
            warnings.filterwarnings("ignore", message=".* differs from a run that had")
            more = json.loads(run(*train, "--sequences", 16, "--resume"))
    assert (first["sequences"], more["sequences"]) == (8, 16)
    assert run("evaluate", "run", "--sequences", 10)
    run("report", "run")
    assert pathlib.Path("run/report.html").exists()


def test_exact_answers_of_the_examples():
    namespace = runpy.run_path(str(EXAMPLES / "adding.py"))
    batch = namespace["Adding"](length=20).sample(50, rng=1)
    numbers, marks = batch.inputs[..., 0], batch.inputs[..., 1]
    assert ((marks == 1).sum(axis=1) == 2).all()
    marked = numbers[marks == 1].reshape(50, 2)
    assert abs(batch.targets[:, 0] - (0.5 + marked.sum(axis=1) / 4)).max() < 1e-6

    namespace = runpy.run_path(str(EXAMPLES / "first_symbol.py"))
    batch = namespace["FirstSymbol"](length=5).sample(50, rng=1)
    assert (batch.inputs[:, 0].argmax(axis=-1) == batch.targets).all()
