"""The tables of cells and of languages: what is trained, and what their pages say."""

import dataclasses
import importlib
import math
import pathlib
import types

import click
import pytest
from click.testing import CliRunner
from processes import train_here

import tasks
from tasks.runs.history import History

ROOT = pathlib.Path(__file__).parent.parent
DOCS, EVIDENCE = ROOT / "docs", ROOT / "benchmarks" / "evidence"
LINES = 300  # of a page, see test_docs.py

pytestmark = pytest.mark.once


@pytest.fixture(scope="module")
def module():
    """What imports a module of the folder by its name."""
    with pytest.MonkeyPatch.context() as patch:
        patch.syspath_prepend(EVIDENCE)
        yield importlib.import_module


@pytest.fixture
def trained_here(monkeypatch):
    """Runs are trained in this process; nobody reads their reports."""
    monkeypatch.setattr("tasks.comparison.engine.train_apart", train_here)
    monkeypatch.setattr("tasks.report.report.write_report", lambda run, **given: None)


def invoke(main, *words):
    """The output of a command that succeeds."""
    result = CliRunner().invoke(main, [str(w) for w in words], catch_exceptions=False)
    assert result.exit_code == 0, result.output
    return result.output


def row_of(module, network, runs, failed=0, rounding="jax"):
    return module("grid").Row(network, rounding, runs, failed, [])


# --- grids ---


def test_rows_stand_in_the_order_of_the_table_and_missing_ones_say_so(module):
    grid = module("grid")
    rows = [row_of(module, "b", [1]), row_of(module, "b", [2], rounding="torch")]
    texts = {"a": "A", "b": "B"}
    table = list(grid.known_rows(rows, texts, lambda row: [row.rounding, ""], 3))
    assert table == [["A", "not run", ""], ["B", "jax", ""], ["B", "torch", ""]]


def test_the_row_with_most_runs_stands_for_a_network(module):
    rows = [
        row_of(module, "a", [1]),
        row_of(module, "a", [1], failed=1, rounding="tensorflow"),
        row_of(module, "a", [1, 2], rounding="torch"),
    ]
    assert module("grid").first_rows(rows) == {"a": rows[1]}


def test_settings_of_one_search_do_not_replace_those_of_another(module, tmp_path):
    grid = module("grid")
    grid.write_settings(tmp_path, "copy", "lstm", learning_rate=0.1)
    grid.write_settings(tmp_path, "copy", "gru", learning_rate=0.2)
    grid.write_settings(tmp_path, "copy", "lstm", long=3)
    assert grid.read_settings(tmp_path) == {
        "copy": {
            "lstm": {"learning_rate": 0.1, "long": 3},
            "gru": {"learning_rate": 0.2},
        }
    }


@pytest.mark.parametrize("name", ["rivals", "lineage", "chomsky"])
def test_names_of_tasks_are_those_of_their_packs(module, name):
    grid, name_of = module(name).GRID, module("packs").name_of
    assert [name_of(task) for task in grid.tasks.values()] == list(grid.tasks)
    assert not any("," in network for network in grid.networks)
    assert grid.group in module("packs").GRIDS


# --- the lineage ---


def test_the_table_has_ten_cells_and_six_tasks(module):
    lineage = module("lineage")
    assert len(lineage.CELLS) >= 10 and len(lineage.PROBLEMS) == 6
    table = lineage.overview({name: [] for name in lineage.PROBLEMS})
    assert {len(row) for row in table} == {7}
    assert {cell for row in table[1:] for cell in row[1:]} == {"not run", "-"}


@pytest.mark.parametrize("network", ["blstm", "bgru", "elman"])
def test_a_cell_is_left_out_where_it_would_see_what_it_is_asked_for(module, network):
    lineage = module("lineage")
    taken = []
    for name, problem in lineage.PROBLEMS.items():
        model = lineage.model_of(problem.task, network)
        if lineage.takes(problem.task, network):
            assert model.build(problem.task).output_shape[-1] > 0
            taken.append(name)
        else:
            with pytest.raises(ValueError, match="would see what it is asked"):
                model.build(problem.task)
    assert len(taken) == (6 if network == "elman" else 3)


def test_all_cells_are_trained_alike(module):
    lineage = module("lineage")
    for name, problem in lineage.PROBLEMS.items():
        training = lineage.training_of(name, 0.01)
        resolved = {
            dataclasses.replace(
                training.resolved(problem.task, lineage.model_of(problem.task, cell)),
                jit_compile=None,
            )
            for cell in lineage.CELLS
        }
        assert len(resolved) == 1, name
        (one,) = resolved
        epoch = one.batch_size * one.epoch_steps
        # Of adding and temporal order 2,000 sequences of an epoch must be right.
        assert epoch > 2_000 and problem.sequences % (2 * epoch) == 0
        half = lineage.training_of(name, 0.01, lineage.TRIAL_SHARE)
        assert half.sequences == problem.sequences / 2


@pytest.mark.parametrize(
    ("found", "best"),
    [
        # By rate: the error, sequences until solved, and the loss.
        ({0.001: (0.3, None, 1), 0.01: (0.1, None, 3), 0.1: (0.2, 64, 2)}, 0.01),
        ({0.001: (0.0, 640, 1), 0.01: (0.0, 320, 2), 0.1: (0.0, None, 3)}, 0.01),
        (
            {0.001: (0.9, None, 2), 0.01: (0.9, None, math.nan), 0.1: (0.9, None, 1)},
            0.1,
        ),
        ({0.001: None, 0.01: None, 0.1: (0.9, None, 1)}, 0.1),  # the others failed
    ],
)
def test_the_rate_with_the_smallest_error_is_noted(
    module, tmp_path, monkeypatch, found, best
):
    lineage, asked = module("lineage"), []

    def train(out, task, model, seeds, jobs, training, sequences):
        asked.append((seeds, training.sequences, training.clip_norm))
        reached = found[training.learning_rate]
        if reached is None:
            return types.SimpleNamespace(runs=[])
        run = run_of(reached[1], bit_errors=reached[0])
        run.history = types.SimpleNamespace(final={"loss": reached[2]})
        return types.SimpleNamespace(runs=[run])

    monkeypatch.setattr(lineage, "RATES", tuple(found))
    monkeypatch.setattr(lineage.grid, "train", train)
    assert lineage.search(tmp_path, "timed-spikes", "elman") == best
    noted = module("grid").read_settings(tmp_path)["timed-spikes"]["elman"]
    spikes = tasks.get_task("timed-spikes").spikes
    assert noted == {
        "learning_rate": best,
        "trials": 3,
        "trial_sequences": 48_000,
        "errors": {
            f"{rate:g}": pytest.approx(one[0] / spikes, abs=1e-6)
            for rate, one in found.items()
            if one is not None
        },
    }
    assert asked == [("961", 48_000, 1.0)] * 3


def run_of(solved_at, seconds=10, **values):
    """A finished run as tables read it."""
    return types.SimpleNamespace(
        solved_at=solved_at,
        results=[types.SimpleNamespace(values=values)],
        summary={"seconds": seconds, "weights": 1153},
    )


def test_a_search_without_a_result_is_an_error(module, tmp_path, monkeypatch):
    lineage = module("lineage")
    none = types.SimpleNamespace(runs=[])
    monkeypatch.setattr(lineage.grid, "train", lambda *given: none)
    with pytest.raises(click.ClickException, match="No trial of elman on adding"):
        lineage.search(tmp_path, "adding", "elman")


def test_nothing_is_trained_without_settings(module, tmp_path):
    words = ["train", str(tmp_path), "--task", "adding", "--network", "elman"]
    result = CliRunner().invoke(module("lineage").main, words)
    assert result.exit_code == 1
    assert "`search` must come first: `settings.json` has no settings" in result.output
    assert not [*tmp_path.iterdir()]


def test_a_cell_says_how_many_solved_and_after_how_many_sequences(module):
    lineage = module("lineage")
    runs = [run_of(9_600, wrong=0.0), run_of(3_200, wrong=0.0), run_of(None, wrong=0.5)]
    rows = {name: [] for name in lineage.PROBLEMS}
    rows["adding"] = [
        row_of(module, "elman", runs, failed=1),
        row_of(module, "lstm", [run_of(None, wrong=w) for w in (0.25, 0.75, 0.5)]),
        row_of(module, "gru", [], failed=2),
    ]
    first = {row[0]: row[1] for row in lineage.overview(rows)}
    assert first["Elman (1990)"] == "2 of 4; 6,400"
    assert first["LSTM"] == "0 of 3; 50.0% wrong"
    assert first["GRU (2014)"] == "0 of 2; all failed"
    headings, *table = lineage.table_of(lineage.PROBLEMS["adding"], rows["adding"])
    cells = {row[0]: dict(zip(headings, row, strict=True)) for row in table}
    assert cells["Elman (1990)"] == {
        "cell": "Elman (1990)",
        "runs": "3, 1 failed",
        "solved": "2 of 4",
        "after sequences": "6,400",
        "wrong sequences": "0.00% (50.00%)",
        "seconds": "10 (10)",
        "weights": "1,153",
        "rounding": "jax",
    }
    assert cells["LSTM"]["after sequences"] == "-"
    assert cells["GRU (2014)"]["runs"] == "0, 2 failed"
    assert cells["leaky units"]["runs"] == "not run"


# --- languages ---


def language_run(score, seconds=60):
    return types.SimpleNamespace(
        test=types.SimpleNamespace(score=score),
        summary={"seconds": seconds, "weights": 7},
    )


def test_a_class_says_on_how_many_of_its_tasks_a_run_was_right(module):
    chomsky = module("chomsky")
    rows = {name: [] for name in chomsky.TASKS}
    for name, scores in {"even-pairs": (0.5, 0.9), "parity-check": (0.5, 0.6)}.items():
        rows[name] = [row_of(module, "lstm", [language_run(s) for s in scores])]
    headings, *table = chomsky.overview(rows)
    cells = {row[0]: dict(zip(headings, row, strict=True)) for row in table}
    assert list(cells) == ["regular", "context-free", "context-sensitive"]
    # The median of 90% and 60%; two of the four regular tasks have no run.
    assert cells["regular"]["lstm"] == "1 of 2; 75%; 2 not run"
    assert cells["regular"]["gru"] == cells["context-free"]["lstm"] == "not run"


def test_networks_without_runs_on_a_task_are_named(module):
    chomsky = module("chomsky")
    rows = {name: [] for name in chomsky.TASKS}
    known = [name for name in chomsky.NETWORKS if name not in ("gru", "tape-jumps")]
    rows["even-pairs"] = [row_of(module, n, [language_run(0.5)]) for n in known]
    text = chomsky.page(rows)
    assert "\nNot run: gru, tape with jumps.\n" in text
    assert "any network: `modular-arithmetic-simple`, `parity-check`, " in text
    assert "### even-pairs" in text and "### parity-check" not in text


def test_languages_without_runs_are_named(module):
    chomsky = module("chomsky")
    text = chomsky.page({name: [] for name in chomsky.TASKS})
    assert all(f"`{name}`" in text for name in chomsky.TASKS)


def test_a_failed_run_of_a_language_counts(module):
    chomsky = module("chomsky")
    runs = [language_run(score) for score in (0.95, 1.0)]
    table = chomsky.table_of([row_of(module, "stack", runs, failed=1)])
    (row,) = (row for row in table if row[0] == "stack")
    assert row[1:6] == ["2, 1 failed", "100.0%", "95.0%", "0.0%", "2 of 3"]
    assert row[6:] == ["1.0, 1.0", "7", "jax"]


def test_a_packed_history_still_says_that_everything_was_learned(module):
    """A curriculum hides successes, so five epochs at the end must tell it."""
    task = tasks.get_task("even-pairs")
    config = tasks.TrainingConfig().resolved(task, tasks.get_model("lstm", task))
    known = {"accuracy": 1.0, "rolled_back": 0, "seconds": 0}
    rows = [
        {"epoch": n, "sequences": 3_200 * n, "val_accuracy": float(n > 26), **known}
        for n in range(1, 32)
    ]
    packed = module("packs").thinned(rows, task, 20)
    assert len(packed) < len(rows)
    for kept in (rows, packed):
        assert History(kept, config).solved_at(task) == 99_200 < 0.6 * config.sequences


def test_every_language_stands_in_one_class(module):
    chomsky = module("chomsky")
    classes = chomsky.by_class({name: [] for name in chomsky.TASKS})
    assert [len(own) for own in classes.values()] == [4, 4, 7]
    assert not [*chomsky.draw({name: [] for name in chomsky.TASKS})]


def test_what_the_paper_reached_stands_beside_the_tasks_that_another_paper_quotes(
    module,
):
    chomsky = module("chomsky")
    assert set(chomsky.PUBLISHED) < set(chomsky.TASKS)
    assert chomsky.published_in_words("parity-check") == (
        "RNN 100%, Stack-RNN 100%, Tape-RNN 100%, Transformer 52%, LSTM 100%"
    )
    assert chomsky.published_in_words("bucket-sort") == ""


# The hierarchy has a cell for each class and network, the lineage one for each task and
# cell of its tables.
@pytest.mark.parametrize(("name", "least"), [("lineage", 101), ("chomsky", 30)])
def test_a_page_without_runs_says_so_and_is_not_written(module, name, least):
    made = module(name)
    text = made.page({task: [] for task in made.GRID.tasks})
    assert text.count("not run") >= least and "images/" not in text
    assert len(text.splitlines()) <= LINES
    kept = any(made.GRID.rows().values())
    assert (DOCS / f"{name}.md").exists() == kept


# --- both, with runs ---


@pytest.mark.slow
def test_cells_are_searched_trained_and_kept(
    module, tmp_path, trained_here, monkeypatch
):
    lineage, folder, packs = module("lineage"), tmp_path / "runs", tmp_path / "packs"
    monkeypatch.setattr(lineage, "RATES", (1e-3, 1e-2))
    part = ("--task", "temporal-xor", "--network", "elman", "--sequences", "64")
    found = invoke(lineage.main, "search", folder, *part)
    assert "\ntemporal-xor elman: learning rate 0.0" in found
    invoke(lineage.main, "train", folder, *part, "--seeds", "7,8")
    ((task, network, names),) = lineage.GRID.keep(folder, packs)
    assert (task, network, names) == ("temporal-xor", "elman", ["lineage.jsonl.gz"])
    rows = lineage.GRID.rows(packs)
    (row,) = rows["temporal-xor"]
    assert {run.run.training.seed for run in row.runs} == {7, 8}
    settings = lineage.GRID.settings(packs)["temporal-xor"]["elman"]
    assert {run.run.training.learning_rate for run in row.runs} == {
        settings["learning_rate"]
    }
    text = lineage.page(rows, packs)
    assert "| Elman (1990) | not run | not run | not run | 0 of 2; " in text
    rate = f"{settings['learning_rate']:g}"
    assert f"| Elman (1990) | not run | not run | not run | {rate} |" in text


@pytest.mark.slow
def test_networks_are_trained_on_languages_tested_and_kept(
    module, tmp_path, trained_here, monkeypatch
):
    chomsky, folder, packs = module("chomsky"), tmp_path / "runs", tmp_path / "packs"
    short = dataclasses.replace(
        chomsky.TRAINING, test_lengths="40-60:20", test_sequences=4
    )
    monkeypatch.setattr(chomsky, "TRAINING", short)
    part = ("--task", "even-pairs", "--network", "simple-rnn", "--sequences", "64")
    invoke(chomsky.main, "train", folder, *part, "--seeds", "7,8")
    assert [names for *_, names in chomsky.GRID.keep(folder, packs)] == [
        ["chomsky.jsonl.gz"]
    ]
    rows = chomsky.GRID.rows(packs)
    (row,) = rows["even-pairs"]
    assert [run.test.scored for run in row.runs] == [[60], [60]]
    text = chomsky.page(rows)
    assert "(images/chomsky.png)" in text and "(images/chomsky-regular.png)" in text
    assert "chomsky-context-free.png" not in text
    pictures = dict(chomsky.draw(rows))
    assert list(pictures) == ["chomsky.png", "chomsky-regular.png"]
    best = max(run.summary["by_length"]["score"] for run in row.runs)
    assert f"| simple-rnn | 2 | {best:.1%} |" in text
