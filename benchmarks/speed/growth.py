"""Time and memory of a training step as the network and its sequences grow.

    python benchmarks/speed/growth.py [--backend jax] [--plot docs/images/growth.png]

The work of `throughput.py` with an LSTM controller, one size changed at a time, on both
paths, each point in a process of its own. Memory is what the process
needed at its peak beyond what it held before the first step, with compiling.
"""

import pathlib

import click
import matplotlib.pyplot as plt
import numpy as np
import rich.console
import rich.progress
from throughput import measure_apart

# As wide a range as is of use; 2 * length + 1 steps.
SIZES = {
    "steps": [{"length": length} for length in (10, 25, 50, 100, 250, 500)],
    "batch": [{"batch_size": size} for size in (1, 4, 16, 64, 256)],
    "rows": [{"rows": rows} for rows in (128, 256, 512, 1024, 2048, 4096)],
}
USUAL = {"length": 20, "batch_size": 16, "rows": 128}
PATHS = {"native": "compiled kernel", "portable": "portable path"}


def measure_all(backend):
    """`{size: [(value, {path: (milliseconds, MiB)})]}`."""
    console = rich.console.Console(stderr=True)
    points = [(name, change) for name, changes in SIZES.items() for change in changes]
    results = {name: [] for name in SIZES}
    for name, change in rich.progress.track(points, "sizes", console=console):
        (value,) = change.values()
        sizes = {**USUAL, **change, "steps": 10, "epochs": 2}
        row = {}
        for path in PATHS:
            run = measure_apart(backend, "ntm-lstm", path, **sizes)
            row[path] = (1e3 * float(np.median(run["seconds"])), run["training_mib"])
        results[name].append((2 * value + 1 if name == "steps" else value, row))
    return results


def exponent(values, milliseconds):
    """The slope of the upper half in a plot with two logarithmic axes: 1 is linear."""
    half = len(values) // 2
    logs = np.log(values[half:]), np.log(milliseconds[half:])
    return np.polyfit(*logs, 1)[0]


def table(results):
    """Markdown."""
    lines = ["| size | | ms | ms, portable | times faster | MiB | MiB, portable |"]
    lines.append("| --- |" + " ---: |" * 6)
    for name, points in results.items():
        for value, row in points:
            (time, memory), (slow, more) = row["native"], row["portable"]
            cells = [name, f"{value:,}", f"{time:,.1f}", f"{slow:,.1f}"]
            cells += [f"{slow / time:.1f}", f"{memory:,.0f}", f"{more:,.0f}"]
            lines.append(f"| {' | '.join(cells)} |")
        for path, title in PATHS.items():
            values = [value for value, _ in points]
            slope = exponent(values, [row[path][0] for _, row in points])
            lines.append(f"| {name}, {title} | | grows as {name}^{slope:.2f} | | | | |")
    return "\n".join(lines)


def plot(results, path):
    figure, axes = plt.subplots(2, 3, figsize=(10, 5.4), sharex="col", sharey="row")
    for column, (name, points) in zip(axes.T, results.items(), strict=True):
        values = [value for value, _ in points]
        for place, axis in enumerate(column):
            for key, title in PATHS.items():
                axis.plot(values, [r[key][place] for _, r in points], "o-", label=title)
            axis.set_xscale("log")
            axis.set_xticks(values, values)
            axis.minorticks_off()
            axis.grid(alpha=0.3)
        column[0].set_yscale("log")
        column[1].set_xlabel(name)
    axes[0, 0].set_ylabel("ms a training step")
    axes[1, 0].set_ylabel("MiB")
    axes[1, 0].set_ylim(bottom=0)
    axes[0, 0].legend()
    figure.tight_layout()
    figure.savefig(path, dpi=100)


@click.command()
@click.option("--backend", default="jax", show_default=True)
@click.option("--plot", "image", type=click.Path(path_type=pathlib.Path))
def main(backend, image):
    """Measure a training step at growing numbers of steps, sequences and rows."""
    results = measure_all(backend)
    click.echo(table(results))
    if image:
        plot(results, image)


if __name__ == "__main__":
    main()
