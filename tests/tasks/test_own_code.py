"""A user's own task and model, from a file outside the package, in the commands."""

import io
import json
import pathlib
import sys
from concurrent.futures import Executor

import pytest
from click.testing import CliRunner

import tasks
from tasks.cli.main import main
from tasks.comparison import worker
from tasks.own_code import OwnCodeError, folders_of, import_code
from tasks.registry import MODELS, TASKS
from tasks.searching.command_text import command_of

pytestmark = pytest.mark.usefixtures("undrawn")

OWN = '''
import dataclasses

import keras
import numpy as np

import tasks
from own_columns import ACCURACY


class Few(tasks.Evaluation):
    eval_sequences = 20


@tasks.register_task
@dataclasses.dataclass(frozen=True)
class Majority(tasks.Task):
    """Whether most numbers of a sequence are above zero.

    Args:
        num_steps: Numbers in a sequence.
        noise: Standard deviation of what is added to them.
    """

    num_steps: int = 5
    noise: float = 0.0

    name = "majority"
    every_step = False
    evaluation = tasks.Beside(Few)
    input_size = 1
    output_size = 2
    success = tasks.Success("accuracy", above=2.0)  # never
    columns = {"accuracy": ACCURACY}

    def sample(self, batch_size, rng=None):
        rng = np.random.default_rng(rng)
        inputs = rng.normal(size=(batch_size, self.num_steps, 1)).astype("float32")
        targets = ((inputs > 0).sum(axis=(1, 2)) * 2 > self.num_steps).astype(int)
        return tasks.Batch(inputs, targets, np.ones(batch_size, "float32"))

    def loss(self):
        return keras.losses.SparseCategoricalCrossentropy(from_logits=True)

    def measures(self):
        return [keras.metrics.SparseCategoricalAccuracy("accuracy")]

    def predict(self, outputs):
        return outputs.argmax(axis=-1)

    def errors(self, batch, outputs):
        return {"accuracy": self.predict(outputs) == batch.targets}


@tasks.register_model
def small_gru(task):
    """A small GRU."""
    inputs = task.inputs()
    outputs = keras.layers.Dense(task.output_size)(keras.layers.GRU(4)(inputs))
    return keras.Model(inputs, outputs, name="small_gru")
'''
COLUMNS = """
import tasks

ACCURACY = tasks.Column("accuracy", ".0%", higher_is_better=True)
"""
TRAIN = ["train", "majority", "--model", "small-gru", "--num-steps", "3"]
TRAIN += ["--sequences", "64", "--batch-size", "8", "--no-jit-compile"]


@pytest.fixture(autouse=True)
def _registries():
    """What a test registers or imports is forgotten after it."""
    known = dict(TASKS), dict(MODELS)
    yield
    for registry, before in zip((TASKS, MODELS), known, strict=True):
        registry.clear()
        registry.update(before)
    for name in ("own", "own_columns", "first", "second"):
        sys.modules.pop(name, None)


@pytest.fixture
def own(tmp_path):
    """Path of the user's file, with a module beside it that it imports."""
    folder = tmp_path / "code"
    folder.mkdir()
    (folder / "own.py").write_text(OWN)
    (folder / "own_columns.py").write_text(COLUMNS)
    return folder / "own.py"


def run(*args, **kwargs):
    return CliRunner().invoke(main, [str(arg) for arg in args], **kwargs)


def test_own_task_and_model_go_through_every_command(own, tmp_path):
    out = tmp_path / "run"
    result = run("--import", own, *TRAIN, "--out", out, "--json")
    assert result.exit_code == 0, result.output
    printed = json.loads(result.stdout)
    assert printed["signature"].startswith("majority|num_steps:3|noise:0.0|")
    assert [entry["size"] for entry in printed["evaluation"]] == ["all"]
    assert (out / "report.html").exists()

    opened = tasks.open_run(out)
    assert (opened.task.name, opened.task.num_steps) == ("majority", 3)
    assert opened.model.label == "small-gru"

    result = run("evaluate", out, "--num-steps", 9, "--sequences", 4, env=_env(own))
    assert result.exit_code == 0, result.output
    assert result.stdout.split()[:3] == ["size", "accuracy", "sequences"]
    assert run("--import", own, "report", out).exit_code == 0
    resumed = run("--import", own, *TRAIN, "--out", out, "--resume", "--json")
    assert json.loads(resumed.stdout) == printed


def test_own_task_and_model_are_compared(own, tmp_path):
    """In a process, which imports them too."""
    args = ["compare", "majority", "--models", "small-gru"]
    args += ["--num-steps", 3, "--sequences", 16, "--batch-size", 8]
    args += ["--no-jit-compile", "--json"]
    result = run("--import", own, *args, "--out", tmp_path / "compared")
    assert result.exit_code == 0, result.output
    printed = json.loads(result.stdout)
    assert not printed["failures"]
    (row,) = printed["table"]
    assert row["model"] == "small-gru"
    assert list(row)[:3] == ["model", "solved", "accuracy at all"]
    assert row["accuracy at all"].endswith("%")
    assert (tmp_path / "compared" / "small-gru-1" / "report.html").exists()


def test_a_module_of_a_package_is_imported_in_the_process_of_a_run(
    own, tmp_path, monkeypatch
):
    package = tmp_path / "own_package"
    own.parent.rename(package)
    (package / "own.py").write_text(OWN.replace("own_columns", ".own_columns"))

    def forget():
        for name in [name for name in sys.modules if name.startswith("own_package")]:
            del sys.modules[name]

    class Asked(Executor):
        def submit(self, function, asked):
            raise KeyboardInterrupt(asked)

    with monkeypatch.context() as here:
        here.syspath_prepend(tmp_path)
        with pytest.raises(KeyboardInterrupt) as stopped:
            tasks.compare(
                import_code("own_package.own").Majority(3),
                ["lstm"],
                out=tmp_path / "compared",
                imports=["own_package.own"],
                executor=Asked(),
            )
    (asked,) = stopped.value.args
    forget()
    # What another process does, which does not have the folder on its path.
    TASKS.pop("majority")
    monkeypatch.setattr(sys, "path", list(sys.path))
    monkeypatch.setattr("tasks.training.training.train", lambda task, *a, **k: 1 / 0)
    with pytest.raises(ZeroDivisionError):
        worker.train_job({**asked, "wait": 0}, io.StringIO())
    forget()
    command = command_of(
        TASKS["majority"](3),
        tasks.get_model("lstm"),
        tasks.TrainingConfig(),
        asked["imports"],
    )
    assert command.startswith("memnets --import own_package.own train majority")


def test_folders_are_those_that_hold_a_package_or_a_module():
    import click.testing

    folder = str(pathlib.Path(click.__file__).parent.parent)
    assert folders_of(["click.testing", "click", "sys", "a/file.py"]) == [folder]


def _env(path):
    return {"MEMNETS_IMPORT": str(path)}


def test_the_commands_know_what_was_imported(own):
    listed = json.loads(run("--import", own, "list", "--json").stdout)
    assert listed["tasks"]["majority"].startswith("Whether most numbers")
    assert listed["models"]["small-gru"] == "A small GRU."
    shown = run("--import", own, "show", "majority", "--num-steps", 2)
    assert shown.exit_code == 0, shown.output
    helped = run("--import", own, "train", "majority", "--help").stdout
    assert "Task majority:" in helped
    assert "--num-steps INTEGER  Numbers in a sequence. [default: 5]" in helped


def test_a_file_is_run_once(own, tmp_path):
    counted = tmp_path / "own.py"
    counted.write_text("import sys\nsys.own_count = getattr(sys, 'own_count', 0) + 1\n")
    try:
        first, second = import_code(str(counted)), import_code(str(counted))
        assert first is second and sys.own_count == 1
    finally:
        del sys.own_count
    # Another file of the same name is another module.
    assert import_code(str(own)) is not first


def test_a_file_may_have_the_name_of_a_module(tmp_path):
    path = tmp_path / "json.py"
    path.write_text("VALUE = 1\n")
    assert import_code(str(path)).VALUE == 1
    assert sys.modules["json"] is json
    assert str(tmp_path) not in sys.path


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("import no_such_module", "ModuleNotFoundError: No module named"),
        ("1 / 0", "ZeroDivisionError: division by zero"),
        ("def", "SyntaxError: "),
        (None, "FileNotFoundError: there is no such file"),
    ],
)
def test_what_cannot_be_imported_is_one_line(text, message, tmp_path):
    path = tmp_path / "first.py"
    if text is not None:
        path.write_text(text)
    for _ in range(2):  # a failed import leaves nothing behind
        with pytest.raises(OwnCodeError, match=message):
            import_code(str(path))
    result = run("--import", path, "list")
    assert result.exit_code == 2
    assert result.stderr.startswith(f"Error: `{path}` cannot be imported: {message}")
    assert result.stderr.count("\n") == 1


def test_modules_are_imported_by_name():
    assert import_code("json") is json
    with pytest.raises(OwnCodeError, match="no_such_module"):
        import_code("no_such_module")


@pytest.mark.once
def test_a_task_that_lacks_a_method_is_named_in_one_line(tmp_path):
    (tmp_path / "first.py").write_text(
        "import dataclasses, tasks\n"
        "@tasks.register_task\n"
        "@dataclasses.dataclass(frozen=True)\n"
        "class Marked(tasks.RangedTask, tasks.BitTask):\n"
        "    min_length: int = 1\n"
        "    max_length: int = 3\n"
        "    name = 'marked'\n"
        "    input_size = output_size = 1\n"
        "    def sample(self, batch_size, rng=None): ...\n"
    )
    result = run("--import", tmp_path / "first.py", "train", "marked")
    assert (result.exit_code, result.stdout) == (2, "")
    (line,) = result.stderr.splitlines()
    assert line.startswith("Error: ") and "Marked, which lacks " in line
    lacking = line.partition("which lacks ")[2].partition(" (")[0].split(", ")
    assert "solve" in lacking and "sample" not in lacking


@pytest.mark.once
@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("np.zeros((2, 3)) + np.zeros((2, 4))", "operands could not be broadcast"),
        ("targets = np.zeros((2, 3, 1))", "a mask with an entry for each target, (2,"),
        ("inputs = np.zeros((2, 3, 2))", "a target for each step of the inputs"),
    ],
)
def test_what_fails_in_a_method_of_a_task_is_said_with_its_place(
    line, message, tmp_path
):
    path = tmp_path / "first.py"
    path.write_text(
        "import numpy as np\nimport tasks\n"
        "class Marked(tasks.Copy):\n"
        "    name = 'marked'\n"
        "    def sample(self, batch_size, rng=None):\n"
        "        inputs, targets, mask = super().sample(batch_size, rng)\n"
        f"        {line.replace('((2, ', '((batch_size, ')}\n"
        "        return tasks.Batch(inputs, targets, mask)\n"
        "tasks.register_task(Marked)\n"
    )
    size = ["--num-bits", "1", "--max-length", "2"]
    result = run("--import", path, "train", "marked", *size, "--sequences", "32")
    assert (result.exit_code, result.stdout) == (2, "")
    (last,) = (s for s in result.stderr.splitlines() if s.startswith("Error: "))
    assert message.replace("(2,", "(") in last
    is_of_numpy = "broadcast" in message
    assert last.endswith(f", in `sample` ({path}, line 7)") is is_of_numpy


@pytest.mark.once
@pytest.mark.parametrize("command", ["evaluate", "train", "score", "generate"])
@pytest.mark.parametrize("words", [["--import", "f.py"], ["--import=f.py"]])
def test_an_import_after_the_command_is_said_to_stand_before_it(command, words):
    result = run(command, *words, "copy")
    assert result.exit_code == 2
    expected = f"before the command: memnets --import FILE {command}\n"
    assert result.stderr.endswith(f"Error: `--import` stands {expected}")
