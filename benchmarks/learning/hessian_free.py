"""Hessian-free optimization beside gradient descent, on the adding problem.

    KERAS_BACKEND=jax python benchmarks/learning/hessian_free.py --seeds 2001-2003

A simple recurrent network of 100 tanh units, with the initial weights of Keras, and
sequences of 50 to 55 steps. Hessian-free optimization sees 2,000 sequences again and
again; the others see fresh ones. All are judged by 2,560 fresh sequences. Those are
wrong that are further than 0.04 from their target. The mean squared error of guessing
is 0.042.
"""

import time

import click
import keras
import numpy as np

import tasks
from tasks.cli.compare import seeds_of
from tasks.training.hessian_free_jax import hessian_free

TASK = tasks.get_task("adding", min_steps=50)
MODEL = tasks.get_model("simple-rnn", units=100)
# Tuned on seed 1. Together with 100 steps, as much work as 640,000 sequences once.
SEQUENCES, CURVATURE_SEQUENCES = 2_000, 250
# Learning rates of gradient descent and of Adam.
RATES = {"sgd": (0.1,), "adam": (1e-3,)}


def second_order(seed, steps):
    """A model after so many Hessian-free steps."""
    keras.utils.set_random_seed(seed)
    model = MODEL.build(TASK)
    (layer,) = (x for x in model.layers if isinstance(x, keras.layers.SimpleRNN))
    data = TASK.sample(SEQUENCES, seed)
    hessian_free(
        *(model, data.inputs, data.targets),
        hidden=layer,
        steps=steps,
        curvature_sequences=CURVATURE_SEQUENCES,
        seed=seed,
    )
    return model


def first_order(seed, sequences, optimizer, rate):
    """A model after gradient descent over so many sequences."""
    return tasks.train(
        *(TASK, MODEL),
        seed=seed,
        sequences=sequences,
        optimizer=optimizer,
        learning_rate=rate,
        progress=False,
    ).model


def judged(model):
    """The mean squared error on fresh sequences, and the share of wrong ones."""
    batch = TASK.sample(TASK.evaluation.eval_sequences, 10_000)
    outputs = np.asarray(model.predict(batch.inputs, verbose=0))
    wrong = TASK.errors(batch, outputs)["wrong"].mean()
    return float(((outputs - batch.targets) ** 2).mean()), wrong


@click.command()
@click.option("--seeds", default="1", help="Seeds, written as 1-10 or 1,2,5.")
@click.option("--steps", default=100, show_default=True, help="Hessian-free steps.")
@click.option("--sequences", default=640_000, show_default=True, help="Of the others.")
def main(seeds, steps, sequences):
    """Train each way from each seed."""
    ways = {"Hessian-free": lambda seed: second_order(seed, steps)}
    for optimizer, rates in RATES.items():
        for rate in rates:
            ways[f"{optimizer}, {rate}"] = lambda seed, how=(optimizer, rate): (
                first_order(seed, sequences, *how)
            )
    click.echo("| way | seed | mean squared error | wrong | CPU-seconds |")
    click.echo("| --- | ---: | ---: | ---: | ---: |")
    for seed in seeds_of(seeds):
        for name, way in ways.items():
            start = time.process_time()
            error, wrong = judged(way(seed))
            seconds = time.process_time() - start
            click.echo(
                f"| {name} | {seed} | {error:.5f} | {wrong:.1%} | {seconds:.0f} |"
            )


if __name__ == "__main__":
    main()
