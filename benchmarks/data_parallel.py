"""What a training step costs on one and on two devices of JAX, in CPU time.

    python benchmarks/data_parallel.py [--batch-size 32 --batch-size 128] [--turns 3]

Copy with an NTM-LSTM at the sizes of the paper, through `model.fit`. The devices are
the cores of this machine. Each row is a process of its own; the rows take turns, and
median and least are over all steps of all turns. CPU time says whether work is done
twice, also where neighbours take the cores; sequences a second need quiet ones.
"""

import json
import os
import statistics
import subprocess
import sys
import time

import click
import rich.console
import rich.table

STEPS = 60
WARM = 10  # steps before the first that counts


def measure(devices, batch_size):
    """CPU seconds and seconds of each step, in this process."""
    import jax
    import keras

    import tasks
    from tasks.registry import get_model
    from tasks.training.training import compiled_model

    chosen = jax.devices("cpu")[:devices]
    keras.distribution.set_distribution(
        keras.distribution.DataParallel(devices=chosen) if devices > 1 else None
    )
    task, model = tasks.Copy(8, 20, 20), get_model("ntm-lstm")
    config = tasks.TrainingConfig().resolved(task, model)
    keras.utils.set_random_seed(1)
    network = compiled_model(task, model, config)
    network.compile(optimizer=network.optimizer, loss=network.loss, jit_compile=True)
    inputs, targets, mask = task.sample(batch_size * STEPS, rng=0)
    clocks = []
    network.fit(
        inputs,
        targets,
        sample_weight=mask,
        batch_size=batch_size,
        shuffle=False,
        verbose=0,
        callbacks=[
            keras.callbacks.LambdaCallback(
                # Reading the loss waits for the step.
                on_train_batch_end=lambda batch, logs: clocks.append(
                    (float(logs["loss"]), time.process_time(), time.perf_counter())
                )
            )
        ],
    )
    _, cpu, wall = zip(*clocks[WARM:], strict=True)
    return [
        (c - b, w - v) for b, c, v, w in zip(cpu, cpu[1:], wall, wall[1:], strict=False)
    ]


def run_apart(devices, batch_size):
    """Measures in a process of its own."""
    flags = "--xla_force_host_platform_device_count=2"
    environment = {"KERAS_BACKEND": "jax", "XLA_FLAGS": flags}
    arguments = ["--devices", str(devices), "--batch-size", str(batch_size)]
    result = subprocess.run(
        [sys.executable, __file__, *arguments, "--one"],
        env={**os.environ, **environment},
        stdout=subprocess.PIPE,
        text=True,
        check=True,
    )
    return json.loads(result.stdout.splitlines()[-1])


@click.command()
@click.option("--batch-size", "batch_sizes", multiple=True, default=(32, 128), type=int)
@click.option("--turns", default=3, show_default=True, type=click.IntRange(1))
@click.option("--devices", default=1, hidden=True)
@click.option("--one", is_flag=True, hidden=True)
def main(batch_sizes, turns, devices, one):
    """Compares a training step on one device and on two."""
    if one:
        print(json.dumps(measure(devices, batch_sizes[0])))
        return
    steps = {(size, devices): [] for size in batch_sizes for devices in (1, 2)}
    for _ in range(turns):
        for (size, devices), measured in steps.items():
            measured += run_apart(devices, size)
    table = rich.table.Table(box=None, pad_edge=False)
    headings = ("batch", "devices", "CPU ms a step", "of one", "least", "of one")
    for heading in (*headings, "sequences/s"):
        table.add_column(heading, justify="right")
    for (size, devices), measured in steps.items():
        cpu, wall = (
            statistics.median(column) for column in zip(*measured, strict=True)
        )
        alone = [c for c, _ in steps[size, 1]]
        least = min(c for c, _ in measured)
        table.add_row(
            *(str(size), str(devices)),
            *(f"{1000 * cpu:.1f}", f"{cpu / statistics.median(alone):.2f}"),
            *(f"{1000 * least:.1f}", f"{least / min(alone):.2f}"),
            f"{size / wall:,.0f}",
        )
    rich.console.Console().print(table)


if __name__ == "__main__":
    main()
