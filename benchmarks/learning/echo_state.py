"""An echo state network beside a linear model of the same memory, on three predictions.

    taskset -c 0 python benchmarks/learning/echo_state.py --seeds 1-20 [--plot FILE]

Each seed has series and a reservoir of its own. Both models are fitted to the same
3,000 steps and tested on later ones. The linear model predicts from the last values of
the input, at most as many as the reservoir has units; how many and with which penalty
is chosen for each seed on the last 500 steps of training. NRMSE: the root of the mean
squared error over the standard deviation of the target, as in Jaeger (2001), eq. 25;
NMSE is its square.
"""

import time
from typing import NamedTuple

import click
import keras
import matplotlib.pyplot as plt
import numpy as np

import tasks.series
from memnets import cells, initializers
from memnets.recurrent import readout

WASHOUT, TRAINED, UNTIL = 500, 3500, 8700
# Jaeger (2001), section 6.3.1: 1,000 steps to tune in, then 50 runs of 84 steps.
TESTED = TRAINED + 1000
AHEAD = 84
STARTS = np.arange(TESTED, UNTIL, AHEAD)
# Of the linear model.
LAGS = (20, 50, 100, 200, 500)
PENALTIES = (1e-10, 1e-8, 1e-6, 1e-4)
VALIDATED = TRAINED - 500


class Settings(NamedTuple):
    """Of a reservoir of 500 units with 15 connections and radius 0.95. Tuned on seeds 1
    to 10, see docs/echo_state.md."""

    time_constants: float
    input_scale: float
    bias_scale: float
    ridge: float


MACKEY_GLASS = Settings(2.0, 1.0, 0.2, 1e-11)
NARMA = Settings(1.0, 0.1, 0.3, 1e-10)


def reservoir(settings, units=500):
    """A layer of all states, which is not trained."""
    uniform = keras.initializers.RandomUniform
    cell = cells.LeakyRNNCell(
        units,
        time_constants=settings.time_constants,
        kernel_initializer=uniform(-settings.input_scale, settings.input_scale),
        recurrent_initializer=initializers.SpectralRadius(0.95, connections=15),
        bias_initializer=uniform(-settings.bias_scale, settings.bias_scale),
        trainable=False,
    )
    return keras.layers.RNN(cell, return_sequences=True)


def batch(series):
    return series[None, :, None]


def nrmse(predicted, target, deviation=None):
    deviation = np.std(target) if deviation is None else deviation
    return float(np.sqrt(np.mean((predicted - target) ** 2)) / deviation)


def lagged(series, count):
    """Row t holds the last values from t backwards."""
    padded = np.concatenate([np.zeros(count - 1), series])
    return np.lib.stride_tricks.sliding_window_view(padded, count)[:, ::-1]


def ridge_path(lags, inputs, targets, until):
    """For each penalty the weights of the last values, and the bias."""
    rows, targets = lagged(inputs, lags)[WASHOUT:until], targets[WASHOUT:until]
    mean = rows.mean(axis=0)
    left, singular, right = np.linalg.svd(rows - mean, full_matrices=False)
    projected = left.T @ (targets - targets.mean())
    for penalty in PENALTIES:
        kernel = right.T @ (projected * singular / (singular**2 + penalty))
        yield penalty, np.append(kernel, targets.mean() - mean @ kernel)


class Linear:
    """The linear model of one target, fitted."""

    def __init__(self, inputs, targets):
        errors = {}
        for lags in LAGS:
            for penalty, weights in ridge_path(lags, inputs, targets, VALIDATED):
                self.lags, self.weights = lags, weights
                part = slice(VALIDATED, TRAINED)
                predicted = self.predicted(inputs)[part]
                errors[lags, penalty] = nrmse(predicted, targets[part])
        self.lags, best = min(errors, key=errors.get)
        self.weights = dict(ridge_path(self.lags, inputs, targets, TRAINED))[best]

    def predicted(self, inputs):
        return lagged(inputs, self.lags) @ self.weights[:-1] + self.weights[-1]

    def fed_back(self, inputs, starts, steps):
        windows = lagged(inputs, self.lags)[starts]
        for _ in range(steps):
            value = windows @ self.weights[:-1] + self.weights[-1]
            windows = np.concatenate([value[:, None], windows[:, :-1]], axis=1)
            yield value


class EchoState:
    """A reservoir with a readout of one target, fitted."""

    def __init__(self, inputs, targets, settings):
        self.layer = reservoir(settings)
        self.readout = readout.fit_readout(
            self.layer,
            batch(inputs[:TRAINED]),
            batch(targets[:TRAINED]),
            ridge=settings.ridge,
            washout=WASHOUT,
        )

    def states(self, inputs):
        return keras.Sequential([self.layer]).predict_on_batch(batch(inputs))[0]

    def predicted(self, inputs):
        return np.asarray(self.readout(self.states(inputs)))[:, 0]

    def fed_back(self, inputs, starts, steps):
        state = [keras.ops.convert_to_tensor(self.states(inputs)[starts])]
        value = self.readout(state[0])
        for _ in range(steps):
            yield np.asarray(value)[:, 0]
            hidden, state = self.layer.cell(value, state)
            value = self.readout(hidden)


class Row(NamedTuple):
    """What one seed gives: errors of the linear model and of the network."""

    seed: int
    one_step: tuple[float, float]
    direct: tuple[float, float]
    fed_back: tuple[float, float]
    narma: tuple[float, float]
    lags: tuple[int, ...]
    seconds: float


def measure(seed):
    """The errors of both models on the series of a seed."""
    keras.utils.set_random_seed(seed)
    rng = np.random.default_rng(seed)
    glass = tasks.series.mackey_glass(UNTIL + AHEAD, rng) - 1
    inputs = glass[:UNTIL]
    narma_inputs, narma = tasks.series.narma10(UNTIL, rng)
    works = [
        (inputs, glass[1 : UNTIL + 1], MACKEY_GLASS),
        (inputs, glass[AHEAD:], MACKEY_GLASS),
        (narma_inputs, narma, NARMA),
    ]
    start = time.process_time()
    networks = [EchoState(*work) for work in works]
    seconds = (time.process_time() - start) / len(works)
    models = [Linear(x, y) for x, y, _ in works]
    part = slice(TESTED, UNTIL)
    one_step, direct, on_narma = (
        tuple(nrmse(model.predicted(x)[part], y[part]) for model in pair)
        for pair, (x, y, _) in zip(
            zip(models, networks, strict=True), works, strict=True
        )
    )
    fed_back = tuple(
        nrmse(
            last(model.fed_back(inputs, STARTS, AHEAD)), glass[STARTS + AHEAD], spread
        )
        for spread in [glass.std()]
        for model in (models[0], networks[0])
    )
    lags = tuple(model.lags for model in models)
    return Row(seed, one_step, direct, fed_back, on_narma, lags, seconds)


def last(values):
    *_, value = values
    return value


COLUMNS = {
    "one_step": "1 step",
    "direct": "84 steps",
    "fed_back": "84 steps, fed back",
    "narma": "NARMA-10",
}


def table(rows):
    """Markdown: a line for each seed, then medians and ranges."""
    pairs = [f"{title}: linear | network" for title in COLUMNS.values()]
    lines = [f"| seed | {' | '.join(pairs)} | CPU s |", "| --- |" + " ---: |" * 9]
    for row in rows:
        errors = [error for name in COLUMNS for error in getattr(row, name)]
        numbers = " | ".join(f"{error:.2g}" for error in errors)
        lines.append(f"| {row.seed} | {numbers} | {row.seconds:.1f} |")
    lines += ["", "| NRMSE | linear | network | times smaller | NMSE, times smaller |"]
    lines.append("| --- |" + " ---: |" * 4)
    for name, title in COLUMNS.items():
        linear, network = np.array([getattr(row, name) for row in rows]).T
        times = linear / network
        cells_ = [summary(linear), summary(network), summary(times), summary(times**2)]
        lines.append(f"| {title} | {' | '.join(cells_)} |")
    seconds = [row.seconds for row in rows]
    lines.append(f"\nCPU seconds to draw and fit a network: {summary(seconds)}")
    return "\n".join(lines)


def summary(values):
    return f"{np.median(values):.2g} ({min(values):.2g}-{max(values):.2g})"


def plot(seed, path, steps=500):
    """How both models go on by themselves, and their errors."""
    keras.utils.set_random_seed(seed)
    glass = tasks.series.mackey_glass(UNTIL, np.random.default_rng(seed)) - 1
    inputs, targets = glass[:-1], glass[1:]
    truth = targets[TESTED : TESTED + steps] + 1
    models = {
        "linear model": Linear(inputs, targets),
        "echo state network": EchoState(inputs, targets, MACKEY_GLASS),
    }
    figure, (above, below) = plt.subplots(2, 1, figsize=(10, 5), sharex=True)
    above.plot(truth, color="0.6", linewidth=4, label="Mackey-Glass")
    for name, color in zip(models, ("tab:orange", "tab:blue"), strict=True):
        values = models[name].fed_back(inputs, [TESTED], steps)
        values = np.concatenate(list(values)) + 1
        above.plot(values, color=color, linewidth=1.2, label=name)
        below.semilogy(abs(values - truth), color=color, linewidth=1.2)
    above.set_ylim(0.2, 1.5)
    above.set_ylabel("x")
    above.legend(loc="lower center", ncols=3, frameon=False)
    below.set_ylabel("absolute error")
    below.set_xlabel("steps since the last value that was seen")
    below.grid(alpha=0.3)
    figure.tight_layout()
    figure.savefig(path, dpi=110)


def seeds_of(text):
    first, _, final = text.partition("-")
    return range(int(first), int(final or first) + 1)


@click.command(help=__doc__)
@click.option("--seeds", default="1-10", show_default=True, help="Such as 1-10.")
@click.option("--plot", "path", type=click.Path(), help="Where to draw the first seed.")
def main(seeds, path):
    seeds = seeds_of(seeds)
    if path:
        plot(seeds[0], path)
    print(table([measure(seed) for seed in seeds]))


if __name__ == "__main__":
    main()
