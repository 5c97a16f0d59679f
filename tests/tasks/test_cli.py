import errno
import json
import os
import pathlib
import re
import subprocess
import sys

import pytest
from click.testing import CliRunner

import memnets.native
import tasks
from tasks.cli.list import _first_sentence
from tasks.cli.main import COMMANDS, main
from tasks.cli.options_from_fields import FieldOption
from tasks.contract.parameters import parameter_types
from tasks.registry import MODELS, TASKS
from tasks.runs import TrainingConfig

pytestmark = pytest.mark.usefixtures("undrawn")

ROOT = pathlib.Path(__file__).parent.parent.parent


def run(*args):
    return CliRunner().invoke(main, [str(arg) for arg in args])


@pytest.fixture
def finished(trained):
    """Path of a finished run."""
    return trained.run.path


# Runs the program, with a Ctrl-C when it begins to import the module that is named.
STOPPED = """
import signal, sys

class Stopping:
    def find_spec(self, name, path, target=None):
        if name == stop:
            signal.raise_signal(signal.SIGINT)

from tasks.cli import run
_, stop, *sys.argv[1:] = sys.argv
sys.meta_path.insert(0, Stopping())
run()
"""


@pytest.mark.slow
@pytest.mark.parametrize(
    "module, args",
    [
        ("click", ["list"]),
        ("tasks.registry", ["train", "copy"]),
        ("keras", ["train", "copy"]),
        ("keras.src.backend", ["train", "copy"]),
        ("metrics.bleu", ["score", "text", "text"]),
    ],
)
def test_ctrl_c_is_one_line_at_any_moment(module, args, tmp_path):
    (tmp_path / "text").write_text("a b c d\n")
    command = [sys.executable, "-c", STOPPED, module, *args]
    environment = {**os.environ, "PYTHONPATH": str(ROOT), "KERAS_BACKEND": "jax"}
    arguments = {"cwd": tmp_path, "env": environment, "text": True}
    done = subprocess.run(command, capture_output=True, **arguments)
    assert (done.returncode, done.stdout) == (130, "")
    assert done.stderr == "Interrupted.\n"


def test_a_program_in_the_background_is_not_stopped_by_ctrl_c(tmp_path):
    code = f"import signal; signal.signal(signal.SIGINT, signal.SIG_IGN)\n{STOPPED}"
    command = [sys.executable, "-c", code, "click", "list"]
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    done = subprocess.run(command, capture_output=True, cwd=tmp_path, env=environment)
    assert done.returncode == 0 and b"ntm-lstm" in done.stdout


def test_list_names_tasks_and_models():
    result = run("list")
    assert result.exit_code == 0
    for name in ("copy", "priority-sort", "ntm-lstm", "ntm-feedforward", "lstm"):
        assert f"  {name} " in result.stdout


def test_list_says_which_recipes_solve_a_task():
    words = " ".join(run("list").stdout.split())
    assert "(ntm-lstm) Solved by ntm-feedforward, ntm-lstm, dnc-feedforward. " in words
    # Of transduce-addition, before the next task.
    assert "(stack) Not solved in kept runs. even-pairs " in words
    assert "(lstm) toy-translation " in words  # there is no bound for a language model
    solved = json.loads(run("list", "--json").stdout)["solved_by"]
    assert "ntm-lstm" in solved["copy"] and solved["language-model"] == []


@pytest.mark.parametrize(
    ("text", "first"),
    [
        ("The first, third, fifth ... of them out. More.", "The first, third, fifth"),
        ("See `memnets.NTM` of Graves et al. in words. `N` is.", "See `memnets.NTM`"),
        ("One line.", "One line"),
    ],
)
def test_the_first_sentence_ends_at_a_full_stop(text, first):
    def entry():
        pass

    entry.__doc__ = f"{text}\n\nAnother."
    found = _first_sentence(entry)
    assert found.startswith(first) and text.startswith(found)
    assert found.endswith((" out.", " words.", "One line."))


def test_list_prints_json():
    listed = json.loads(run("list", "--json").stdout)
    assert set(listed["tasks"]) == set(tasks.TASKS) >= {"copy", "temporal-order"}
    assert set(listed["models"]) == set(tasks.MODELS) >= {"ntm-lstm", "gru"}
    for kind in ("tasks", "models"):
        descriptions = listed[kind]
        assert all(re.fullmatch(r"[A-Z`].*\.", text) for text in descriptions.values())


@pytest.mark.parametrize(
    "args",
    [["--help"], ["list"], ["train", "--help"], ["train", "copy", "--help"]],
    ids=" ".join,
)
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


def test_the_list_of_commands_imports_none_of_them():
    code = (
        "import sys\n"
        "from tasks.cli.main import main\n"
        "try: main(['--help'])\n"
        "except SystemExit as stop: assert not stop.code\n"
        "slow = {'numpy', 'tasks.registry', 'tasks.cli.train'} & set(sys.modules)\n"
        "assert not slow, slow\n"
    )
    subprocess.run([sys.executable, "-c", code], check=True, capture_output=True)


@pytest.mark.parametrize("name", COMMANDS)
def test_the_list_of_commands_says_what_their_help_says(name):
    command = main.commands[name]
    assert command.name == name
    assert COMMANDS[name] == command.get_short_help_str(200)


@pytest.mark.parametrize("args", [["--version"], ["list", "--help"], ["no-command"]])
def test_python_m_memnets_is_the_program(args, tmp_path):
    program = pathlib.Path(sys.executable).with_name("memnets")
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    by_module, by_name = (
        subprocess.run(
            [*command, *args], capture_output=True, cwd=tmp_path, env=environment
        )
        for command in ([sys.executable, "-m", "memnets"], [program])
    )
    assert by_module.returncode == by_name.returncode
    named = by_name.stdout + by_name.stderr
    assert b"memnets" in named
    # As other programs of Python, it is named as it was called.
    assert (by_module.stdout + by_module.stderr).replace(b"python -m ", b"") == named


@pytest.mark.slow
@pytest.mark.parametrize("backend", ["jax", "torch"])
def test_a_training_imports_no_other_backend(backend, tmp_path):
    pytest.importorskip(backend)
    command = ["train", "copy", "--model", "ntm-feedforward", "--controller-size", "8"]
    command += ["--memory-size", "8", "--word-size", "4", "--max-length", "1"]
    command += ["--sequences", "16", "--out", str(tmp_path / "run")]
    code = (
        "import sys\n"
        "from tasks.cli.main import main\n"
        f"main({command}, standalone_mode=False)\n"
        "backends = {'tensorflow', 'jax', 'torch'} & set(sys.modules)\n"
        f"assert backends == {{{backend!r}}}, backends\n"
    )
    if backend == "jax":  # TensorFlow is there afterwards.
        code += "import keras\nkeras.layers.StringLookup(vocabulary=['a'])\n"
    environment = {**os.environ, "KERAS_BACKEND": backend}
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, env=environment, text=True
    )
    assert done.returncode == 0, done.stderr[-2000:]


def test_a_backend_that_is_not_installed_is_named_with_its_extra():
    code = (
        "import sys\n"
        "sys.modules['torch'] = None\n"
        "from tasks.cli.main import main\n"
        "main(['train', 'copy', '--out', 'none'])\n"
    )
    environment = {**os.environ, "KERAS_BACKEND": "torch"}
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, env=environment, text=True
    )
    assert done.returncode == 2
    assert done.stderr.strip().endswith(
        "The backend torch is not installed: pip install 'memnets[torch]'. "
        "Received: KERAS_BACKEND=torch"
    )


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
    assert shown["signature"] == "copy|bits:8|len:1-2|blank:0.05"
    assert len(shown["inputs"][0]) == len(shown["mask"][0]) == 5


def helped(*args):
    """The help of a command: its headings, and by option its text in one line."""
    result = run(*args, "--help")
    assert result.exit_code == 0, result.output
    headings = re.findall(r"^(\w.*):$", result.stdout, re.M)
    entries = re.split(r"\n  (?=-)", result.stdout)[1:]
    texts = {}
    for entry in entries:
        words = entry.split("\n\n")[0].split()
        name = next(word for word in words if word.startswith("--"))
        texts[name] = " ".join(words).replace("- ", "-")  # a name broken at its hyphen
    return headings, texts


def test_help_shows_the_options_of_the_task_and_the_model_with_their_values():
    headings, options = helped("train", "repeat-copy", "--model", "ntm-feedforward")
    expected = ["Training", "Task repeat-copy", "Model ntm-feedforward"]
    assert headings == ["Examples", "Options", *expected]
    assert options["--memory-size"].endswith("[default: 256]")  # the model's is 128
    assert options["--gate-bias"].endswith("[default: 2.0]")
    assert options["--sequences"].endswith("[default: 100000]")
    assert options["--batch-size"].endswith("[default: 8]")
    assert options["--curriculum"].endswith("[default: 0.5]")
    assert options["--continue-rate"].endswith("[default: 0.25]")
    assert "Width of the vectors." in options["--num-bits"]
    assert not {"--num-vectors", "--num-layers", "--cell-clip"} & options.keys()


def test_help_finds_the_task_among_other_arguments():
    _, options = helped("train", "--sequences", 9, "--model=lstm", "copy")
    assert options["--layer-size"].endswith("[default: 256]")
    assert "--max-length" in options and "--memory-size" not in options


@pytest.mark.parametrize(
    ("given", "rows"),
    [((), 128), (("--max-length", 10), 64), (("--max-length", 0), 128)],
)
def test_help_shows_the_values_for_the_sizes_that_were_given(given, rows):
    _, options = helped("train", "copy", "--model", "ntm-lstm", *given)
    assert options["--memory-size"].endswith(f"[default: {rows}]")


def test_help_without_a_task_says_how_to_see_the_rest():
    headings, options = helped("train")
    assert headings == ["Examples", "Options", "Training"]
    assert "--memory-size" not in options and "--num-bits" not in options
    assert "memnets train TASK --model MODEL --help" in run("train", "--help").stdout
    assert "memnets show TASK --help" in run("show", "--help").stdout


def test_help_of_evaluate_shows_the_task_of_the_run(finished):
    headings, options = helped("evaluate", finished)
    assert headings == ["Examples", "Options", "Task copy"]
    assert options["--max-length"].endswith("[default: 3]")
    assert helped("evaluate")[0] == ["Examples", "Options"]


def test_help_of_compare_names_values_that_differ_by_model():
    models = "ntm-lstm", "ntm-feedforward"
    _, options = helped("compare", "dynamic-ngrams", "--models", *models)
    values = "[default: 84000 for ntm-lstm, 52000 for ntm-feedforward]"
    assert options["--sequences"].endswith(values)
    assert "--seed" not in options and "--context" in options


def test_the_options_of_every_task_and_model_are_in_its_help():
    # Each task with one model and each model with one task: the options of one do not
    # hang on those of the other.
    pairs = [(task, "ntm-lstm") for task in TASKS] + [("copy", name) for name in MODELS]
    for task, model in pairs:
        _, options = helped("train", task, "--model", model)
        for cls in (TASKS[task], MODELS[model], TrainingConfig):
            for name in parameter_types(cls):
                flag = "--" + name.replace("_", "-")
                assert flag in options or f"{flag}/" in " ".join(options)


def test_help_says_that_a_missing_run_is_begun_and_that_a_search_needs_optuna():
    texts = {
        name: " ".join(run(name, "--help").stdout.split())
        for name in ("train", "search")
    }
    assert "Continue the interrupted run in it, or begin one if" in texts["train"]
    assert "Optuna, which must be installed (pip install" in texts["search"]


def test_no_help_ends_in_mid_sentence():
    for owner in (TrainingConfig, *TASKS.values(), *MODELS.values()):
        for name, kind in parameter_types(owner).items():
            text = FieldOption(owner, name, kind).help.removesuffix(" [required]")
            assert text.endswith((".", ":")), (owner, name, text)


@pytest.mark.parametrize(
    ("words", "meant"),
    [
        (
            ("train", "kopy"),
            "one of those of `memnets list`, or registered first: tasks.register_task, "
            "or memnets --import FILE. Received: task='kopy'. Did you mean copy?",
        ),
        (("train", "copy", "--model", "lst"), "Did you mean lstm or lstm-1997 or "),
        (
            ("train", "copy", "--model", "gru-attention"),
            "Received: copy. Models to begin with: ntm-lstm, ntm-feedforward, lstm",
        ),
        (("train", "copy", "--epochs", "3"), "mean '--passes' or '--sequences'?"),
        (("train", "copy", "--lr", "0.1"), "Did you mean '--learning-rate'?"),
        (("train", "copy", "--modle", "lstm"), "Did you mean '--model'?"),
        (
            ("train", "copy", "--model", "lstm", "--num-units", "64"),
            "No such option '--num-units'. Did you mean '--layer-size'?",
        ),
    ],
)
def test_a_wrong_name_has_the_nearest_right_ones(words, meant):
    result = run(*words)
    assert result.exit_code == 2
    assert meant in result.stderr
    assert "--max-nodes" not in result.stderr  # an option of another task


def test_lists_may_have_commas_and_capitals(tmp_path):
    (tmp_path / "text").write_text("a cat sat on a mat\n")
    texts = [tmp_path / "text"] * 2
    spaced = run("score", *texts, "--metrics", "bleu", "meteor")
    assert spaced.exit_code == 0
    assert run("score", *texts, "--metrics", "BLEU,Meteor").stdout == spaced.stdout
    group = main.make_context("memnets", ["compare", "copy"])
    compare = main.get_command(group, "compare")
    expected = ["lstm", "ntm-lstm:memory-size=8,word-size=4", "gru"]
    for words in (["--models", *expected], [f"--models={','.join(expected)}"]):
        context = compare.make_context("compare", ["copy", *words])
        assert list(context.params["models"]) == expected
    assert run("score", *texts, "--metrics=BLEU,meteor").stdout == spaced.stdout


def test_generate_needs_a_run_of_a_language_model(finished):
    result = run("generate", finished)
    assert (result.exit_code, result.stdout) == (2, "")
    assert result.stderr == (
        "Error: `RUN` must be a run of a language model. Received: a run of copy\n"
    )


def test_evaluate_has_splits_for_tasks_with_finite_data(finished):
    result = run("evaluate", finished, "--split", "test")
    assert result.exit_code == 2
    assert "`--split` must be None for the task copy, which draws its" in result.stderr


def test_evaluate_counts_at_the_lengths_given(finished):
    args = ["evaluate", finished, "--lengths", 2, 5, "--sequences", 3, "--json"]
    result = run(*args)
    assert result.exit_code == 0
    results = json.loads(result.stdout)["evaluation"]
    assert [(r["length"], r["sequences"]) for r in results] == [(2, 3), (5, 3)]


def test_evaluate_takes_options_of_the_task(finished):
    result = run("evaluate", finished, "--min-length", 2, "--max-length", 2, "--json")
    lengths = [r["length"] for r in json.loads(result.stdout)["evaluation"]]
    assert lengths == [2, 4, 8, 12]
    result = run("evaluate", finished, "--max-repeats", 2)
    assert result.exit_code == 2
    assert "`--max-repeats` is not an option of the task copy" in result.stderr


def test_lengths_may_stand_before_the_run(finished):
    result = run("evaluate", "--lengths", 2, 4, "--sequences", 3, finished)
    assert result.exit_code == 0
    first = [line.split()[0] for line in result.stdout.splitlines()]
    assert first == ["size", "2", "4", "score"]


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
    args = ["train", "copy", "--model", "lstm", "--num-layers", 1, "--layer-size", 4]
    args += ["--num-bits", 2, "--max-length", 2, "--sequences", 64, "--seed", 9]
    args += ["--json"]
    result = run(*args, "--out", tmp_path / "run")
    assert result.exit_code == 0, result.output
    printed = json.loads(result.stdout)
    assert printed["sequences"] == 64
    assert "|seed:9|" in printed["signature"]
    assert (tmp_path / "run" / "report.html").exists()
    assert "64/64 sequences" in result.stderr
    assert "Trains on" not in result.stderr
    ended = run(*args, "--out", tmp_path / "run", "--resume")
    assert json.loads(ended.stdout) == printed  # the start-up seconds too
    assert ended.stderr.splitlines()[0] == (
        "The run had ended after 64 sequences: nothing is trained. To train on, give a "
        "longer budget, as --sequences 128."
    )
    other = run(*args[:2], "--out", tmp_path / "run", *args[2:8], "--resume")
    assert other.exit_code == 2
    assert "give --num-bits 2 --max-length 2 --seed 9" in other.stderr
    again = run(*args, "--out", tmp_path / "run")
    assert again.exit_code == 2
    assert "--force" in again.stderr


def test_train_prints_the_task_s_success_and_values(tmp_path):
    args = ["train", "copy", "--model", "lstm", "--num-layers", 1, "--layer-size", 4]
    args += ["--max-length", 1, "--sequences", 20, "--out", tmp_path / "run"]
    result = run(*args)
    assert result.exit_code == 0, result.output
    rounded = "Trains on 16 sequences in place of 20: 1 whole epoch of 1 batch of 16."
    assert rounded in result.stderr.splitlines()
    first, signature, table, *_, last = result.stdout.splitlines()
    assert re.match(r"16 sequences in \d+ s \(and \d+ s to start\), not solved ", first)
    assert "(bit errors below 0.01 over an epoch), wrong bits " in first
    assert signature.startswith("copy|bits:8|len:1-1|blank:0.05|model:lstm|")
    assert "|sequences:16|" in signature  # those that it was trained on
    assert re.split(" {2,}", table) == ["size", "wrong bits", "perfect", "bits"] + [
        "sequences"
    ]
    assert last == f"report: {tmp_path / 'run' / 'report.html'}"


def test_a_number_for_each_head_is_an_option(tmp_path, untrained):
    sizes = "--max-length", "1", "--num-read-heads", "2", "--sequences", "16"
    small = "--memory-size", "8", "--controller-size", "8", "--no-jit-compile"
    out = tmp_path / "run"
    model = "--model", "ntm-feedforward", "--out", str(out)
    args = "train", "copy", *model, *sizes, *small
    result = run(*args, "--gate-bias", "-4/2", "--write-gate-bias", "-1.5")
    assert result.exit_code == 0, result.output
    model = tasks.open_run(out).model
    assert (model.gate_bias, model.write_gate_bias) == ((-4.0, 2.0), -1.5)
    again = run(*args, "--gate-bias", "-4/2", "--write-gate-bias", "-1.5", "--resume")
    assert again.exit_code == 0, again.output


def test_train_names_the_kernel_or_the_portable_path_after_its_checks(
    tmp_path, untrained
):
    path = tmp_path / "file" / "run"
    path.parent.write_text("")
    refused = run("train", "copy", "--out", path)
    assert refused.exit_code == 2 and "Runs on" not in refused.stderr
    args = ["train", "copy", "--max-length", 1, "--sequences", 16, "--force"]
    args += ["--no-jit-compile", "--out", tmp_path / "run", "--model", "ntm-lstm"]
    args += ["--memory-size", 8, "--controller-size", 8]
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
    assert [r["length"] for r in json.loads(result.stdout)["evaluation"]] == [2, 4]


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
            "two-sequence, or registered first: tasks.register_task, or memnets "
            "--import FILE. Received: task='juggling'",
        ),
        (["train", "copy", "--model", "gpt"], "`--model` must be one of bahdanau, "),
        (["train", "copy", "--num-vectors", 3], "`--num-vectors` is not an option of"),
        (["train", "copy", "--num-layers", 3], "`--num-layers` is not an option of"),
        (
            ["train", "copy", "--max-length", 0],
            "`--max-length` must be a positive integer",
        ),
        (
            ["train", "copy", "--memory-size", 2],
            "`2 * shift_range + 1` must be at most",
        ),
        (["train", "copy", "--sequences", "many"], "is not a valid integer"),
        (["show", "juggling"], "`task` must be one of"),
        (["evaluate", "nowhere"], "`nowhere` holds no run"),
        (["report", "nowhere"], "`nowhere` holds no run"),
        (
            ["compare", "copy", "--models", "ntm-lstm", "lstn"],
            "Error: `lstn` is neither a model nor a task. Did you mean lstm or",
        ),
        (
            ["compare", "copy", "--models", "ntm-lstm", "xyzzy:units=3"],
            "Error: `xyzzy` is neither a model nor a task.\n",
        ),
        (
            ["compare", "copy", "lstm"],
            "`lstm` is a model: memnets compare copy --models lstm",
        ),
        (["compare", "kopy", "--models", "lstm"], "Did you mean copy?"),
        (
            ["compare", "copy", "--models", "ntm-lstm:memory-sise=3"],
            "ntm-lstm has no argument `memory-sise`. Its arguments: memory-size, ",
        ),
        (
            ["compare", "copy", "--models", "lstm", "--latex", "--json"],
            "`--latex` does not go with `--json`.",
        ),
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


@pytest.mark.parametrize("command", ["evaluate", "report", "watch"])
def test_a_file_in_place_of_a_run_is_said_to_be_one(command, finished, tmp_path):
    file = tmp_path / "swap.py"
    file.write_text("import tasks")
    result = run(command, file)
    assert result.exit_code == 2
    assert result.stderr == f"Error: `{file}` is a file: give the directory of a run.\n"
    result = run(command, finished / "model.keras")
    assert f"the directory of a run. Did you mean `{finished}`?" in result.stderr


def test_truncated_model_exits_with_2(finished, tmp_path):
    (tmp_path / "config.json").write_text((finished / "config.json").read_text())
    (tmp_path / "model.keras").write_bytes(b"PK")
    result = run("evaluate", tmp_path)
    assert result.exit_code == 2
    assert "model.keras` is not a file of the format .keras: no zip" in result.stderr


def test_diverged_training_exits_with_1(monkeypatch, tmp_path):
    from tasks.training import stopping, training

    def diverge(*args, **kwargs):
        raise stopping.TrainingDiverged("The loss became nan in epoch 3.")

    monkeypatch.setattr(training, "train", diverge)
    result = run("train", "copy", "--out", tmp_path / "run")
    assert result.exit_code == 1
    assert "The loss became nan in epoch 3. The model of that" in result.stderr


def test_a_report_that_cannot_be_drawn_says_what_is_saved(tmp_path, monkeypatch):
    """A full disk, after the training."""

    def full(*args, **kwargs):
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC), "figures/learning.png")

    monkeypatch.setattr("tasks.report.report.write_page", full)
    out = tmp_path / "run"
    model = ["--model", "lstm", "--num-layers", 1, "--layer-size", 4]
    args = ["--max-length", 2, "--sequences", 32, "--out", out]
    result = run("train", "copy", *model, *args)
    assert result.exit_code == 1
    assert result.stderr.splitlines()[-1] == (
        f"Error: `figures/learning.png`: No space left on device. The run is saved in "
        f"{out}, and only its report is missing. To draw it later: memnets report {out}"
    )
    monkeypatch.undo()
    assert run("report", out).exit_code == 0


def test_a_report_takes_options_of_the_task(finished):
    result = run("report", finished, "--max-length", 2)
    assert result.exit_code == 0 and " 1-2 " in result.stdout
    assert "not an option of the task" in run("report", finished, "--units", 2).stderr


def test_analogies_that_cannot_be_asked_have_no_accuracy(tmp_path):
    (tmp_path / "v").write_text("up 0 1\ndown 0 -1\n")
    (tmp_path / "q").write_text("a b up down\n")
    result = run("vectors", tmp_path / "v", "--analogies", tmp_path / "q")
    assert "no question was asked" in result.stdout and "0.0000" not in result.stdout
    words = ["vectors", tmp_path / "v", "--analogies", tmp_path / "q", "--json"]
    assert json.loads(run(*words).stdout)["analogies"]["accuracy"] is None
