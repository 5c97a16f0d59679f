import contextlib
import dataclasses
import json
import pathlib
import shutil

import numpy as np
import pytest
from click.testing import CliRunner

import tasks
from tasks.cli.main import main
from tasks.comparison import paper
from tasks.comparison.comparison import (
    Trained,
    arguments_of,
    published,
    read,
    table_of,
    train_all,
    unit_of,
)
from tasks.comparison.page import draw_learning
from tasks.models import MODELS as MODELS_BY_NAME
from tasks.models import NTMFeedforward, StackedLSTM, get_model
from tasks.registry import TASKS
from tasks.runs.run import Run, RunError
from tasks.runs.training_config import TrainingConfig
from tasks.training.data import TaskSequence

TASK = tasks.Copy(2, 1, 2)
MODELS = (
    NTMFeedforward(memory_size=8, word_size=4, controller_size=8),
    StackedLSTM(num_layers=1, layer_size=4),
)
TRAINING = TrainingConfig(sequences=64, batch_size=4, seed=5)


@pytest.fixture(scope="module")
def compared(tmp_path_factory):
    """A comparison of two tiny models with one seed: its folder, plan and runs."""
    folder = tmp_path_factory.mktemp("comparison")
    # A module of this name in the working folder is not taken for ours.
    elsewhere = tmp_path_factory.mktemp("elsewhere")
    (elsewhere / "tasks.py").write_text("raise SystemExit(3)")
    plan = [(TASK, model, TRAINING.resolved(TASK, model)) for model in MODELS]
    news = []
    with contextlib.chdir(elsewhere):
        runs, failures = train_all(
            plan, folder, jobs=2, on_progress=lambda *n: news.append(n)
        )
    assert not failures
    return folder, plan, runs, news


def test_each_run_has_the_parameters_of_the_plan(compared):
    folder, plan, runs, news = compared
    assert [(r.run.task, r.run.model, r.run.training) for r in runs] == plan
    assert {path for path, _, _ in news} == {r.run.path for r in runs}
    assert max(seen for _, seen, _ in news) == 64
    for r in runs:
        assert r.history[-1]["sequences"] == r.summary["sequences"] == 64
        assert r.run.path.parent == folder


@pytest.mark.parametrize("name", TASKS)
def test_models_see_the_same_sequences(name):
    task = TASKS[name]()
    streams = []
    for model in MODELS_BY_NAME:
        config = TrainingConfig(seed=5).resolved(task, get_model(model, task))
        if config.curriculum:  # of its own, see docs/recipes.md
            assert (name, model) == ("repeat-copy", "ntm-feedforward")
            continue
        batches = TaskSequence(task, config)
        drawn = [batches[i] for i in range(-(-48 // config.batch_size))]
        streams.append([np.concatenate(a)[:48] for a in zip(*drawn, strict=True)])
    for other in streams[1:]:
        for ours, theirs in zip(other, streams[0], strict=True):
            np.testing.assert_array_equal(ours, theirs)


def test_what_is_there_is_not_trained_again(compared):
    folder, plan, runs, _ = compared
    kept = runs[0].run.file("model.keras").stat().st_mtime_ns
    again, _ = train_all(plan[:1], folder)
    assert again[0].run.file("model.keras").stat().st_mtime_ns == kept
    assert again[0].history == runs[0].history


def test_what_was_evaluated_on_less_is_evaluated_again(compared, tmp_path):
    folder, plan, runs, _ = compared
    path = shutil.copytree(runs[0].run.path, tmp_path / runs[0].run.path.name)
    summary = dict(runs[0].summary, lengths=runs[0].summary["lengths"][1:])
    read(path).run.write_summary(summary)
    ((again,), failures) = train_all(plan[:1], tmp_path)
    assert not failures
    assert again.history == runs[0].history
    assert again.summary == runs[0].summary


def test_what_cannot_be_evaluated_again_is_left_as_it_is(compared, tmp_path):
    _, plan, runs, _ = compared
    path = shutil.copytree(runs[0].run.path, tmp_path / runs[0].run.path.name)
    shutil.rmtree(path / "checkpoints")
    assert train_all(plan[:1], tmp_path)[0][0].summary == runs[0].summary
    summary = dict(runs[0].summary, lengths=runs[0].summary["lengths"][1:])
    read(path).run.write_summary(summary)
    with pytest.raises(RunError, match="whose checkpoints are gone"):
        train_all(plan[:1], tmp_path)
    assert read(path).history == runs[0].history


def test_a_summary_of_before_may_lack_what_was_not_written_then(compared, tmp_path):
    _, plan, runs, _ = compared
    path = shutil.copytree(runs[0].run.path, tmp_path / runs[0].run.path.name)
    summary = dict(runs[0].summary, lengths=runs[0].summary["lengths"][1:])
    del summary["cores"]
    read(path).run.write_summary(summary)
    ((again,), failures) = train_all(plan[:1], tmp_path)
    assert not failures
    assert again.sizes == runs[0].sizes
    assert again.summary["startup_seconds"] == runs[0].summary["startup_seconds"]


def test_what_was_interrupted_is_trained(compared, tmp_path):
    _, plan, _, _ = compared
    path = tmp_path / "ntm-feedforward-5"
    path.mkdir()
    (path / "config.json").write_text("{")
    (run,), _ = train_all(plan[:1], tmp_path)
    assert run.run.path == path and run.history


def test_a_run_that_fails_is_named_and_the_others_are_kept(compared, tmp_path):
    folder, plan, _, _ = compared
    shutil.copytree(folder / "lstm-5", tmp_path / "lstm-5")
    (tmp_path / "ntm-feedforward-5").write_text("a file")
    (run,), (failure,) = train_all(plan, tmp_path)
    assert run.run.model.name == "lstm"
    assert "ntm-feedforward-5` could not be trained: " in failure


def test_a_finished_run_of_other_parameters_is_not_overwritten(compared):
    folder, plan, runs, _ = compared
    kept = runs[0].run.file("model.keras").read_bytes()
    task, model, training = plan[0]
    other = dataclasses.replace(training, sequences=32)
    with pytest.raises(
        tasks.RunError, match="ntm-feedforward-5` holds a run with other"
    ):
        train_all([(task, model, other)], folder)
    assert runs[0].run.file("model.keras").read_bytes() == kept


def test_the_arguments_of_a_run_name_everything():
    arguments = arguments_of(TASK, MODELS[0], TRAINING.resolved(TASK, MODELS[0]))
    assert arguments[:4] == ["train", "copy", "--model", "ntm-feedforward"]
    pairs = dict(zip(arguments, arguments[1:], strict=False))
    assert pairs["--num-bits"] == "2" and pairs["--memory-size"] == "8"
    assert pairs["--seed"] == "5" and "--no-stop-when-solved" in arguments


def made_up(model, seed, errors, at_20):
    """A run whose epochs of 10 sequences and 2 seconds had the errors given."""
    history = [
        {
            **{"epoch": e, "sequences": 10 * e, "seconds": 2.0 * e},
            **{"bit_errors": error, "bits_per_sequence": error, "taken_back": 0},
        }
        for e, error in enumerate(errors, 1)
    ]
    result = {"size": "20", "bit_errors": at_20, "bits": 1.0, "perfect": 1 - at_20}
    result |= {"best_bits": None, "part_errors": {"vectors": at_20 / 5}}
    summary = {"weights": 1234, "startup_seconds": 1.0, "lengths": [result]}
    run = Run(pathlib.Path(f"{model.name}-{seed}"), tasks.Copy(), model, TRAINING, {})
    return Trained(run, history, summary)


def test_the_table_shows_medians_and_the_worst():
    model = NTMFeedforward()
    runs = [
        made_up(model, 1, [1.0, 0.001, 0.0], 0.0),
        made_up(model, 2, [0.0, 0.0, 0.0], 0.25),
        made_up(model, 3, [1.0, 1.0, 1.0], 0.5),
    ]
    assert [r.solved_at for r in runs] == [20, 10, None]
    assert [r.seconds_to_solve for r in runs] == [4.0, 2.0, None]
    assert [r.settled_at for r in runs] == [10, 0, None]
    headings, ours, papers = table_of(runs)
    cells = dict(zip(headings, ours, strict=True))
    assert cells["model"] == "ntm-feedforward" and cells["weights"] == "1,234"
    assert cells["solved"] == "2 of 3"
    assert cells["after sequences"] == "20 (never)"
    assert cells["after seconds"] == "4 (never)"
    assert cells["settled after"] == "10 (never)"
    said = "0.25 (0.50), 75% (50%) perfect; in vectors 0.05 (0.10)"
    assert cells["wrong bits at 20"] == said
    assert papers[:2] == ["the paper's", "17,162"] and "0.1 bits" in papers[3]


def test_the_paper_is_quoted_beside_its_own_tasks_only():
    ours, others = tasks.Copy(), tasks.Copy(num_bits=2)
    assert published(ours, paper.WEIGHTS)["lstm"] == 1_352_969
    assert published(others, paper.WEIGHTS) == {}
    # Where the paper has bits of cross-entropy, ours are too.
    assert unit_of(tasks.AssociativeRecall())[0] == "bits"
    assert unit_of(ours)[0] == "bit_errors"


def test_a_run_that_stopped_early_keeps_its_last_value_in_the_picture():
    model = NTMFeedforward()
    runs = [made_up(model, 1, [4.0], 0.0), made_up(model, 2, [8.0, 6.0, 2.0], 0.0)]
    axes = draw_learning(runs).axes[0]
    line = axes.lines[0]
    assert list(line.get_xdata()) == [10, 20, 30]
    assert list(line.get_ydata()) == [6.0, 5.0, 3.0]


def test_the_command_writes_a_page_and_takes_it_up_again(tmp_path):
    out = tmp_path / "compared"
    args = ["compare", "copy", "--models", "ntm-feedforward", "--seeds", "2"]
    args += ["--num-bits", "1", "--max-length", "1", "--sequences", "32", "--json"]
    result = CliRunner().invoke(main, [*args, "--out", str(out)])
    assert result.exit_code == 0, result.output
    printed = json.loads(result.stdout)
    assert printed["table"][0]["model"] == "ntm-feedforward"
    page = (out / "index.html").read_text()
    assert page.count("data:image/png;base64,") == 2
    assert 'href="ntm-feedforward-2/report.html"' in page
    assert "http" not in page and "<script" not in page
    kept = read(out / "ntm-feedforward-2").run.file("model.keras").stat().st_mtime_ns
    assert CliRunner().invoke(main, [*args, "--out", str(out)]).exit_code == 0
    again = read(out / "ntm-feedforward-2").run.file("model.keras").stat().st_mtime_ns
    assert again == kept


@pytest.mark.parametrize("seeds", ["", "a", "3-1", "1-", "-1", "1,,2"])
def test_bad_seeds_are_refused(seeds):
    result = CliRunner().invoke(main, ["compare", "copy", "--seeds", seeds])
    assert result.exit_code == 2
    assert "`--seeds` must be as 1-10 or 1,2,5" in result.stderr
