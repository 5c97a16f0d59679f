"""Runs on executors: what is lost goes on, and what does not fit is named."""

import concurrent.futures
import dataclasses
import importlib.util
import os
import pathlib
import signal
import subprocess
import sys
import time
from concurrent.futures import Executor, Future

import pytest
from click.testing import CliRunner
from processes import is_alive

import tasks
from tasks.cli.main import main
from tasks.comparison import engine, worker
from tasks.comparison.lease import issue
from tasks.comparison.plan import make_plan
from tasks.comparison.processes import train_apart
from tasks.comparison.train_all import train_all
from tasks.models.recurrent import StackedLSTM
from tasks.runs import TrainingConfig, in_use
from tasks.runs.output_folder import OutputFolder

ROOT = pathlib.Path(__file__).parent.parent.parent
TASK = tasks.Copy(2, 1, 2)
MODEL = StackedLSTM(num_layers=1, layer_size=4)
TRAINING = TrainingConfig(sequences=64, batch_size=4, jit_compile=False)


def plan_in(folder, seeds=(5,)):
    return make_plan(TASK, [MODEL], seeds, folder, TRAINING)


class Fake(Executor):
    """An executor whose workers do what a list says, one item for each submission:
    an exception that they end with, or an outcome. It remembers what was asked."""

    def __init__(self, *results):
        self.results = list(results)
        self.asked = []

    def submit(self, function, asked):
        assert function is train_apart
        self.asked.append(asked)
        result, future = self.results.pop(0), Future()
        if isinstance(result, Exception):
            future.set_exception(result)
        else:
            future.set_result(result)
        return future


class Lost(Exception):
    """What an executor raises whose worker has died."""


def test_a_run_whose_worker_dies_is_submitted_again(tmp_path):
    fake = Fake(Lost("worker 1"), Lost("worker 2"), {"done": True})
    train_all(plan_in(tmp_path), executor=fake)
    assert len(fake.asked) == 3
    assert all(asked == fake.asked[0] for asked in fake.asked)


def test_a_run_that_is_lost_again_and_again_is_a_failure_with_its_reason(tmp_path):
    fake = Fake({"error": "diverged"}, *[Lost("no memory")] * engine.ATTEMPTS)
    _, failures = train_all(plan_in(tmp_path, (1, 2)), executor=fake)
    assert [failure.reason for failure in failures] == [
        "diverged",
        "Its worker was lost: Lost: no memory",
    ]


def test_a_broken_pool_is_a_failure_of_all_its_runs(tmp_path):
    pool = concurrent.futures.ThreadPoolExecutor(1)
    pool.shutdown()
    _, (failure,) = train_all(plan_in(tmp_path), executor=pool)
    assert "cannot schedule new futures after shutdown" in failure.reason


def test_workers_of_another_version_end_the_comparison(tmp_path):
    why = worker.unfit({"memnets": "0.0.1"})
    assert why.startswith(
        "Workers must have memnets 0.0.1, as this command has. Receiv"
    )
    assert worker.unfit({"backend": "another"})
    fake = Fake({"unfit": why}, {"done": True})
    with pytest.raises(tasks.RunError, match="Workers must have memnets 0.0.1"):
        train_all(plan_in(tmp_path, (1, 2)), executor=fake)
    assert fake.asked[0]["versions"]["memnets"] and worker.unfit({}) is None


def test_workers_that_do_not_see_the_folder_end_the_comparison(tmp_path):
    fake = Fake({"stopped": "node7"})
    with pytest.raises(tasks.RunError, match=r"all workers see. The one on node7 does"):
        train_all(plan_in(tmp_path / "runs"), executor=fake)
    assert not (tmp_path / "runs" / ".permit").exists()


def test_a_worker_trains_nothing_without_a_lease(tmp_path):
    lease = issue(OutputFolder(tmp_path, "comparison"), ".permit")
    fields = {"path": lease.path, "text": lease.text}
    later = issue(OutputFolder(tmp_path, "comparison"), ".permit")
    assert "stopped" in train_apart({"lease": fields})
    lease.withdraw()  # an old lease leaves the new one alone
    assert later.holds
    later.withdraw()
    assert not later.holds


@pytest.mark.slow
def test_a_run_is_stopped_when_its_lease_ends(tmp_path):
    (job,) = plan_in(tmp_path)
    endless = dataclasses.replace(job.training, sequences=10**8)
    job = dataclasses.replace(job, training=endless)
    lease = issue(OutputFolder(tmp_path, "comparison"), ".permit")

    def stop(line):
        lease.withdraw()

    with engine.Engine() as here:
        outcome = here.submit(job, lease, stop).result(60)
    assert "stopped" in outcome and not in_use(job.path)


# It starts a process like `train_apart`, says which, and waits.
PARENT = """
import subprocess, sys, time
child = "import sys, time; from metrics.parallel import end_with; " \\
    "end_with(int(sys.argv[1])); print('ready', flush=True); time.sleep(600)"
import os
process = subprocess.Popen([sys.executable, "-c", child, str(os.getpid())],
                           stdout=subprocess.PIPE, text=True)
assert process.stdout.readline() == "ready\\n"
print(process.pid, flush=True)
time.sleep(600)
"""


@pytest.mark.skipif(sys.platform != "linux", reason="looks into /proc")
@pytest.mark.parametrize("platform", ["linux", "darwin"])
def test_no_child_outlives_a_worker_that_is_killed(platform):
    fake = f"import sys; sys.platform = {platform!r}; "
    code = PARENT.replace('child = "', f'child = "{fake}')
    with subprocess.Popen(
        [sys.executable, "-c", code], cwd=ROOT, stdout=subprocess.PIPE, text=True
    ) as parent:
        child = int(parent.stdout.readline())
        assert is_alive(child)
        os.kill(parent.pid, signal.SIGKILL)
    end = time.monotonic() + 10
    while is_alive(child) and time.monotonic() < end:
        time.sleep(0.05)
    assert not is_alive(child)


@pytest.mark.parametrize(
    ("arguments", "error", "message"),
    [
        ({"executor": "dask"}, TypeError, "`executor` must have the `submit` of"),
        ({"executor": Fake(), "jobs": 2}, ValueError, "`jobs` must be 1 with an exec"),
    ],
)
def test_wrong_arguments_are_named(arguments, error, message, tmp_path):
    with pytest.raises(error, match=message):
        tasks.compare("copy", out=tmp_path / "runs", **arguments)
    assert not (tmp_path / "runs").exists()


def test_without_the_extra_the_option_names_it(monkeypatch, tmp_path):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setitem(sys.modules, "distributed", None)
    result = CliRunner().invoke(
        main, ["compare", "copy", "--scheduler", "tcp://head:8786"]
    )
    assert result.exit_code == 2
    assert result.stderr.splitlines() == [
        "Error: `--scheduler` needs the package distributed, which is not installed: "
        "pip install 'memnets[cluster]'."
    ]


@pytest.mark.skipif(
    importlib.util.find_spec("distributed") is None, reason="the extra is not installed"
)
@pytest.mark.filterwarnings("ignore")  # of Dask and its event loop
@pytest.mark.parametrize("address", ["tcp://127.0.0.1:9", "nowhere"])
def test_a_scheduler_that_is_not_there_is_named(address, monkeypatch, tmp_path):
    monkeypatch.setattr("tasks.comparison.cluster.CONNECT_SECONDS", 0.5)
    result = CliRunner().invoke(
        main, ["compare", "copy", "--scheduler", address, "--out", str(tmp_path / "r")]
    )
    assert result.exit_code == 2
    (line,) = result.stderr.splitlines()
    assert "address of a Dask scheduler that answers" in line and address in line
    assert not (tmp_path / "r").exists()


def test_nothing_of_the_extras_is_imported_unless_asked():
    code = (
        "import sys; import tasks.comparison.comparison, tasks.cli.main; "
        "assert not {'distributed', 'dask'} & set(sys.modules)"
    )
    subprocess.run([sys.executable, "-c", code], cwd=ROOT, check=True)
