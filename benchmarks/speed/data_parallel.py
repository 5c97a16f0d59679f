"""What a training step costs on one device of JAX, on two, and in two processes.

    python benchmarks/speed/data_parallel.py [--batch-size 64] [--turns 3]

Copy with an NTM-LSTM at the sizes of the paper, through `model.fit`. A device is a core
of this machine: "one device" has one, the others two. "Halves alone" are two processes
that train on half of a batch each and exchange nothing: the limit. Each row is a
process of its own, or two; the rows take turns, and median and least are over all steps
of all turns. CPU time, of both processes together, says whether work is done twice,
also where neighbours take the cores; sequences a second need quiet ones. "At most" is
the speed-up that the least CPU time allows where each device has a core for itself.
"""

import json
import os
import socket
import statistics
import subprocess
import sys
import time

import click
import rich.console
import rich.table

STEPS = 60
WARM = 10  # steps before the first that counts
# Two processes that know nothing of each other: no way to share a batch among two cores
# is faster than they are, and neighbours take from them what they take from the others.
ALONE = "halves alone"
# Cores, devices of a process and processes.
PLACES = {
    "one device": (1, 1, 1),
    "two devices": (2, 2, 1),
    "two processes": (2, 1, 2),
    ALONE: (2, 1, 2),
}


def measure(place, batch_size, rank):
    """CPU seconds and seconds of each step, in this process."""
    cores, devices, processes = PLACES[place]
    mine = sorted(os.sched_getaffinity(0))[:cores]
    os.sched_setaffinity(0, mine[rank::processes])

    import jax
    import keras

    import tasks
    from tasks.registry import get_model
    from tasks.training.training import compiled_model

    if processes > 1 and place != ALONE:
        tasks.join_processes()
    elif devices > 1:
        keras.distribution.set_distribution(
            keras.distribution.DataParallel(devices=jax.devices("cpu"))
        )
    task, model = tasks.Copy(8, 20, 20), get_model("ntm-lstm")
    config = tasks.TrainingConfig().resolved(task, model)
    keras.utils.set_random_seed(1)
    network = compiled_model(task, model, config)
    network.compile(optimizer=network.optimizer, loss=network.loss, jit_compile=True)
    part = batch_size // processes
    inputs, targets, mask = (
        array.reshape(STEPS, processes, part, *array.shape[1:])[:, rank].reshape(
            STEPS * part, *array.shape[1:]
        )
        for array in task.sample(batch_size * STEPS, rng=0)
    )
    clocks = []
    network.fit(
        inputs,
        targets,
        sample_weight=mask,
        batch_size=part,
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


def run_apart(place, batch_size):
    """Measures in one process of its own, or in two."""
    _, devices, processes = PLACES[place]
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    started = [
        subprocess.Popen(
            [sys.executable, __file__]
            + ["--batch-size", str(batch_size), "--one", place, "--rank", str(rank)],
            env={
                **os.environ,
                "KERAS_BACKEND": "jax",
                "XLA_FLAGS": f"--xla_force_host_platform_device_count={devices}",
                "KERAS_DISTRIBUTION_JOB_ADDRESSES": f"127.0.0.1:{port}",
                "KERAS_DISTRIBUTION_NUM_PROCESSES": str(processes),
                "KERAS_DISTRIBUTION_PROCESS_ID": str(rank),
            },
            stdout=subprocess.PIPE,
            text=True,
        )
        for rank in range(processes)
    ]
    printed = [process.communicate()[0] for process in started]
    measured = [json.loads(out.splitlines()[-1]) for out in printed]
    return [
        (sum(cpu for cpu, _ in step), max(wall for _, wall in step))
        for step in zip(*measured, strict=True)
    ]


@click.command()
@click.option(
    "--batch-size", "batch_sizes", multiple=True, default=(32, 64, 128), type=int
)
@click.option("--turns", default=3, show_default=True, type=click.IntRange(1))
@click.option("--one", type=click.Choice(list(PLACES)), hidden=True)
@click.option("--rank", default=0, hidden=True)
def main(batch_sizes, turns, one, rank):
    """Compares a training step on one device, on two, and in two processes."""
    if one:
        print(json.dumps(measure(one, batch_sizes[0], rank)))
        return
    steps = {(size, place): [] for size in batch_sizes for place in PLACES}
    for _ in range(turns):
        for (size, place), measured in steps.items():
            measured += run_apart(place, size)
    table = rich.table.Table(box=None, pad_edge=False)
    headings = ("batch", "on", "CPU ms a step", "of one", "least", "of one")
    for heading in (*headings, "at most", "sequences/s", "of one", "most", "of one"):
        table.add_column(heading, justify="right")
    for (size, place), measured in steps.items():
        alone = list(zip(*steps[size, "one device"], strict=True))
        row = [str(size), place]
        for summary in (statistics.median, min):
            cpu = summary([c for c, _ in measured])
            row += [f"{1000 * cpu:.1f}", f"{cpu / summary(alone[0]):.2f}"]
        row.append(f"{PLACES[place][0] * summary(alone[0]) / cpu:.2f}")
        for summary in (statistics.median, min):
            wall = summary([w for _, w in measured])
            row += [f"{size / wall:,.0f}", f"{summary(alone[1]) / wall:.2f}"]
        table.add_row(*row)
    rich.console.Console(width=120).print(table)


if __name__ == "__main__":
    main()
