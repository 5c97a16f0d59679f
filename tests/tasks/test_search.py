"""Searches for settings, mostly with trainings that a few lines pretend."""

import concurrent.futures
import dataclasses
import math
import re
import shlex
import shutil
import statistics
import sys
from concurrent.futures import Executor

import numpy as np
import pytest
from click.testing import CliRunner
from processes import InThisProcess

import tasks
from tasks.cli.main import main
from tasks.comparison.rate import interval
from tasks.models.ntm import NTMLSTM
from tasks.models.recurrent import StackedLSTM
from tasks.runs import History, TrainingConfig
from tasks.runs.directory import create_run
from tasks.runs.saved_config import saved_model, saved_task
from tasks.searching.axes import Choice, Range
from tasks.searching.command_text import command_of
from tasks.searching.proposals import (
    FIRST_PARTS,
    FIRST_TRIALS,
    importances,
    propose,
)
from tasks.searching.rounds import job_of
from tasks.searching.search import search
from tasks.searching.space import axes_of, space_of
from tasks.searching.trial import FILE, PARTS, Trial, losses_of, score_of

pytestmark = pytest.mark.once

TASK = tasks.Copy(2, 1, 2)
MODEL = StackedLSTM(num_layers=1, layer_size=4)
TRAINING = TrainingConfig(sequences=320, batch_size=4, learning_rate=1e-5)
VARY = {"learning_rate": Range(1e-5, 1e-1, log=True), "layer_size": [4, 5, 6]}
GOOD = 3e-3  # the learning rate of the smallest losses, below


def distance(learning_rate):
    return abs(np.log10(learning_rate / GOOD))


class Pretended(Executor):
    """Trains at once: the nearer the learning rate to a good one, the smaller is the
    loss and the sooner the task is solved. It is killed at one of its runs."""

    def __init__(self, killed_at=None):
        self.asked = []
        self.killed_at = killed_at

    def submit(self, function, asked):
        if len(self.asked) == self.killed_at:
            raise KeyboardInterrupt
        self.asked.append(asked)
        future = concurrent.futures.Future()
        if not asked["evaluate"]:
            self.train(asked)
            future.set_result({"done": True})
        else:
            future.set_result({"error": "it is a fresh seed"})
        return future

    def train(self, asked):
        training = TrainingConfig(**asked["training"])
        task, model = saved_task(asked["task"]), saved_model(asked["model"])
        run = create_run(asked["out"], task, model, training, force=True)
        far = distance(training.learning_rate)
        rows = []
        for epoch in range(1, training.epochs + 1):
            done = epoch / training.epochs
            rows.append(
                {
                    "epoch": epoch,
                    "sequences": epoch * training.sequences_per_epoch,
                    "seconds": float(epoch),
                    "loss": 0.7 - 0.5 * done / (1 + far) + 1e-3 * training.seed,
                    "bit_errors": 0.0 if done > 0.5 + far else 1.0,
                    "skipped": 0,
                    "rolled_back": 0,
                }
            )
        run.write_history(rows)


def searched(folder, executor, trials=12, **arguments):
    usual = {"training": TRAINING, "progress": False, "finalists": 1}
    arguments = {**usual, **arguments}
    return search(
        TASK,
        MODEL,
        vary=arguments.pop("vary", VARY),
        trials=trials,
        fresh_seeds=[2001],
        out=folder,
        executor=executor,
        **arguments,
    )


@pytest.fixture(scope="module")
def found(tmp_path_factory):
    """A search of 24 trials: its result."""
    return searched(tmp_path_factory.mktemp("search"), Pretended(), 24)


def test_the_first_trial_has_the_settings_as_they_are(found):
    assert found.trials[0].settings == {"learning_rate": 1e-5, "layer_size": 4}


def test_the_search_comes_near_the_good_settings(found):
    assert distance(found.best.settings["learning_rate"]) < 0.5
    assert distance(found.trials[0].settings["learning_rate"]) > 2
    complete = [trial for trial in found.trials if trial.score is not None]
    assert found.best.score == min(trial.score for trial in complete)


def test_the_setting_that_decides_is_the_important_one(found):
    shares = found.importances
    assert sum(shares.values()) == pytest.approx(1)
    assert shares["learning_rate"] > 0.7 > 0.3 > shares["layer_size"]


def test_trials_above_the_median_of_earlier_ones_are_stopped(found):
    """The rule of Vizier in a plain loop."""
    complete = []
    for trial in found.trials:
        stopped = None
        for part in range(FIRST_PARTS + 1, len(trial.losses) + 1):
            median = statistics.median([t.losses[part - 1] for t in complete] or [9])
            bad = min(trial.losses[:part]) > median
            if stopped is None and len(complete) >= FIRST_TRIALS and bad:
                stopped = part
        assert (trial.state == "pruned") == (stopped is not None)
        assert len(trial.losses) == (stopped or PARTS)
        if not stopped:
            complete.append(trial)
    assert 0 < len(complete) < len(found.trials)


@pytest.mark.parametrize("killed_at", [0, 6])
def test_a_search_that_was_killed_proposes_the_same(found, tmp_path, killed_at):
    with pytest.raises(KeyboardInterrupt):
        searched(tmp_path, Pretended(killed_at), 9)
    again = Pretended()
    went_on = searched(tmp_path, again, 9)
    assert went_on.trials == found.trials[:9]
    # The runs that had ended are not trained again; the last one is the fresh seed.
    assert len(again.asked) == 9 - killed_at + 1


class Lucky(Pretended):
    """The bad learning rate solves the task soonest, but only with seeds of trials."""

    def train(self, asked):
        training = asked["training"]
        if training["seed"] < 900 and training["learning_rate"] == 1e-5:
            training["learning_rate"] = GOOD
        super().train(asked)


def test_finalists_are_trained_again_so_that_no_lucky_one_is_chosen(tmp_path):
    vary = {"learning_rate": [1e-5, 1e-3]}
    one = searched(tmp_path / "one", Lucky(), 5, vary=vary)
    assert one.best.settings == {"learning_rate": 1e-5} and not one.means
    engine = Lucky()
    result = searched(tmp_path / "all", engine, 5, vary=vary, finalists=5)
    assert result.best.settings == {"learning_rate": 1e-3}
    seeds = [asked["training"]["seed"] for asked in engine.asked[5:-1]]
    assert seeds == 5 * [901, 902, 903, 904] and len(result.means) == 5
    again = Lucky()
    went_on = searched(tmp_path / "all", again, 5, vary=vary, finalists=5)
    assert went_on.means == result.means
    assert len(again.asked) == 1  # the fresh seed, which had failed


def test_more_trials_continue_a_search(found, tmp_path):
    searched(tmp_path, Pretended(), 3)
    assert searched(tmp_path, Pretended(), 6).trials == found.trials[:6]


def test_trials_of_a_round_do_not_depend_on_which_ends_first(tmp_path):
    one = searched(tmp_path / "1", Pretended(), 6, together=3)
    with pytest.raises(KeyboardInterrupt):
        searched(tmp_path / "2", Pretended(4), 6, together=3)
    assert searched(tmp_path / "2", Pretended(), 6, together=3).trials == one.trials


def test_a_search_stopped_inside_a_round_ends_as_one_that_was_not(tmp_path):
    whole = searched(tmp_path, Pretended(), 12, together=4).trials
    assert whole[10].state == "pruned"
    for trial in whole[9:]:
        shutil.rmtree(trial.folder(tmp_path / "trials"))
    Trial(9, whole[9].settings).write(tmp_path / "trials")  # it runs; 8 has ended
    assert searched(tmp_path, Pretended(), 12, together=4).trials == whole


def test_a_round_is_filled_up_by_more_trials(tmp_path):
    whole = searched(tmp_path / "1", Pretended(), 9, together=3).trials
    for count in (4, 8, 9):
        trials = searched(tmp_path / "2", Pretended(), count, together=3).trials
        assert trials == whole[:count]


def test_a_file_keeps_numbers_for_each_head(tmp_path):
    trial = Trial(3, {"shift_bias": (2.0, -2.0), "layer_size": 5})
    trial.write(tmp_path)
    assert Trial.read(trial.folder(tmp_path) / FILE) == trial


def test_another_search_in_the_folder_is_refused(tmp_path):
    searched(tmp_path, Pretended(), 1)
    with pytest.raises(tasks.RunError, match="holds a search with another `seed`"):
        searched(tmp_path, Pretended(), 1, seed=2)
    vary = {"learning_rate": Range(1e-5, 1e-2, log=True)}
    with pytest.raises(tasks.RunError, match="holds a search with another `vary`"):
        searched(tmp_path, Pretended(), 1, vary=vary)


def test_settings_that_do_not_go_together_are_a_failed_trial(tmp_path):
    vary = {"min_length": [1, 3], "max_length": [2, 3]}
    result = searched(tmp_path, Pretended(), 12, vary=vary)
    failed = [trial for trial in result.trials if trial.state == "failed"]
    lengths = {tuple(trial.settings.values()) for trial in failed}
    assert lengths == {(3, 2)}
    assert all("min_length" in trial.reason for trial in failed)


def test_fresh_seeds_are_of_no_trial():
    with pytest.raises(ValueError, match="no trial has. Those have 1 to 9, and 901"):
        search(TASK, MODEL, vary=VARY, trials=9, fresh_seeds=[9])
    with pytest.raises(ValueError, match="`fresh_seeds` must be an integer of at most"):
        search(TASK, MODEL, vary=VARY, trials=9, fresh_seeds=[2001, 2**32])


# --- the score ---


def run_of(folder, learning_rate):
    space = space_of(TASK, MODEL, TRAINING, {"layer_size": [4, 5]})
    training = dataclasses.replace(TRAINING, learning_rate=learning_rate)
    space = dataclasses.replace(space, training=training)
    job = job_of(Trial(0, {"layer_size": 5}), space, folder)
    Pretended().train({**job.config, "out": job.path})
    run = tasks.open_run(job.path)
    return run, run.read_history()


def test_a_run_that_solves_the_task_sooner_has_a_smaller_score(tmp_path):
    run, history = run_of(tmp_path / "1", GOOD)
    assert len(history) == PARTS  # a trial is looked at after each part
    # Half of the budget passes before the task is solved; the loss falls from
    # 0.7 - 0.05 + 0.001 to 0.2 + 0.001.
    assert score_of(run, history) == pytest.approx(0.5 + 0.201 / 0.651)
    later = score_of(*run_of(tmp_path / "2", GOOD * 10**0.2))
    never = score_of(*run_of(tmp_path / "3", 1e-5))
    assert score_of(run, history) < later < never <= 2
    assert losses_of(history) == tuple(row["loss"] for row in history)


@pytest.mark.parametrize(("sequences", "epoch"), [(5_000, 2_000), (2_000, 192)])
def test_a_trial_has_epochs_in_which_success_can_be_judged(sequences, epoch, tmp_path):
    """If its budget has room for them; if not, a tenth of it is an epoch."""
    task = tasks.get_task("adding", min_steps=10)
    training = TrainingConfig(sequences=sequences)
    model = tasks.get_model("gru", task)
    space = space_of(task, model, training, {"clip_norm": [0.1, 1.0]})
    job = job_of(Trial(0, {"clip_norm": 1.0}), space, tmp_path)
    assert job.training.sequences_per_epoch == epoch


def test_a_run_that_stops_when_it_is_solved_has_the_score_of_its_budget(tmp_path):
    run, history = run_of(tmp_path, GOOD)
    solved = [row for row in history if row["bit_errors"] == 0][:1]
    stopped = history.rows[: history.rows.index(solved[0]) + 1]
    share = 0.5 + stopped[-1]["loss"] / stopped[0]["loss"]
    assert score_of(run, History(stopped, history.config)) == pytest.approx(share)


def test_a_loss_that_is_not_a_number_is_the_worst(tmp_path):
    run, history = run_of(tmp_path, 1e-5)
    never = score_of(run, history)
    for place in (0, -1):
        rows = [dict(row) for row in history]
        rows[place]["loss"] = math.nan
        assert score_of(run, History(rows, history.config)) == 2 > never


def test_the_interval_of_a_rate_is_that_of_wilson():
    # Its ends p solve (rate - p)^2 = z^2 p (1 - p) / n.
    for solved, runs in [(0, 5), (5, 5), (7, 10)]:
        for p in interval(solved, runs):
            gap = (solved / runs - p) ** 2 - 1.959964**2 * p * (1 - p) / runs
            assert gap == pytest.approx(0, abs=1e-6)


# --- what is varied ---


def test_ranges_and_choices_are_read_from_text():
    texts = ["learning-rate=1e-4:1e-2:log", "clip_norm=1:10", "batch-size=8:64"]
    texts += ["layer_size=50,100", "rollback=yes,no", "optimizer=adam,sgd"]
    axes = axes_of(texts, TASK, MODEL)
    assert axes == {
        "learning_rate": Range(1e-4, 1e-2, log=True),
        "clip_norm": Range(1.0, 10.0),
        "batch_size": Range(8, 64),
        "layer_size": (50, 100),
        "rollback": (True, False),
        "optimizer": ("adam", "sgd"),
    }
    assert axes["batch_size"].is_whole and not axes["clip_norm"].is_whole


def test_several_numbers_and_none_are_varied_too():
    model = NTMLSTM()
    axes = axes_of(["gate-bias=-4:4", "write-gate-bias=none,-4,2/1"], TASK, model)
    expected = {
        "gate_bias": Range(-4.0, 4.0),
        "write_gate_bias": (None, -4.0, (2.0, 1.0)),
    }
    assert axes == expected == space_of(TASK, model, TRAINING, axes).axes
    with pytest.raises(ValueError, match="the lowest must be a number"):
        axes_of(["gate-bias=-4/2:4"], TASK, model)


def test_ranges_are_in_the_numbers_of_the_setting():
    ranges = {"layer_size": Range(4.0, 8.0), "clip_norm": Range(1, 10)}
    axes = space_of(TASK, MODEL, TRAINING, ranges).axes
    assert axes["layer_size"].is_whole and not axes["clip_norm"].is_whole


def test_values_that_only_another_setting_allows_are_no_mistake():
    # The first weights can be drawn four times where batches do not go on.
    vary = {"starts": [1, 4], "stateful": [True, False]}
    training = dataclasses.replace(TRAINING, stateful=True)
    assert space_of(TASK, MODEL, training, vary).axes["starts"] == (1, 4)
    with pytest.raises(ValueError, match=r"starts=4 \(`starts` must be 1 for a train"):
        space_of(TASK, MODEL, training, {"starts": [1, 4]})


@pytest.mark.parametrize(
    ("axis", "message"),
    [
        ({"layer_size": Range(4.5, 8.0)}, "layer_size values of type int. Received: 4"),
        ({"layer_size": [4, 8.0]}, "layer_size values of type int. Received: 8.0"),
        ({"rollback": ["yes", "no"]}, "rollback values of type bool. Received: 'yes'"),
        ({"clip_norm": [1.0, True]}, "clip_norm values of type float. Received: True"),
        ({"rollback": Range(0, 1)}, "only numbers have a range"),
    ],
)
def test_values_of_another_type_are_refused(axis, message):
    with pytest.raises(ValueError, match=f"`vary` must give .*{re.escape(message)}"):
        space_of(TASK, MODEL, TRAINING, axis)


def test_the_first_trial_is_the_start_to_the_last_digit():
    axes = {"learning_rate": Range(1e-5, 1e-1, log=True)}
    start = {"learning_rate": 1.23456e-3}
    assert propose(axes, [], start, 1) == start


def test_the_seed_of_a_search_may_be_large():
    axes = {"layer_size": Choice(range(1000))}
    first, again, other = (propose(axes, [], {}, 2**40 + n) for n in (0, 0, 1))
    assert first == again != other
    assert first["layer_size"] in axes["layer_size"]


def test_the_command_names_files_that_register_tasks_and_models():
    command = command_of(TASK, MODEL, TRAINING, ["my tasks.py"])
    assert command.startswith("memnets --import 'my tasks.py' train copy --model lstm")


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("learning_rat=1:2", "such as learning_rate"),
        ("learning_rate=2:1", "the lowest must be below the highest"),
        ("learning_rate=0:1:log", "the lowest must be above 0"),
        ("learning_rate=1:2:lin", "a range is LOW:HIGH or LOW:HIGH:log"),
        ("learning_rate=a:b", "could not convert string to float"),
        ("learning_rate=1", "it names only one value"),
        ("learning_rate=", "must be as learning_rate=1e-4:1e-2:log"),
        ("optimizer=1:2", "only numbers have a range"),
        ("seed=1:9", "must not name seed"),
        ("learning-rate=-1:1", "learning_rate=-1.0 (`learning_rate` must be a finite"),
        ("batch-size=0,16", "batch_size=0 (`batch_size` must be a positive integer)"),
        ("optimizer=adam,ftrl", "optimizer=ftrl (`optimizer` must be one of"),
        ("blank-rate=0.1,2.0", "blank_rate=2.0 (`blank_rate` must be"),
        ("min-length=1,30", "min_length=30 ("),
        ("shift-range=-1:1", "shift_range=-1 (`shift_range` must be a non-negative"),
        ("keep=last,best", "keep=best (`keep` must be 'last' for a task that is not"),
    ],
)
def test_bad_settings_are_refused_in_one_line(text, message, tmp_path):
    arguments = ["search", "copy", "--vary", text, "--out", str(tmp_path / "s")]
    result = CliRunner().invoke(main, arguments)
    assert result.exit_code == 2
    assert result.stderr.count("\n") == 1
    assert "`--vary` must" in result.stderr and message in result.stderr
    assert not list(tmp_path.iterdir())


def test_without_optuna_the_error_names_the_extra(monkeypatch, tmp_path):
    monkeypatch.setitem(sys.modules, "optuna", None)
    arguments = ["search", "copy", "--vary", "clip-norm=1:2", "--out", str(tmp_path)]
    result = CliRunner().invoke(main, arguments)
    assert result.exit_code == 2
    assert "pip install 'memnets[search]'" in result.stderr


# --- what comes out ---


@pytest.mark.parametrize("model", [MODEL, NTMLSTM(write_gate_bias=None)])
def test_the_command_trains_with_the_best_settings(model, monkeypatch):
    seen = {}

    def train(task, model, **arguments):
        seen.update(arguments, task=task, model=model)
        raise ValueError("seen")

    monkeypatch.setattr("tasks.training.training.train", train)
    task = tasks.Copy(2, 1, 3, blank_rate=0.1)
    training = TrainingConfig(learning_rate=3e-3, clip_norm=0.5, rollback=False)
    text = command_of(task, model, training)
    words = shlex.split(text)
    assert words[:5] == ["memnets", "train", "copy", "--model", model.name]
    assert "seen" in CliRunner().invoke(main, words[1:]).stderr
    assert (seen["task"], seen["model"]) == (task, model)
    fields = dataclasses.asdict(training)
    assert {name: seen[name] for name in fields} == fields


def test_a_search_trains_the_best_on_fresh_seeds_and_writes_a_page(tmp_path):
    training = TrainingConfig(sequences=40, batch_size=4, jit_compile=False)
    result = searched(
        tmp_path, InThisProcess(), 1, training=training, final_sequences=64
    )
    assert [trial.state for trial in result.trials] == ["complete"]
    (run,) = result.runs
    assert not result.failures
    assert run.run.training.seed == 2001 and run.run.training.sequences == 64
    assert run.run.model.layer_size == result.best.settings["layer_size"]
    page = result.page.read_text()
    assert page.count("data:image/png;base64,") == 2
    # The rate of 0 of 1, and where the page of the fresh runs is.
    assert "0 of 1 runs (95% interval of the rate: 0% to 79%)" in page
    (link,) = re.findall(r'href="(fresh/[^"]+)"', page)
    assert (tmp_path / link).exists() and "--layer-size" in result.command
    assert "http" not in page and "<script" not in page


def test_no_importance_is_told_of_few_trials():
    axes = {"layer_size": Choice((4, 5))}
    trials = [Trial(n, {"layer_size": 4}, "complete", score=1.0) for n in range(3)]
    assert importances(axes, trials) == {}
