"""How evenly epochs pass on TensorFlow: the seconds of each beside their median.

    python benchmarks/speed/epochs.py [--epochs 200] [--processes 5]

Copy with `ntm-lstm` and its recipe, 100 steps an epoch, through `tasks.train`; each
row is a process of its own, one after the other. The first epoch, which compiles, is
left out. An epoch is late if it takes more than 1.2 times the median of its process.
"""

import json
import os
import subprocess
import sys
import time

import click
import numpy as np

SEQUENCES = 1_600  # an epoch of 100 steps
LATE = 1.2


def measure(epochs):
    """Seconds of each epoch after the first, in this process."""
    import keras

    import tasks

    ends = []
    timer = keras.callbacks.LambdaCallback(
        on_epoch_end=lambda epoch, logs: ends.append(time.perf_counter())
    )
    tasks.train(
        "copy",
        "ntm-lstm",
        sequences=(epochs + 1) * SEQUENCES,
        evaluate=False,
        callbacks=[timer],
        progress=False,
    )
    return np.diff(ends).tolist()


@click.command()
@click.option("--epochs", default=200, show_default=True)
@click.option("--processes", default=5, show_default=True)
@click.option("--only", is_flag=True, hidden=True)
def main(epochs, processes, only):
    """Shows how many epochs are late on TensorFlow."""
    if only:
        print(json.dumps(measure(epochs)))
        return
    environment = {"KERAS_BACKEND": "tensorflow", "TF_CPP_MIN_LOG_LEVEL": "3"}
    click.echo("process  median s  longest / median  late epochs")
    for process in range(processes):
        done = subprocess.run(
            [sys.executable, __file__, "--epochs", str(epochs), "--only"],
            env={**os.environ, **environment},
            check=True,
            stdout=subprocess.PIPE,
        )
        seconds = np.array(json.loads(done.stdout.splitlines()[-1]))
        median = np.median(seconds)
        late = np.sum(seconds > LATE * median)
        click.echo(
            f"{process:7d}  {median:8.3f}  {seconds.max() / median:16.2f}  "
            f"{late} of {len(seconds)}"
        )


if __name__ == "__main__":
    main()
