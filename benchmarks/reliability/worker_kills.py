"""Kills the workers of a cluster while they train, for `reliability.py`.

    python benchmarks/reliability/worker_kills.py [--runs 40] [--kills 10] \\
        [--engine dask]

Trains small runs on this machine, and again on local workers that are killed with
SIGKILL at random moments. All runs must end with the same bytes, and no process and no
lock may be left.
"""

import concurrent.futures
import contextlib
import json
import multiprocessing
import os
import pathlib
import random
import sys
import tempfile
import threading
import time
import uuid

import click

MARK = "MEMNETS_WORKER_KILLS"  # in the environment of every process of a trial
WORKERS = 4
LEAST, MOST = 1.0, 6.0  # seconds between two kills


def plan_in(folder, runs):
    """Small runs of two models, an epoch of which takes a tenth of a second."""
    import tasks
    from tasks.comparison.plan import make_plan
    from tasks.models.ntm import NTMFeedforward
    from tasks.models.recurrent import StackedLSTM

    models = [
        NTMFeedforward(memory_size=8, word_size=4, controller_size=8),
        StackedLSTM(num_layers=1, layer_size=4),
    ]
    training = tasks.TrainingConfig(sequences=4000, batch_size=2)
    seeds = range(1, runs // 2 + 1)
    return make_plan(tasks.Copy(2, 1, 4), models, seeds, folder, training)


def final_state(path):
    """Everything that a run ends with, except its seconds."""
    from tasks.runs.checkpoint import load_last

    last = load_last(path / "checkpoints")
    rows = [{**row, "seconds": 0.0} for row in last.rows]
    values = [*last.values, *last.rollback_values]
    return json.dumps(rows), [value.tobytes() for value in values]


@contextlib.contextmanager
def dask():
    """An executor of local workers, and a function that gives their processes."""
    import distributed

    with (
        distributed.LocalCluster(
            n_workers=WORKERS,
            threads_per_worker=1,
            processes=True,
            dashboard_address=None,
            silence_logs=50,
        ) as cluster,
        distributed.Client(cluster.scheduler_address, set_as_default=False) as client,
    ):
        yield (
            client.get_executor(pure=False),
            lambda: list(client.run(os.getpid).values()),
        )


@contextlib.contextmanager
def pool():
    """A process pool, which breaks when one of its workers is killed."""
    context = multiprocessing.get_context("spawn")
    with concurrent.futures.ProcessPoolExecutor(WORKERS, context) as executor:
        yield executor, lambda: list(executor._processes)


@contextlib.contextmanager
def loky():
    """The process pool of joblib, which breaks as well."""
    from joblib.externals.loky import ProcessPoolExecutor

    with ProcessPoolExecutor(WORKERS) as executor:
        yield executor, lambda: list(executor._processes)


ENGINES = {"dask": dask, "pool": pool, "loky": loky}


class Killer(threading.Thread):
    """Kills a random worker at random moments, so many times."""

    def __init__(self, pids, kills, rng):
        super().__init__(daemon=True)
        self.pids, self.rng = pids, rng
        self.left, self.done = kills, 0
        self.stopped = threading.Event()

    def run(self):
        import psutil

        while self.left and not self.stopped.wait(self.rng.uniform(LEAST, MOST)):
            with contextlib.suppress(Exception):  # a worker that has just been killed
                pid = self.rng.choice(self.pids())
                # One that trains: a kill of an idle worker would try nothing.
                if trainings(psutil.Process(pid).children(recursive=True)):
                    os.kill(pid, 9)
                    self.left -= 1
                    self.done += 1


def trainings(processes):
    """Those of the processes that train a run."""
    import psutil  # comes with Dask

    found = []
    for process in processes:
        with contextlib.suppress(psutil.Error):
            if "tasks.comparison.worker" in " ".join(process.cmdline()):
                found.append(process)
    return found


def orphans(mark):
    """Trainings of this trial that still run."""
    import psutil

    found = []
    for process in trainings(psutil.process_iter()):
        with contextlib.suppress(psutil.Error):
            if process.environ().get(MARK) == mark:
                found.append(process.pid)
    return found


def train_with_kills(engine, plan, kills, rng):
    """Trains a plan to its end. Returns the number of kills, and of executors that
    broke, after which the same command was given again."""
    from tasks.comparison.train_all import train_all

    done = broken = 0
    while True:
        with ENGINES[engine]() as (executor, pids):
            killer = Killer(pids, kills - done, rng)
            killer.start()
            _, failures = train_all(plan, executor=executor)
            killer.stopped.set()
            killer.join()
            done += killer.done
        if not failures:
            return done, broken
        click.echo(f"{failures[0]} ({len(failures)} failures)", err=True)
        broken += 1
        if broken > kills + 1:
            return done, broken


def check(count, folder, kills=None, engine="dask"):
    """Trains `count` runs with kills. Returns a row of the table of reliability."""
    from tasks.comparison.train_all import train_all
    from tasks.runs import in_use

    mark = os.environ[MARK] = uuid.uuid4().hex
    count += count % 2
    kills = max(1, count // 4) if kills is None else kills
    here, there = plan_in(folder / "here", count), plan_in(folder / "there", count)
    began = time.monotonic()
    # One after another: with several at a time each has one core, and other rounding.
    _, failures = train_all(here)
    click.echo(f"on this machine: {time.monotonic() - began:.0f} s", err=True)
    done, broken = train_with_kills(engine, there, kills, random.Random(count))
    click.echo(f"with kills: {time.monotonic() - began:.0f} s in all", err=True)
    different = sum(
        final_state(a.path) != final_state(b.path)
        for a, b in zip(here, there, strict=True)
    )
    time.sleep(1)
    left = len(orphans(mark)) + sum(in_use(job.path) for job in there)
    again = f", {broken} broken pools" if engine != "dask" else ""
    return {
        "tried": f"{count} runs on {WORKERS} workers, {done} kills of workers{again}",
        "wrong": len(failures) + different + left + (kills - done),
        "found": f"{count - different} of {count} final states identical to the byte, "
        f"{left} processes or locks left",
    }


@click.command()
@click.option("--runs", type=click.IntRange(1), default=40)
@click.option("--kills", type=click.IntRange(0), default=10)
@click.option("--engine", type=click.Choice(list(ENGINES)), default="dask")
def main(runs, kills, engine):
    """Kills the workers of a cluster while they train."""
    with tempfile.TemporaryDirectory() as folder:
        found = check(runs, pathlib.Path(folder), kills, engine)
    click.echo(json.dumps(found))
    sys.exit(found["wrong"] > 0)


if __name__ == "__main__":
    main()
