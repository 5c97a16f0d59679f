"""Time and memory of a training step of a sparse access memory, beside those of an NTM.

    KERAS_BACKEND=jax python benchmarks/speed/sparse_memory.py [--rows 1000000] \\
        [--ntm-rows 1]

For each number of rows and of steps: milliseconds of a forward and backward pass of one
sequence, by the clock and of the processor (medians), and what XLA plans to keep beyond
the rows and their gradient. Then what a further step takes, and the exponents of the
processor's time in the number of steps and of rows. Last, how often an index finds the
row nearest to a key, by the angle between the two.
"""

import statistics
import time
from typing import NamedTuple

import click
import jax
import keras
import numpy as np

import memnets
from memnets.sam import row_choice
from memnets.sam.hash_index import HashIndex

FEATURES, UNITS, CONTROLLER = 8, 8, 100
MEBIBYTE = 2**20


class Measured(NamedTuple):
    """One size: milliseconds of a pass, by the clock and of the processor, and MiB
    beyond the rows and their gradient."""

    steps: int
    clock: float
    processor: float
    kept: float


def compiled(layer, steps):
    """The value and gradient of a layer, compiled for one sequence, and its
    arguments."""
    sequence = np.random.default_rng(0).standard_normal((1, steps, FEATURES), "float32")
    layer.build(sequence.shape)
    weights = [variable.value for variable in layer.trainable_variables]
    fixed = [variable.value for variable in layer.non_trainable_variables]

    def loss(weights, fixed, sequence):
        outputs, _ = layer.stateless_call(weights, fixed, sequence)
        return keras.ops.sum(keras.ops.square(outputs))

    arguments = (weights, fixed, sequence)
    return jax.jit(jax.value_and_grad(loss)).lower(*arguments).compile(), arguments


def measured(layer_class, rows, steps, repeats, **arguments):
    """Times a layer of one size."""
    word_size = arguments["word_size"]
    layer = layer_class(
        UNITS,
        memory_size=rows,
        controller_size=CONTROLLER,
        return_sequences=True,
        **arguments,
    )
    run, arguments = compiled(layer, steps)
    jax.block_until_ready(run(*arguments))  # touches new memory
    times = []
    for _ in range(repeats):
        began = time.perf_counter(), time.process_time()
        jax.block_until_ready(run(*arguments))
        times.append((time.perf_counter() - began[0], time.process_time() - began[1]))
    clock, processor = (
        1000 * statistics.median(each) for each in zip(*times, strict=True)
    )
    kept = run.memory_analysis().temp_size_in_bytes - 2 * 4 * rows * word_size
    return Measured(steps, clock, processor, kept / MEBIBYTE)


def exponent(name, pairs):
    """The slope of the logarithm of time by that of size, from `(size, time)`."""
    sizes, times = zip(*pairs, strict=True)
    slope = np.polyfit(np.log(sizes), np.log(times), 1)[0]
    return f"exponent in {name}: {slope:.2f}"


def sweep(label, layer_class, rows, steps, repeats, **arguments):
    """Prints a table for one memory."""
    click.echo(f"\n{label}\n     rows  steps   clock ms     CPU ms      MiB")
    of_a_step = []
    for count in rows:
        line = [measured(layer_class, count, n, repeats, **arguments) for n in steps]
        for each in line:
            click.echo(
                f"{count:9,} {each.steps:6} {each.clock:10.1f} {each.processor:10.1f} "
                f"{each.kept:8.1f}"
            )
        first, last = line[0], line[-1]
        further = last.steps - first.steps
        clock = (last.clock - first.clock) / further
        processor = (last.processor - first.processor) / further
        of_a_step.append((count, processor))
        pairs = [(each.steps, each.processor) for each in line]
        click.echo(
            f"{count:9,}: a further step {clock:.3f} ms, CPU {processor:.3f} ms; "
            f"{exponent('steps', pairs)}"
        )
    if len(of_a_step) > 1 and all(ms > 0 for _, ms in of_a_step):
        click.echo(exponent("rows", of_a_step))


def recall(num_rows, word_size, num_keys=1000):
    """Prints how often an index finds the nearest row, by the cosine of it and the
    key."""
    rng = np.random.default_rng(0)
    memory = rng.standard_normal((1, num_rows, word_size)).astype("float32")
    index = HashIndex(num_rows, word_size)
    buckets = jax.jit(index.build)(memory)
    nearest = jax.jit(lambda key: index.nearest_rows(memory, buckets, key, 1))
    rows = rng.integers(0, num_rows, num_keys)
    row = memory[0, rows] / np.linalg.norm(memory[0, rows], axis=1, keepdims=True)
    aside = rng.standard_normal((num_keys, word_size))
    aside -= np.sum(aside * row, axis=1, keepdims=True) * row
    aside /= np.linalg.norm(aside, axis=1, keepdims=True)
    click.echo(f"\nnearest rows that an index finds, {num_rows:,} rows")
    for cosine in (0.95, 0.9, 0.8, 0.0):
        key = (cosine * row + (1 - cosine**2) ** 0.5 * aside)[None].astype("float32")
        found = np.asarray(nearest(key))[0, :, 0]
        true = [
            np.asarray(row_choice.nearest_rows(memory, key[:, i : i + 10], 1))[0, :, 0]
            for i in range(0, num_keys, 10)
        ]
        share = np.mean(found == np.concatenate(true))
        click.echo(f"cosine of the key and a row {cosine:.2f}: {share:.1%}")


@click.command()
@click.option("--rows", multiple=True, type=int, default=[4096, 65_536, 1_000_000])
@click.option("--steps", multiple=True, type=int, default=[25, 50, 100])
@click.option("--ntm-rows", multiple=True, type=int, default=[256, 4096])
@click.option("--word-size", default=32, show_default=True)
@click.option("--heads", default=4, show_default=True)
@click.option("--rows-read", default=4, show_default=True)
@click.option("--repeats", default=5, show_default=True)
def main(rows, steps, ntm_rows, word_size, heads, rows_read, repeats):
    """Times the memories at growing sizes."""
    sizes = {"word_size": word_size, "num_read_heads": heads}
    for search in ("exact", "hashing"):
        sweep(
            f"SAM, {heads} heads, {rows_read} rows each, search: {search}",
            memnets.SAM,
            rows,
            steps,
            repeats,
            num_rows_read=rows_read,
            search=search,
            **sizes,
        )
    recall(max(rows), word_size)
    memnets.native.set_enabled(False)
    sweep(
        "NTM, portable",
        memnets.NTM,
        ntm_rows,
        steps,
        repeats,
        num_write_heads=heads,
        **sizes,
    )


if __name__ == "__main__":
    main()
