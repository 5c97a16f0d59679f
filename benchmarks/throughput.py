"""Sequences a second of a whole training step, side by side.

    python benchmarks/throughput.py [--backend jax] [--batch-size 16] [--json]

The work is fixed: copy with 8 bits and length 20 (41 steps, 9 inputs), memory 128 x 20,
one read and one write head, three shifts, a controller of 100; forward, backward,
clip and update, under XLA, on one batch again and again. Each row is a process of its
own, so that peak memory is its own too. Machines are noisy: compare rows of one run.
"""

import importlib.util
import json
import os
import resource
import subprocess
import sys
import time

import click
import rich.console
import rich.table

MODELS = ("ntm-lstm", "ntm-feedforward", "lstm")
# What others gave at batch 16 on a machine of two cores, quoted and not measured here.
PEERS = {
    "dl_techniques, Keras 3 with XLA, LSTM controller": 460,
    "dl_techniques, as Keras comes": 186,
    "pytorch-ntm": 70,
}


def measure(model, batch_size, steps):
    """Times one model in this process; returns a row of the table."""
    import numpy as np

    import tasks
    from tasks.models import get_model
    from tasks.training import compiled_model

    task = tasks.Copy(8, 20, 20)
    config = tasks.TrainingConfig().resolved(task, get_model(model))
    network = compiled_model(task, get_model(model), config)
    # The work that peers are timed on: no metrics beside the loss.
    network.compile(optimizer=network.optimizer, loss=network.loss, jit_compile=True)
    batch = task.sample(batch_size, rng=0)
    began = time.perf_counter()
    network.train_on_batch(*batch)
    startup = time.perf_counter() - began
    seconds = []
    for _ in range(steps):
        began = time.perf_counter()
        network.train_on_batch(*batch)
        seconds.append(time.perf_counter() - began)
    warm = seconds[min(5, steps // 2) :]
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    return {
        "weights": network.count_params(),
        "median_ms": 1e3 * float(np.median(warm)),
        "minimum_ms": 1e3 * min(warm),
        "sequences_per_second": batch_size / float(np.median(warm)),
        "startup_seconds": startup,
        "peak_mib": peak,
    }


def measure_apart(backend, model, batch_size, steps):
    """The same in a new process on the given backend."""
    command = [sys.executable, __file__, "--only", model]
    command += ["--batch-size", str(batch_size), "--steps", str(steps)]
    environment = {**os.environ, "KERAS_BACKEND": backend, "TF_CPP_MIN_LOG_LEVEL": "3"}
    done = subprocess.run(
        command, env=environment, stdout=subprocess.PIPE, check=True, text=True
    )
    return {"backend": backend, "model": model, **json.loads(done.stdout)}


def print_table(rows, batch_size):
    table = rich.table.Table(box=None, pad_edge=False)
    columns = ["backend", "model", "weights", "median ms", "minimum ms"]
    columns += ["sequences/s", "start-up s", "peak MiB"]
    for column in columns:
        table.add_column(column, justify="left" if column in columns[:2] else "right")
    for row in rows:
        table.add_row(
            row["backend"],
            row["model"],
            f"{row['weights']:,}",
            f"{row['median_ms']:.1f}",
            f"{row['minimum_ms']:.1f}",
            f"{row['sequences_per_second']:.0f}",
            f"{row['startup_seconds']:.1f}",
            f"{row['peak_mib']:.0f}",
        )
    console = rich.console.Console(width=100)
    console.print(f"One training step, batch {batch_size}:")
    console.print(table)
    if batch_size == 16:
        console.print("Others, as quoted: ", end="")
        console.print("; ".join(f"{name} {rate}/s" for name, rate in PEERS.items()))


@click.command()
@click.option(
    "--backend", "backends", multiple=True, help="tensorflow, jax; repeatable."
)
@click.option("--batch-size", default=16, show_default=True)
@click.option("--steps", default=100, show_default=True)
@click.option("--only", type=click.Choice(MODELS), hidden=True)
@click.option("--json", "as_json", is_flag=True)
def main(backends, batch_size, steps, only, as_json):
    """Time a training step of each model on each backend."""
    if only:
        click.echo(json.dumps(measure(only, batch_size, steps)))
        return
    if not backends:
        installed = ("tensorflow", "jax")
        backends = [name for name in installed if importlib.util.find_spec(name)]
    rows = [
        measure_apart(backend, model, batch_size, steps)
        for backend in backends
        for model in MODELS
    ]
    if as_json:
        click.echo(json.dumps(rows, indent=2))
    else:
        print_table(rows, batch_size)


if __name__ == "__main__":
    main()
