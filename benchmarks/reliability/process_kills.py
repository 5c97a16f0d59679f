"""Kills one of two processes that train together, and starts both again, for
`reliability.py`."""

import os
import random
import socket
import sys
import time

from kill_jobs import EPOCHS, Network, jobs
from kills import Trials, final_state, make_context

# Heuristic: the other process must have ended by itself so many seconds later.
LONGEST = 60
# Heuristic: seconds in which both have started; one that was killed before never comes.
WAIT = 30
# The job of kills.py whose network is trained, in epochs that are shorter.
JOB = "copy"
SHORT = {"epoch_steps": 15, "sequences": 30 * EPOCHS, "evaluate": False}


def train_together(rank, port, folder, begun):
    """Trains as one of two processes."""
    prefix = "KERAS_DISTRIBUTION"
    os.environ[f"{prefix}_JOB_ADDRESSES"] = f"127.0.0.1:{port}"
    os.environ[f"{prefix}_NUM_PROCESSES"] = "2"
    os.environ[f"{prefix}_PROCESS_ID"] = str(rank)
    import jax

    import tasks

    # Keras would load TensorFlow to set its seed too: seconds of each start.
    sys.modules["tensorflow"] = None

    tasks.join_processes(WAIT)
    job = jobs()[JOB]

    def shorter(texts):
        task, model, options = job.make(texts)
        return task, model, options | SHORT

    Network(shorter).train(folder, begun)
    jax.distributed.shutdown()  # a child of multiprocessing ends without it


def epochs_of(path):
    """Epochs of a run so far."""
    from tasks.runs import checkpoint

    last = checkpoint.load_last(path / "checkpoints")
    return 0 if last is None else len(last.rows)


class Pair:
    """Two processes, with the methods of one.

    Args:
        processes: Both, started.
        path: Their run.
        rng: Chooses which one is killed.
    """

    def __init__(self, processes, path, rng):
        self.processes = processes
        self.path = path
        self.rng = rng
        self.ended_after = 0.0

    @property
    def exitcode(self):
        """None while one of them runs; else the first that is not 0."""
        codes = [process.exitcode for process in self.processes]
        return None if None in codes else next(filter(None, codes), 0)

    def join(self, seconds=None):
        """Waits until both have ended."""
        end = None if seconds is None else time.monotonic() + seconds
        for process in self.processes:
            process.join(None if end is None else max(0.0, end - time.monotonic()))

    def kill(self):
        """Kills one; the other must end by itself, with a status that is not 0."""
        killed, other = self.rng.sample(self.processes, 2)
        killed.kill()
        began = time.monotonic()
        other.join(LONGEST)
        self.ended_after = time.monotonic() - began
        if other.exitcode is None:
            other.kill()
            raise RuntimeError(f"A process runs on for {LONGEST} s without the other.")
        if other.exitcode == 0 and epochs_of(self.path) < EPOCHS:
            raise RuntimeError("A process has ended with 0 before the training has.")


class PairTrials(Trials):
    """Starts two processes that train together, and kills either."""

    def __init__(self, *arguments):
        super().__init__(*arguments)
        self.pairs = []

    def start(self, job, path):
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            port = free.getsockname()[1]
        begun = self.context.Event()
        processes = [
            self.context.Process(target=train_together, args=(rank, port, path, begun))
            for rank in range(2)
        ]
        for process in processes:
            process.start()
        self.pairs.append(Pair(processes, path, self.rng))
        return self.pairs[-1], begun


def check(count, folder):
    """Trains until either of two processes was killed `count` times, once a run."""
    trials = PairTrials(make_context(), random.Random(count), folder)
    whole, seconds = trials.unharmed(JOB)
    runs = same = 0
    while trials.kills < count:
        path = folder / f"killed-{runs}"
        runs += 1
        if trials.ends(JOB, path, 1, seconds):
            same += final_state(JOB, path) == whole
        counts = f"{trials.kills} kills, {same} of {runs} runs the same"
        print(counts, file=sys.stderr, flush=True)
    slowest = max(pair.ended_after for pair in trials.pairs)
    return {
        "tried": f"{trials.kills} kills of one of two processes, {trials.starting} of "
        f"them while starting; {runs} runs",
        "wrong": runs - same,
        "found": f"{same} of {runs} final states identical to the byte; the other "
        f"process ended by itself after {slowest:.0f} s at most",
    }
