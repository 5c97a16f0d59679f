"""Characters a second that a character model trains on, side by side with PyTorch.

    python benchmarks/speed/characters.py [--torch-python PYTHON] [--batch-size 8]

The work is fixed: one LSTM of 256 or GRU of 304 units and a dense layer, 84 characters,
windows of 100, Adam, gradients clipped by their norm; a whole training step, through
`model.fit`, on the compiled kernel and on the portable path. PyTorch does the same in
the Python of `--torch-python`; without that option there is no such row. Each row is a
process of its own; the rows take turns. Shown are the median of the turns, the lowest
and the highest. Machines are noisy: compare rows of one run.
"""

import json
import os
import subprocess
import sys
import time

import click
import numpy as np

UNITS = {"lstm": 256, "gru": 304}
CHARACTERS, WINDOW = 84, 100
RATE, CLIP = 4e-3, 1.0


def texts(batch_size, steps):
    """Characters and those after them, `(sequences, WINDOW)`."""
    rng = np.random.default_rng(0)
    drawn = rng.integers(CHARACTERS, size=(batch_size * steps, WINDOW + 1))
    return drawn[:, :-1].astype("int32"), drawn[:, 1:].astype("int32")


def measure_keras(layer, native, batch_size, steps, epochs):
    """Seconds of an epoch, after the first."""
    import keras

    import memnets

    memnets.native.set_enabled(native)
    recurrent = {"lstm": keras.layers.LSTM, "gru": keras.layers.GRU}[layer]
    inputs = keras.Input((WINDOW,), dtype="int32")
    hidden = keras.ops.one_hot(inputs, CHARACTERS)
    hidden = recurrent(UNITS[layer], return_sequences=True)(hidden)
    outputs = keras.layers.Dense(CHARACTERS)(hidden)
    network = memnets.accelerate(keras.Model(inputs, outputs))
    network.compile(
        keras.optimizers.Adam(RATE, global_clipnorm=CLIP),
        keras.losses.SparseCategoricalCrossentropy(from_logits=True),
        jit_compile=True,
        steps_per_execution=10,
    )
    ends = []
    timer = keras.callbacks.LambdaCallback(
        on_epoch_end=lambda epoch, logs: ends.append(time.perf_counter())
    )
    data = texts(batch_size, steps)
    network.fit(
        *data,
        batch_size=batch_size,
        epochs=epochs + 1,
        shuffle=False,
        verbose=0,
        callbacks=[timer],
    )
    return (ends[-1] - ends[0]) / epochs


def measure_torch(layer, batch_size, steps, epochs):
    """The same in PyTorch."""
    import torch
    from torch import nn

    recurrent = {"lstm": nn.LSTM, "gru": nn.GRU}[layer]
    network = nn.ModuleList(
        [
            recurrent(CHARACTERS, UNITS[layer], batch_first=True),
            nn.Linear(UNITS[layer], CHARACTERS),
        ]
    )
    optimizer = torch.optim.Adam(network.parameters(), RATE)
    inputs, targets = (
        torch.from_numpy(x).long().split(batch_size) for x in texts(batch_size, steps)
    )
    ends = []
    for _ in range(epochs + 1):
        for text, target in zip(inputs, targets, strict=True):
            optimizer.zero_grad()
            hidden, _ = network[0](nn.functional.one_hot(text, CHARACTERS).float())
            logits = network[1](hidden).flatten(0, 1)
            nn.functional.cross_entropy(logits, target.flatten()).backward()
            nn.utils.clip_grad_norm_(network.parameters(), CLIP)
            optimizer.step()
        ends.append(time.perf_counter())
    return (ends[-1] - ends[0]) / epochs


def measure_apart(row, torch_python, *sizes):
    """Seconds of an epoch of a row, in a new process."""
    python = torch_python if row[0] == "pytorch" else sys.executable
    environment = {**os.environ, "TF_CPP_MIN_LOG_LEVEL": "3"}
    if row[0] != "pytorch":
        environment["KERAS_BACKEND"] = row[0]
    done = subprocess.run(
        [python, __file__, "--only", json.dumps([*row, *sizes])],
        env=environment,
        capture_output=True,
        text=True,
    )
    if done.returncode:
        raise click.ClickException(done.stderr[-2000:])
    return json.loads(done.stdout)


def measure(program, path, layer, *sizes):
    if program == "pytorch":
        return measure_torch(layer, *sizes)
    return measure_keras(layer, path == "kernel", *sizes)


@click.command()
@click.option("--torch-python", help="A Python with PyTorch; without, no such row.")
@click.option("--backend", "backends", multiple=True, default=("jax", "tensorflow"))
@click.option("--layer", "layers", multiple=True, default=tuple(UNITS))
@click.option("--batch-size", "batch_sizes", multiple=True, type=int, default=(8, 64))
@click.option("--steps", default=20, show_default=True, help="Steps an epoch.")
@click.option("--epochs", default=10, show_default=True, help="Epochs a turn.")
@click.option("--turns", default=5, show_default=True, help="Processes a row.")
@click.option("--portable/--no-portable", default=True, help="With the portable path.")
@click.option("--only", hidden=True)
def main(
    torch_python, backends, layers, batch_sizes, steps, epochs, turns, portable, only
):
    """Time a training step of a character model."""
    if only:
        click.echo(json.dumps(measure(*json.loads(only))))
        return
    paths = ("kernel", "portable") if portable else ("kernel",)
    programs = [("pytorch", "")] if torch_python else []
    programs += [(backend, path) for backend in backends for path in paths]
    for layer in layers:
        for batch_size in batch_sizes:
            seconds = {program: [] for program in programs}
            for _ in range(turns):
                for program in programs:
                    sizes = batch_size, steps, epochs
                    row = (*program, layer)
                    seconds[program].append(measure_apart(row, torch_python, *sizes))
            rates = {
                program: batch_size * steps * WINDOW / np.array(times)
                for program, times in seconds.items()
            }
            like = np.median(rates[programs[0]])
            click.echo(f"{layer} {UNITS[layer]}, batch {batch_size}")
            for program, values in rates.items():
                low, middle, high = np.percentile(values, [0, 50, 100])
                click.echo(
                    f"  {' '.join(program):20}{middle:10,.0f} characters/s "
                    f"({low:,.0f} to {high:,.0f}), {middle / like:.2f} of the first row"
                )


if __name__ == "__main__":
    main()
