"""Counting in processes: the same rows, and forks only where they are safe."""

import os
import pathlib
import signal
import subprocess
import sys
import threading
import time

import pytest
from processes import is_alive

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


KILLED = """
import os, signal, sys
from metrics import BLEU

class Killed(BLEU):
    def _block_statistics(self, references, hypotheses):
        if os.getpid() != MAIN and (sys.argv[1] == "always" or not os.path.exists("x")):
            open("x", "w").close()
            os.kill(os.getpid(), signal.SIGKILL)
        return super()._block_statistics(references, hypotheses)

MAIN = os.getpid()
references, hypotheses = [["a cat sat"]] * 2000, ["cats sat", "a dog"] * 1000
try:
    rows = Killed().corpus_statistics(references, hypotheses, jobs=2)
    assert (rows == BLEU().corpus_statistics(references, hypotheses)).all()
    print("the same rows")
except ChildProcessError as error:
    print(error)
"""


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux forks")
@pytest.mark.parametrize(
    ("times", "printed"),
    [
        ("once", "the same rows\n"),
        (
            "always",
            "A process died, or its executor failed, at `segment 1` or one of the "
            "next. It was tried 3 times. The usual reason is that memory ran out. "
            "Received: A ",  # the rest is Python's, which says it in two ways
        ),
    ],
)
def test_a_process_that_is_killed_is_replaced_or_one_line(times, printed, tmp_path):
    done = subprocess.run(
        [sys.executable, "-c", KILLED, times],
        capture_output=True,
        text=True,
        cwd=tmp_path,
        env=os.environ | {"PYTHONPATH": str(ROOT)},
    )
    assert done.stdout.startswith(printed)
    assert (done.stdout.count("\n"), done.stderr) == (1, "")


# Its processes have much to count, and say which they are.
ENDLESS = """
import os, time
from metrics import BLEU, parallel

def split(text):
    os.write(1, f"{os.getpid()}\\n".encode())  # one call: lines are not mixed
    time.sleep(600)

if __name__ == "__main__":
    parallel.start_method = lambda: METHOD
    BLEU(tokenizer=split).corpus_score([["a"]] * 1200, ["a"] * 1200, jobs=2)
"""


@pytest.mark.skipif(sys.platform != "linux", reason="looks into /proc")
@pytest.mark.parametrize("method", ["fork", "spawn"])
@pytest.mark.parametrize("sent", [signal.SIGTERM, signal.SIGKILL])
def test_processes_end_with_the_one_that_started_them(sent, method, tmp_path):
    path = tmp_path / "endless.py"
    path.write_text(ENDLESS.replace("METHOD", repr(method)))
    with subprocess.Popen(
        [sys.executable, path],
        env=os.environ | {"PYTHONPATH": str(ROOT)},
        stdout=subprocess.PIPE,
        text=True,
    ) as process:
        children = [int(process.stdout.readline()) for _ in range(2)]
        process.send_signal(sent)
    end = time.monotonic() + 10
    while any(map(is_alive, children)) and time.monotonic() < end:
        time.sleep(0.05)
    assert len({process.pid, *children}) == 3 and not any(map(is_alive, children))


def test_an_error_of_the_metric_is_raised_as_it_is(monkeypatch):
    monkeypatch.setattr(parallel, "start_method", lambda: "spawn")
    with pytest.raises(OwnError, match="^no tokens$"):
        BLEU(tokenizer=fail).corpus_score(REFERENCES, HYPOTHESES, jobs=2)


class OwnError(Exception):
    """Of a module, not of Python."""


def fail(text):
    raise OwnError("no tokens")
