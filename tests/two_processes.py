"""One of two processes that train together, on JAX.

Run by `tests/tasks/training/test_processes.py`: `two_processes.py FOLDER killed` trains
until one is killed, and `two_processes.py FOLDER resumed` goes on. Each process prints
what was refused.
"""

import json
import os
import pathlib
import signal
import sys

import keras

import tasks
from tasks.models.ntm import NTMFeedforward

TASK = tasks.Copy(2, 1, 3)
TINY = NTMFeedforward(memory_size=8, word_size=4, controller_size=8)
OPTIONS = {"sequences": 80, "batch_size": 4, "epoch_steps": 5}
OTHERS = {"save_seconds": 0, "progress": False, "evaluate": False}
RANK = int(os.environ["KERAS_DISTRIBUTION_PROCESS_ID"])


class Kill(keras.callbacks.Callback):
    """Kills process 0, which writes, in the middle of an epoch."""

    def on_epoch_begin(self, epoch, logs=None):
        self.now = epoch == 2

    def on_train_batch_end(self, batch, logs=None):
        if RANK == 0 and self.now and batch > 1:
            os.kill(os.getpid(), signal.SIGKILL)


def train(**arguments):
    return tasks.train(TASK, TINY, **{**OPTIONS, **OTHERS, **arguments})


def refused(action, **arguments):
    """The message of a ValueError."""
    try:
        action(**arguments)
    except ValueError as error:
        return str(error)
    return "not refused"


def main(folder, what):
    # Keras would load TensorFlow to set its seed too: two seconds.
    sys.modules["tensorflow"] = None
    found = {}
    if what == "killed":
        addresses = os.environ.pop("KERAS_DISTRIBUTION_JOB_ADDRESSES")
        found["lone"] = refused(tasks.join_processes)
        os.environ["KERAS_DISTRIBUTION_JOB_ADDRESSES"] = addresses
    tasks.join_processes()
    if what == "resumed":
        result = train(out=folder / "run", resume=True)
        assert (result.run is None) == (RANK == 1)
        train(out=folder / "run", resume=True)  # nothing is left to train
        return
    found["batch"] = refused(train, batch_size=3)
    found["command"] = refused(train, seed=RANK, out=folder / "refused")
    found["written"] = (folder / "refused").exists()
    train(out=folder / "whole")
    found["again"] = refused(train, out=folder / "whole")
    print(json.dumps(found), flush=True)
    train(out=folder / "run", callbacks=[Kill()])


if __name__ == "__main__":
    main(pathlib.Path(sys.argv[1]), sys.argv[2])
