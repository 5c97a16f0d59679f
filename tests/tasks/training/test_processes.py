"""Several processes that train one model together, on JAX."""

import json
import os
import pathlib
import socket
import subprocess
import sys

import pytest

import tasks
from tasks.models.ntm import NTMFeedforward
from tasks.runs import checkpoint, directory, jax_processes
from tasks.runs.directory import create_run, resume_run

ROOT = pathlib.Path(__file__).parents[3]
TASK = tasks.Copy(2, 1, 3)
TINY = NTMFeedforward(memory_size=8, word_size=4, controller_size=8)

pytestmark = pytest.mark.once


def start_both(folder, what):
    """Two processes of tests/two_processes.py, started."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    return [
        subprocess.Popen(
            [sys.executable, ROOT / "tests" / "two_processes.py", folder, what],
            env={
                **os.environ,
                **{"KERAS_BACKEND": "jax", "PYTHONPATH": str(ROOT)},
                "KERAS_DISTRIBUTION_JOB_ADDRESSES": f"127.0.0.1:{port}",
                "KERAS_DISTRIBUTION_NUM_PROCESSES": "2",
                "KERAS_DISTRIBUTION_PROCESS_ID": str(rank),
            },
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        for rank in range(2)
    ]


def state(folder):
    """Everything that a run ends with, except its seconds."""
    last = checkpoint.load_last(folder / "checkpoints")
    assert last is not None and len(last.rows) == 4
    rows = [{**row, "seconds": 0} for row in last.rows]
    return rows, [v.tobytes() for v in (*last.values, *last.rollback_values)]


@pytest.fixture(scope="module")
def killed(tmp_path_factory):
    """The folder of two processes, one of which was killed while they trained, what
    each had refused before, and their exit codes."""
    folder = tmp_path_factory.mktemp("processes")
    both = start_both(folder, "killed")
    printed = [process.communicate(timeout=120) for process in both]
    codes = [process.returncode for process in both]
    assert all(out for out, _ in printed), printed[0][1][-2000:]
    refused = [json.loads(out.splitlines()[-1]) for out, _ in printed]
    return folder, refused, codes


def test_a_killed_process_ends_the_other(killed):
    _, _, codes = killed
    assert codes[0] == -9
    assert codes[1] not in (0, -9)


def test_killed_processes_end_as_if_none_had_been_killed(killed):
    folder, _, _ = killed
    before = checkpoint.load_last(folder / "run" / "checkpoints").rows
    assert len(before) == 2
    both = start_both(folder, "resumed")
    for process in both:
        _, errors = process.communicate(timeout=120)
        assert process.returncode == 0, errors[-2000:]
    assert state(folder / "run") == state(folder / "whole")
    run = tasks.open_run(folder / "run")
    assert (run.devices, run.processes) == (2, 2)


@pytest.mark.parametrize(
    ("what", "first", "second"),
    [
        ("lone", "set KERAS_DISTRIBUTION_JOB_ADDRESSES", None),
        ("batch", "`batch_size` must be a multiple of 2", None),
        ("command", 'process 1 differs from process 0: "seed": 1 instead of', None),
        ("again", "holds a run", "holds a run. * (process 0)"),
    ],
)
def test_all_processes_refuse_alike(killed, what, first, second):
    _, refused, _ = killed
    for found, expected in zip(refused, (first, second or first), strict=True):
        for piece in expected.split("*"):
            assert piece.strip(" .") in found[what]
    assert not refused[0]["written"]


def test_tensorflow_is_refused():
    with pytest.raises(ValueError, match="needs the backend jax .*issues/20585"):
        tasks.join_processes()


@pytest.mark.parametrize(
    ("name", "value", "message"),
    [
        ("NUM_PROCESSES", "two", "`KERAS_DISTRIBUTION_NUM_PROCESSES` must be a whole"),
        ("PROCESS_ID", "-1", "`KERAS_DISTRIBUTION_PROCESS_ID` must be a whole number"),
        ("JOB_ADDRESSES", "here", "must be host:port of process 0. Received: 'here'"),
    ],
)
def test_addresses_are_checked(monkeypatch, name, value, message):
    monkeypatch.setenv(f"KERAS_DISTRIBUTION_{name}", value)
    monkeypatch.setattr("keras.backend.backend", lambda: "jax")
    with pytest.raises(ValueError, match=message):
        tasks.join_processes()


def test_resuming_with_other_processes_warns(tmp_path, monkeypatch):
    config = tasks.TrainingConfig(sequences=800).resolved(TASK, TINY)
    create_run(tmp_path, TASK, TINY, config)
    monkeypatch.setattr(directory, "num_processes", lambda: 2)
    with pytest.warns(UserWarning, match="begun with processes=1, now processes=2"):
        resume_run(tmp_path, TASK, TINY, config)


def test_other_settings_are_named(monkeypatch):
    settings = [b"{\n a: 1,\n b: 2\n}", b"{\n a: 1,\n b: 3\n}"]
    monkeypatch.setattr(jax_processes, "gathered", lambda data: settings)
    with pytest.raises(ValueError, match="process 0: b: 3 instead of b: 2$"):
        jax_processes.check_alike("")
