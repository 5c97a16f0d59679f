"""Fast weights many steps at once, beside the same step by step.

    python benchmarks/speed/fast_weights.py [--steps 1000] [--chunk-size 32]

Milliseconds of a training step, medians of steps in turns, and how far the outputs of
both are apart.
"""

import statistics
import time

import click
import keras
import numpy as np

import memnets
from memnets.fast_weights.rules import RULES

FEATURES = 32


def compiled(rule, chunk_size, key_size, steps):
    """A model with a training step, compiled by XLA."""
    keras.utils.set_random_seed(1)
    inputs = keras.Input((steps, FEATURES))
    layer = memnets.FastWeights(
        FEATURES,
        key_size=key_size,
        rule=rule,
        chunk_size=chunk_size,
        return_sequences=True,
    )
    model = keras.Model(inputs, layer(inputs))
    model.compile("sgd", "mse", jit_compile=True)
    return model


def timed(model, batch):
    began = time.perf_counter()
    model.train_on_batch(*batch)
    return 1000 * (time.perf_counter() - began)


@click.command()
@click.option("--steps", default=1000, show_default=True)
@click.option("--batch-size", default=8, show_default=True)
@click.option("--key-size", default=32, show_default=True)
@click.option("--chunk-size", default=32, show_default=True)
@click.option("--repeats", default=7, show_default=True)
def main(steps, batch_size, key_size, chunk_size, repeats):
    """Times both ways to run fast weights."""
    rng = np.random.default_rng(1)
    batch = rng.standard_normal((2, batch_size, steps, FEATURES)).astype("float32")
    click.echo(f"{keras.backend.backend()}, {steps} steps, batches of {batch_size}")
    for rule in RULES:
        models = [compiled(rule, size, key_size, steps) for size in (None, chunk_size)]
        one, other = (model.predict_on_batch(batch[0]) for model in models)
        difference = np.abs(one - other).max()
        for model in models:
            timed(model, batch)
        rounds = [[timed(model, batch) for model in models] for _ in range(repeats)]
        by_step, at_once = map(statistics.median, zip(*rounds, strict=True))
        click.echo(
            f"{rule:12} step by step {by_step:7.1f} ms, {chunk_size} at once "
            f"{at_once:6.1f} ms: {by_step / at_once:.1f} times as fast; outputs differ "
            f"by {difference:.1e}"
        )


if __name__ == "__main__":
    main()
