"""Counting in processes: the same rows, and forks only where they are safe."""

import pathlib
import subprocess
import sys
import threading

import pytest

from metrics import BLEU, parallel
from metrics.meteor.meteor import METEOR

ROOT = pathlib.Path(__file__).parents[2]
HYPOTHESES = ["the cat sat", "a dog runs", "birds sing"] * 400
REFERENCES = [["the cats sat"], ["the dog ran"], ["a bird sings"]] * 400


@pytest.fixture
def frameworkless(monkeypatch):
    for name in parallel.THREADED:
        monkeypatch.delitem(sys.modules, name, raising=False)
    monkeypatch.setattr(threading, "active_count", lambda: 1)
    monkeypatch.setattr(sys, "platform", "linux")


def test_one_thread_without_a_framework_may_fork(frameworkless):
    assert parallel.start_method() == "fork"


@pytest.mark.parametrize("framework", ["tensorflow", "jax", "torch"])
def test_a_process_with_a_framework_is_not_forked(
    frameworkless, monkeypatch, framework
):
    monkeypatch.setitem(sys.modules, framework, None)
    assert parallel.start_method() == "spawn"


def test_a_process_with_threads_is_not_forked(frameworkless, monkeypatch):
    monkeypatch.setattr(threading, "active_count", lambda: 2)
    assert parallel.start_method() == "spawn"


def test_only_linux_forks(frameworkless, monkeypatch):
    monkeypatch.setattr(sys, "platform", "darwin")
    assert parallel.start_method() == "spawn"


FORKING = """
import numpy as np
from metrics import METEOR, parallel
references, hypotheses = [["a cat sat"]] * 1200, ["cats sat", "a dog"] * 600
metric = METEOR("1.5")
rows = metric.corpus_statistics(references, hypotheses, jobs=2)
assert (rows == metric.corpus_statistics(references, hypotheses)).all()
print(parallel.start_method())
"""


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux forks")
def test_forks_give_the_rows_of_one_process():
    # In a process of its own: this one may have loaded a framework.
    command = [sys.executable, "-W", "error", "-c", FORKING]
    done = subprocess.run(command, capture_output=True, text=True, cwd=ROOT)
    assert (done.stdout, done.stderr) == ("fork\n", "")


def test_a_function_without_a_name_cannot_go_to_new_processes(monkeypatch):
    monkeypatch.setattr(parallel, "start_method", lambda: "spawn")
    metric = BLEU(tokenizer=lambda text: text.split())
    with pytest.raises(ValueError, match="with functions of modules only. Received: "):
        metric.corpus_score(REFERENCES, HYPOTHESES, jobs=2)


def test_new_processes_give_the_rows_of_one_process(monkeypatch):
    monkeypatch.setattr(parallel, "start_method", lambda: "spawn")
    metric = METEOR("1.5")
    rows = metric.corpus_statistics(REFERENCES, HYPOTHESES, jobs=2)
    assert (rows == metric.corpus_statistics(REFERENCES, HYPOTHESES)).all()
