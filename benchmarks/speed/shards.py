"""Checks that scores of shards are what one process gives, and what they cost.

    python benchmarks/speed/shards.py exact       a killed worker; == or 1e-12
    python benchmarks/speed/shards.py intervals   against the multinomial bootstrap
    python benchmarks/speed/shards.py coverage    500 corpora of a known population
    python benchmarks/speed/shards.py size        10^7 segments: memory and time

Shards are made in a temporary folder and deleted. Times are processor times, since
other programs may run beside; seconds by the clock need quiet cores. Peaks of memory
are those that Linux keeps (VmHWM). `exact` needs 4 GB, for the corpus in one process a
metric.
"""

import concurrent.futures
import contextlib
import gzip
import json
import multiprocessing
import os
import pathlib
import resource
import signal
import subprocess
import sys
import tempfile
import threading
import time

import click
import numpy as np
from scoring import COMMAND, made_up

import metrics
from metrics.significance.draws import Draws
from metrics.significance.partial_sums import score_sums, sums_of_rows
from tasks.scoring.shard_files import blocks_of
from tasks.scoring.shards import score_shards

COUNTED = ("bleu", "meteor", "ter", "wer", "chrf")
AVERAGED = ("cider-d", "rouge-l")
SEED = 2001
CONFIDENCE = 0.95


def write_shards(folder, files, segments, *, pool=None):
    """Writes shards of made-up texts; each takes its segments from a pool at random."""
    hypotheses, references = made_up(pool or files * segments, 1, seed=SEED)
    rng = np.random.default_rng(SEED)
    order = np.arange(len(hypotheses))
    paths = []
    for number in range(files):
        own = order[number * segments : (number + 1) * segments]
        if pool:
            own = rng.integers(pool, size=segments)
        paths.append(folder / f"{number:04}.tsv.gz")
        with gzip.open(paths[-1], "wt", compresslevel=1, encoding="utf-8") as file:
            for index in own:
                file.write(f"{hypotheses[index]}\t{references[index][0]}\n")
    return paths


class Watch(threading.Thread):
    """Notes peaks of memory and processor times of a process and its children, and
    kills one of these at the seconds asked for."""

    def __init__(self, pid, kill_at=()):
        super().__init__(daemon=True)
        self.pid, self.kill_at = pid, list(kill_at)
        self.peaks, self.seconds, self.killed = {}, {}, 0
        self.ended = threading.Event()

    def run(self):
        start = time.monotonic()
        while not self.ended.wait(0.2):
            children = self._children()
            for pid in (self.pid, *children):
                with contextlib.suppress(OSError, StopIteration, IndexError):
                    self._look_at(pid)
            late = self.kill_at and time.monotonic() - start > self.kill_at[0]
            if late and children:
                os.kill(children[0], signal.SIGKILL)
                self.kill_at.pop(0)
                self.killed += 1

    def _children(self):
        path = pathlib.Path(f"/proc/{self.pid}/task/{self.pid}/children")
        with contextlib.suppress(OSError):
            return [int(pid) for pid in path.read_text().split()]
        return []

    def _look_at(self, pid):
        lines = pathlib.Path(f"/proc/{pid}/status").read_text().splitlines()
        peak = next(line for line in lines if line.startswith("VmHWM"))
        self.peaks[pid] = int(peak.split()[1]) / 1024
        fields = pathlib.Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2]
        ticks = sum(map(int, fields.split()[11:13]))
        self.seconds[pid] = ticks / os.sysconf("SC_CLK_TCK")


def command(paths, *options, kill_at=()):
    """Runs `memnets score` on shards. Returns its JSON and who watched it."""
    words = [sys.executable, "-c", COMMAND, "score", *map(str, paths), "--json"]
    # One thread of BLAS a process, or idle threads would count as work.
    environment = os.environ | {"OMP_NUM_THREADS": "1"}
    with subprocess.Popen(
        [*words, *options], stdout=subprocess.PIPE, text=True, env=environment
    ) as process:
        watch = Watch(process.pid, kill_at)
        watch.start()
        output = process.stdout.read()
        watch.ended.set()
        watch.join()
    if process.returncode:
        raise SystemExit(process.returncode)
    return json.loads(output)["metrics"], watch


def in_memory(paths, name):
    """The score that one process gives the corpus as a whole."""
    rows = [row for path in paths for block in blocks_of(str(path), 2) for row in block]
    hypotheses = [row[0] for row in rows]
    references = [row[1:] for row in rows]
    return metrics.get(name).corpus_score(references, hypotheses)


@contextlib.contextmanager
def dask_that_loses_a_worker(kill_after):
    """The address of a scheduler with two workers, of which one is killed."""
    import distributed

    with (
        distributed.LocalCluster(
            n_workers=2, threads_per_worker=1, processes=True, dashboard_address=None
        ) as cluster,
        distributed.Client(cluster) as client,
    ):
        victim = next(iter(client.run(os.getpid).values()))
        timer = threading.Timer(kill_after, os.kill, (victim, signal.SIGKILL))
        timer.start()
        yield cluster.scheduler_address
        if timer.is_alive():
            raise SystemExit("The command ended before the worker was killed.")


def show(*cells):
    click.echo("\t".join(map(str, cells)))
    sys.stdout.flush()


@click.group()
def main():
    """Checks and costs of scores of shards."""


@main.command()
@click.option("--files", default=200)
@click.option("--segments", default=5000, help="In each file.")
@click.option("--kill-at", multiple=True, default=(30.0, 150.0), help="Seconds.")
@click.option("--dask", is_flag=True, help="Another run, on two workers of Dask.")
def exact(files, segments, kill_at, dask):
    """Whether a killed worker changes a score."""
    names = [*COUNTED, *AVERAGED]
    options = ["--metrics", *names]
    context = multiprocessing.get_context("spawn")
    with (
        tempfile.TemporaryDirectory() as folder,
        concurrent.futures.ProcessPoolExecutor(2, mp_context=context) as pool,
    ):
        paths = write_shards(pathlib.Path(folder), files, segments)
        whole = {name: pool.submit(in_memory, paths, name) for name in names}
        found = command(paths, *options, "--jobs", "2", kill_at=kill_at)
        runs = {"2 processes": found}
        show("workers killed", found[1].killed)
        if dask:
            with dask_that_loses_a_worker(kill_at[-1]) as address:
                runs["2 Dask workers"] = command(
                    paths, *options, "--scheduler", address
                )
        expected = {name: future.result() for name, future in whole.items()}
    show("run", "metric", "score", "relative difference", "required", "met")
    for run, (found, _) in runs.items():
        for name in names:
            value, whole = found[name]["value"], expected[name].value
            difference = abs(value / whole - 1)
            required = 0 if name in COUNTED else 1e-12
            show(run, name, value, difference, required, difference <= required)
    show("run", "peak of the driver, MB", "peak of a worker here, MB")
    for run, (_, watch) in runs.items():
        driver = watch.peaks.pop(watch.pid)
        show(run, round(driver), round(max(watch.peaks.values(), default=0)))


@main.command()
@click.option("--files", default=20)
@click.option("--segments", default=500, help="In each file.")
@click.option("--resamples", default=10_000)
def intervals(files, segments, resamples):
    """Poisson against multinomial, and one process against 2 and 7."""
    names = [*COUNTED, *AVERAGED]
    chosen = {name: metrics.get(name) for name in names}
    with tempfile.TemporaryDirectory() as folder:
        paths = write_shards(pathlib.Path(folder), files, segments)
        results = [
            score_shards(
                chosen,
                paths,
                confidence=CONFIDENCE,
                resamples=resamples,
                seed=SEED,
                jobs=jobs,
            )
            for jobs in (1, 2, 7)
        ]
        rows = [r for path in paths for block in blocks_of(str(path), 2) for r in block]
    one, two, seven = ([result.scores for result in run] for run in results)
    show("identical for 1, 2 and 7 workers", one == two == seven)
    texts = [row[1:] for row in rows], [row[0] for row in rows]
    show("metric", "Poisson", "multinomial", "ends differ by, of the width", "met")
    for name, [score] in zip(names, one, strict=True):
        whole = chosen[name].corpus_score(
            *texts, confidence=CONFIDENCE, resamples=resamples, seed=SEED
        )
        own, other = score.interval, whole.interval
        width = other.high - other.low
        ends = [abs(own.low - other.low) / width, abs(own.high - other.high) / width]
        shown = [f"{i.low:.5f} to {i.high:.5f}" for i in (own, other)]
        show(name, *shown, " ".join(f"{end:.1%}" for end in ends), max(ends) < 0.05)


@main.command()
@click.option("--corpora", default=500)
@click.option("--segments", default=1000, help="In each corpus.")
@click.option("--resamples", default=1000)
def coverage(corpora, segments, resamples):
    """How often the interval holds the score of the population."""
    hypotheses, references = made_up(20_000, 1, seed=SEED)
    show("metric", "corpora", "covered", "met")
    for name in ("bleu", "ter", "wer", "rouge-l"):
        metric = metrics.get(name)
        population = metric.corpus_statistics(references, hypotheses)
        truth = metric.score_from(population.sum(axis=0)).value
        held = 0
        for seed in range(SEED, SEED + corpora):
            drawn = np.random.default_rng(seed).integers(20_000, size=segments)
            draws = Draws("bootstrap", resamples, seed)
            sums = sums_of_rows(population[drawn], draws, "corpus")
            interval = score_sums(metric, sums, confidence=CONFIDENCE).interval
            held += interval.low <= truth <= interval.high
        share = held / corpora
        show(name, corpora, f"{share:.1%}", abs(share - CONFIDENCE) <= 0.025)


@main.command()
@click.option("--files", default=100)
@click.option("--segments", default=100_000, help="In each file.")
def size(files, segments):
    """Memory and time of a corpus that is not held in memory."""
    options = ["--confidence", "--seed", str(SEED)]
    show(
        "processes",
        "BLEU",
        "peak of driver, MB",
        "of a worker",
        "processor s",
        "most",
        "seconds by the clock",
    )
    with tempfile.TemporaryDirectory() as folder:
        paths = write_shards(pathlib.Path(folder), files, segments, pool=100_000)
        for jobs in (1, 2):
            before = resource.getrusage(resource.RUSAGE_CHILDREN)
            start = time.monotonic()
            found, watch = command(paths, *options, "--jobs", str(jobs))
            seconds = time.monotonic() - start
            after = resource.getrusage(resource.RUSAGE_CHILDREN)
            total = sum(
                getattr(after, field) - getattr(before, field)
                for field in ("ru_utime", "ru_stime")
            )
            driver = watch.peaks.pop(watch.pid)
            worker = max(watch.peaks.values(), default=0)
            most = max(watch.seconds.values())
            cells = found["bleu"]["value"], round(driver), round(worker), round(total)
            show(jobs, *cells, round(most), round(seconds))


if __name__ == "__main__":
    main()
