"""Milliseconds of a training step of each recurrent cell, beside Keras' LSTM.

    KERAS_BACKEND=jax python benchmarks/speed/cells.py [--units 128] [--rounds 15]

Forward, backward and update of `keras.layers.RNN(cell)` with a dense layer, under XLA;
sequences of 100 steps, 32 inputs, batches of 32. All cells are in one process and take
turns. `times` is the median over the rounds of a cell's time divided by that of Keras'
LSTM in the same round: load on the machine changes both.
"""

import statistics
import time

import click
import keras
import numpy as np
import rich.console
import rich.progress
import rich.table

from memnets import cells

STEPS, FEATURES, BATCH = 100, 32, 32
REFERENCE = "keras.layers.LSTM"
# Those with gates have about as many products as an LSTM.
GATED = {"LSTM1997Cell", "PeepholeLSTMCell", "ClippedLSTMCell"}


def layers(units):
    """Recurrent layers by name."""
    own = {
        "ClippedLSTMCell": cells.ClippedLSTMCell(units, cell_clip=1.0),
        "PeepholeLSTMCell": cells.PeepholeLSTMCell(units),
        "LSTM1997Cell": cells.LSTM1997Cell(units),
        "LSTM1997Cell, blocks of 4": cells.LSTM1997Cell(units // 4, 4),
        "FirstStepRNNCell": cells.FirstStepRNNCell(units),
        "ElmanCell": cells.ElmanCell(units),
        "JordanCell": cells.JordanCell(units, outputs=8),
        "LeakyRNNCell": cells.LeakyRNNCell(units),
        "ClockworkRNNCell": cells.ClockworkRNNCell(units),
        "DelayedRNNCell": cells.DelayedRNNCell(units),
        "DeepTransitionRNNCell": cells.DeepTransitionRNNCell(units),
        "MultiplicativeRNNCell": cells.MultiplicativeRNNCell(units, factors=units),
    }
    return {
        REFERENCE: keras.layers.LSTM(units),
        "keras.layers.GRU": keras.layers.GRU(units),
        "keras.layers.SimpleRNN": keras.layers.SimpleRNN(units),
        **{name: keras.layers.RNN(cell) for name, cell in own.items()},
    }


def trained(layer):
    """A compiled model that ends in one number."""
    inputs = keras.Input((STEPS, FEATURES))
    model = keras.Model(inputs, keras.layers.Dense(1)(layer(inputs)))
    model.compile("adam", "mse", jit_compile=True)
    return model


def seconds(model, data, steps):
    """The time of so many training steps."""
    start = time.perf_counter()
    model.fit(*data, batch_size=BATCH, epochs=steps, shuffle=False, verbose=0)
    return time.perf_counter() - start


@click.command()
@click.option("--units", default=128, show_default=True)
@click.option("--rounds", default=15, show_default=True, help="Turns of each cell.")
@click.option("--steps", default=10, show_default=True, help="Training steps a turn.")
def main(units: int, rounds: int, steps: int) -> None:
    """Time the cells side by side."""
    rng = np.random.default_rng(1)
    # An epoch is one batch of a size that does not change.
    data = (
        rng.normal(size=(BATCH, STEPS, FEATURES)).astype("float32"),
        rng.normal(size=(BATCH, 1)).astype("float32"),
    )
    models = {name: trained(layer) for name, layer in layers(units).items()}
    console = rich.console.Console()
    times: dict[str, list[float]] = {name: [] for name in models}
    turns = [None, *range(rounds)]  # the first compiles
    for turn in rich.progress.track(turns, "Rounds", console=console, transient=True):
        for name, model in models.items():
            spent = seconds(model, data, steps)
            if turn is not None:
                times[name].append(spent)
    table = rich.table.Table("cell", "weights", "ms a step", "times Keras' LSTM")
    for name, own in times.items():
        ratios = [t / r for t, r in zip(own, times[REFERENCE], strict=True)]
        gated = " (gated)" if name.partition(",")[0] in GATED else ""
        table.add_row(
            name + gated,
            f"{models[name].count_params():,}",
            f"{1000 * statistics.median(own) / steps:.2f}",
            f"{statistics.median(ratios):.2f}",
        )
    console.print(f"{keras.backend.backend()}, {units} units, {rounds} rounds")
    console.print(table)


if __name__ == "__main__":
    main()
