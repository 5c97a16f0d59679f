"""Runs of format 3 are read as they were written."""

import csv
import json
import pathlib
import zipfile

import pytest

import tasks
from tasks.training.summary import results_of

FORMAT_3 = pathlib.Path(__file__).with_name("format_3.zip")
with zipfile.ZipFile(FORMAT_3) as _packed:
    RUNS = sorted({name.rpartition("/")[0] for name in _packed.namelist()})
# Names of earlier versions, and those of this one.
RENAMED = {
    "go_on": "continue_rate",
    "alike": "similar_items",
    "redrawn": "randomized",
    "taken_back": "rolled_back",
    "vectors": "vector_errors",
    "end marker": "marker_errors",
}


def renamed(values):
    """A dictionary of strings and numbers with the names of this version."""
    return {
        RENAMED.get(key, key): RENAMED.get(value, value)
        if isinstance(value, str)
        else value
        for key, value in values.items()
    }


@pytest.fixture(scope="module")
def unpacked(tmp_path_factory):
    folder = tmp_path_factory.mktemp("format_3")
    with zipfile.ZipFile(FORMAT_3) as packed:
        packed.extractall(folder)
    return folder


@pytest.fixture(params=RUNS, ids=lambda name: name.replace("/", "-"))
def path(request, unpacked):
    return unpacked / request.param


def test_there_are_runs():
    assert {name.partition("/")[0] for name in RUNS} == {
        "associative-recall",
        "copy",
        "dynamic-ngrams",
        "priority-sort",
        "repeat-copy",
    }


def test_configuration_is_that_of_the_file(path):
    run = tasks.open_run(path)
    saved = json.loads((path / "config.json").read_text())
    config = run.config
    # Copy had no additional blank vectors at first.
    blank = {"blank_rate": 0.0} if run.task.name == "copy" else {}
    assert blank | renamed(saved["task"]) == config["task"]
    # Models had no bounds of inputs and carries, no dropout and one bias of the shifts.
    added = {
        "input_clip": 0.0,
        "cell_clip": 0.0,
        "dropout": 0.0,
        "write_shift_bias": None,
    }
    added = {name: added[name] for name in added.keys() & config["model"].keys()}
    assert added | renamed(saved["model"]) == config["model"]
    # Trainings had no choice of the optimizer at first, and always said whether XLA
    # compiled the steps, or nothing of it.
    added = {"jit_compile": None, "optimizer": "adam", "schedule": "cosine"}
    added |= {"epoch_steps": 100, "warmup": 0, "keep": "last", "average": 1}
    added |= {"starts": 1, "start_sequences": None, "stateful": False}
    added |= {"passes": None, "patience": 0, "clip_value": None}
    added |= {"test_lengths": None, "test_sequences": None}
    assert added | saved["training"] == config["training"]
    assert saved["versions"] == run.versions
    assert run.model.layer(2)


def test_history_is_that_of_the_file(path):
    run = tasks.open_run(path)
    history = run.read_history()
    with open(path / "history.csv", newline="") as file:
        lines = [line for line in file if not line.startswith("#")]
    rows = [
        {name: float(value) for name, value in row.items()}
        for row in csv.DictReader(lines)
    ]
    assert list(history) == [renamed(row) for row in rows]
    assert len(history) == run.training.epochs


def test_summary_is_that_of_the_file(path):
    run = tasks.open_run(path)
    summary, history = run.read_summary(), run.read_history()
    saved = renamed(json.loads((path / "summary.json").read_text()))
    for name in saved.keys() - {"lengths", "sha256"}:
        assert summary[name] == saved[name]
    assert summary["solved_at"] == history.solved_at(run.task)
    assert {name: summary[name] for name in history.final} == history.final
    results = results_of(summary)
    for entry, result in zip(saved["lengths"], results, strict=True):
        parts = renamed(entry.pop("part_errors"))
        best = entry.pop("best_bits")
        expected = entry | parts | ({} if best is None else {"best_bits": best})
        for name, value in expected.items():
            assert getattr(result, name) == value
        assert result.values.keys() == expected.keys() - {
            "length",
            "size",
            "beyond",
            "sequences",
        }
    assert [r.size for r in results] == [
        task.evaluation.sizes for task in run.task.evaluation.eval_tasks
    ]
