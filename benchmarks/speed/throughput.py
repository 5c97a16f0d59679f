"""Sequences a second of a whole training step, side by side.

    python benchmarks/speed/throughput.py [--backend jax] [--batch-size 16] [--json]

The work is fixed: copy with 8 bits and length 20 (41 steps, 9 inputs), memory 128 x 20,
one read and one write head, three shifts or links, a controller of 100; `mann` in the
sizes of its paper: 128 x 40, four heads, 200. Forward, backward, clip and update are
done through `model.fit`, under XLA where there is one. Each row is a process of its
own; the rows take turns, and the median is over all turns. Beside them the floor: the
time that the floating-point operations alone would take at the speed of a large matrix
product, taken in the same run. Machines are noisy: compare rows of one run.
"""

import importlib.util
import json
import os
import resource
import subprocess
import sys
import time

import click
import numpy as np
import rich.console
import rich.progress
import rich.table

MODELS = ("ntm-lstm", "ntm-feedforward", "dnc-lstm", "dnc-feedforward", "mann", "lstm")
STEPS = 41
# What others gave at batch 16 on a machine of two cores, quoted and not measured here.
PEERS = {
    "dl_techniques, Keras 3 with XLA, LSTM controller": 460,
    "dl_techniques, as Keras comes": 186,
    "pytorch-ntm": 70,
}


def measure(model, native, batch_size, steps, epochs, length=20, rows=128):
    """Times one model in this process; returns a row of the table."""
    import dataclasses

    import keras

    import memnets.native
    import tasks
    from tasks.registry import get_model
    from tasks.training.training import compiled_model

    memnets.native.set_enabled(native)
    task = tasks.Copy(8, length, length)
    model_config = get_model(model)
    if model != "lstm":
        model_config = dataclasses.replace(model_config, memory_size=rows)
    config = tasks.TrainingConfig().resolved(task, model_config)
    network = compiled_model(task, model_config, config)
    # The work that peers are timed on: no metrics beside the loss. Ten steps a call: on
    # TensorFlow, Keras spends two milliseconds on each. PyTorch has no XLA.
    has_xla = keras.backend.backend() != "torch"
    network.compile(
        optimizer=network.optimizer,
        loss=network.loss,
        jit_compile=has_xla,
        steps_per_execution=10 if has_xla else 1,
    )
    inputs, targets, mask = task.sample(batch_size * steps, rng=0)
    before = peak_mib()

    ends = [time.perf_counter()]
    timer = keras.callbacks.LambdaCallback(
        on_train_batch_end=lambda batch, logs: (
            None if len(ends) > 1 else ends.append(time.perf_counter())
        ),
        on_epoch_end=lambda epoch, logs: ends.append(time.perf_counter()),
    )
    network.fit(
        inputs,
        targets,
        sample_weight=mask,
        batch_size=batch_size,
        epochs=epochs + 1,
        shuffle=False,
        verbose=0,
        callbacks=[timer],
    )
    startup, _, *seconds = np.diff(ends)  # without the rest of the first epoch
    return {
        "weights": network.count_params(),
        "seconds": (np.array(seconds) / steps).tolist(),
        "startup_seconds": startup,
        "peak_mib": peak_mib(),
        "training_mib": peak_mib() - before,
    }


def peak_mib():
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


def measure_apart(backend, model, path, **sizes):
    """The same in a new process on the given backend."""
    command = [sys.executable, __file__, "--only", model, "--path", path]
    for name, value in sizes.items():
        command += [f"--{name.replace('_', '-')}", str(value)]
    environment = {**os.environ, "KERAS_BACKEND": backend, "TF_CPP_MIN_LOG_LEVEL": "3"}
    done = subprocess.run(
        command,
        env=environment,
        capture_output=True,
        text=True,
    )
    if done.returncode:
        raise click.ClickException(done.stderr[-2000:])
    return json.loads(done.stdout)


def operations(model, weights):
    """Floating-point operations of a training step of one sequence.

    Two for each weight of the matrices and step; for each number of the memory two by
    head to compare with the key, two for the norms, five to write, two to read (each of
    the four heads of `mann` has two of all but the norms); for each link of a DNC four
    to update it, and two to follow it in each direction; twice as many backward as
    forward.
    """
    links = 8 * 128**2 if model.startswith("dnc") else 0
    memory = 26 * 128 * 40 if model == "mann" else 13 * 128 * 20
    return 3 * STEPS * (2 * weights + memory + links)


def matrix_product_speed(size=1024, count=20):
    """Operations a second of a product of square matrices in float32; the best."""
    matrix = np.ones((size, size), "float32")
    seconds = []
    for _ in range(count):
        began = time.perf_counter()
        matrix @ matrix
        seconds.append(time.perf_counter() - began)
    return 2 * size**3 / min(seconds)


def run(backends, models, batch_sizes, steps, turns, epochs):
    """Rows of the table, in the order of their names."""
    cases = [
        (backend, model, path, batch_size)
        for batch_size in batch_sizes
        for backend in backends
        for model in models
        for path in (("native", "portable") if model != "lstm" else ("portable",))
    ]
    results, speeds = {case: [] for case in cases}, []
    for _ in rich.progress.track(
        range(turns), description="turns", console=rich.console.Console(stderr=True)
    ):
        for case in cases:
            *what, batch_size = case
            sizes = {"batch_size": batch_size, "steps": steps, "epochs": epochs}
            results[case].append(measure_apart(*what, **sizes))
            speeds.append(matrix_product_speed())
    rows = []
    for (backend, model, path, batch_size), runs in results.items():
        median = float(np.median([s for r in runs for s in r["seconds"]]))
        floor = operations(model, runs[0]["weights"]) * batch_size / max(speeds)
        rows.append(
            {
                "backend": backend,
                "model": model,
                "path": path,
                "batch_size": batch_size,
                "weights": runs[0]["weights"],
                "median_ms": 1e3 * median,
                "minimum_ms": 1e3 * min(s for r in runs for s in r["seconds"]),
                "sequences_per_second": batch_size / median,
                "times_floor": median / floor if model != "lstm" else None,
                "startup_seconds": float(
                    np.median([r["startup_seconds"] for r in runs])
                ),
                "peak_mib": max(r["peak_mib"] for r in runs),
            }
        )
    for row in rows:
        like = {key: row[key] for key in ("backend", "model", "batch_size")}
        portable = next(
            r for r in rows if r["path"] == "portable" and like.items() <= r.items()
        )
        row["speedup"] = portable["median_ms"] / row["median_ms"]
    return rows, max(speeds)


def print_table(rows, speed):
    table = rich.table.Table(box=None, pad_edge=False)
    columns = ["backend", "model", "path", "batch", "median ms", "minimum ms"]
    columns += ["sequences/s", "speed-up", "x floor", "start-up s", "peak MiB"]
    for column in columns:
        table.add_column(column, justify="left" if column in columns[:3] else "right")
    for row in rows:
        floor = row["times_floor"]
        table.add_row(
            row["backend"],
            row["model"],
            row["path"],
            str(row["batch_size"]),
            f"{row['median_ms']:.2f}",
            f"{row['minimum_ms']:.2f}",
            f"{row['sequences_per_second']:.0f}",
            f"{row['speedup']:.1f}",
            "" if floor is None else f"{floor:.1f}",
            f"{row['startup_seconds']:.1f}",
            f"{row['peak_mib']:.0f}",
        )
    console = rich.console.Console(width=110)
    console.print(table)
    console.print(f"Floor: matrix product at {speed / 1e9:.0f} GFLOP/s.")
    console.print("Others at batch 16, as quoted: ", end="")
    console.print("; ".join(f"{name} {rate}/s" for name, rate in PEERS.items()))


@click.command()
@click.option(
    "--backend", "backends", multiple=True, help="tensorflow, jax, torch; repeatable."
)
@click.option(
    "--model", "models", multiple=True, type=click.Choice(MODELS), default=MODELS[:2]
)
@click.option("--batch-size", "batch_sizes", multiple=True, type=int, default=(16,))
@click.option("--steps", default=50, show_default=True, help="Steps an epoch.")
@click.option("--epochs", default=5, show_default=True, help="Epochs a turn.")
@click.option("--turns", default=3, show_default=True, help="Processes a row.")
@click.option("--length", default=20, hidden=True)
@click.option("--rows", default=128, hidden=True)
@click.option("--only", type=click.Choice(MODELS), hidden=True)
@click.option("--path", type=click.Choice(("native", "portable")), hidden=True)
@click.option("--json", "as_json", is_flag=True)
def main(
    backends,
    models,
    batch_sizes,
    steps,
    epochs,
    turns,
    length,
    rows,
    only,
    path,
    as_json,
):
    """Time a training step of each model on each backend, on both paths."""
    if only:
        sizes = (batch_sizes[0], steps, epochs, length, rows)
        row = measure(only, path == "native", *sizes)
        click.echo(json.dumps(row))
        return
    if not backends:
        installed = ("tensorflow", "jax", "torch")
        backends = [name for name in installed if importlib.util.find_spec(name)]
    table, speed = run(backends, models, batch_sizes, steps, turns, epochs)
    if as_json:
        click.echo(json.dumps({"rows": table, "matrix_product": speed}, indent=2))
    else:
        print_table(table, speed)


if __name__ == "__main__":
    main()
