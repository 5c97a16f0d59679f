"""Time and memory of a training step as the network and its sequences grow.

    python benchmarks/speed/growth.py [--backend jax] [--no-portable] [--plot FILE]

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
    "steps": [{"length": length} for length in (20, 40, 80, 160, 320, 500)],
    "batch": [{"batch_size": size} for size in (1, 4, 16, 64, 256)],
    "rows": [{"rows": rows} for rows in (128, 512, 1024, 2048, 4096, 8192)],
}
USUAL = {"length": 20, "batch_size": 16, "rows": 128}
PATHS = {"native": "compiled kernel", "portable": "portable path"}


def measure_all(backend, paths):
    """`{size: [(value, {path: (milliseconds, MiB)})]}`."""
    console = rich.console.Console(stderr=True)
    points = [(name, change) for name, changes in SIZES.items() for change in changes]
    results = {name: [] for name in SIZES}
    for name, change in rich.progress.track(points, "sizes", console=console):
        (value,) = change.values()
        sizes = {**USUAL, **change, "steps": 10, "epochs": 2}
        row = {}
        for path in paths:
            run = measure_apart(backend, "ntm-lstm", path, **sizes)
            row[path] = (1e3 * float(np.median(run["seconds"])), run["training_mib"])
        results[name].append((2 * value + 1 if name == "steps" else value, row))
    return results


def exponent(values, milliseconds):
    """The slope from the first to the last size in a plot with two logarithmic axes: 1
    is linear."""
    return np.log(milliseconds[-1] / milliseconds[0]) / np.log(values[-1] / values[0])


def table(results):
    """Markdown: for each path the milliseconds and the MiB."""
    paths = list(next(iter(results.values()))[0][1])
    titles = " | ".join(f"ms, {PATHS[path]} | MiB" for path in paths)
    lines = [f"| size | | {titles} |", "| --- |" + " ---: |" * (1 + 2 * len(paths))]
    for name, points in results.items():
        for value, row in points:
            numbers = (f"{row[p][0]:,.1f} | {row[p][1]:,.0f}" for p in paths)
            lines.append(f"| {name} | {value:,} | {' | '.join(numbers)} |")
        values = [value for value, _ in points]
        slopes = (exponent(values, [row[p][0] for _, row in points]) for p in paths)
        powers = " | ".join(f"{name}^{slope:.2f} | " for slope in slopes)
        lines.append(f"| {name} | grows as | {powers} |")
    return "\n".join(lines)


def plot(results, path):
    figure, axes = plt.subplots(2, 3, figsize=(10, 5.4), sharex="col", sharey="row")
    for column, (name, points) in zip(axes.T, results.items(), strict=True):
        values = [value for value, _ in points]
        for place, axis in enumerate(column):
            for key in points[0][1]:
                title = PATHS[key]
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
@click.option("--portable/--no-portable", default=True, help="Also the portable path.")
@click.option("--plot", "image", type=click.Path(path_type=pathlib.Path))
def main(backend, portable, image):
    """Measure a training step at growing numbers of steps, sequences and rows."""
    results = measure_all(backend, list(PATHS) if portable else ["native"])
    click.echo(table(results))
    if image:
        plot(results, image)


if __name__ == "__main__":
    main()
