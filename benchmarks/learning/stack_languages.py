"""Networks with stacks on strings longer than any of training, beside an LSTM.

    python benchmarks/learning/stack_languages.py anbn reversal \\
        --models stack --seeds 2001 2010

A line for each run, as it ends. Of the counting languages, the share of the numbers to
60, and of 500 and 1,000, whose word has no wrong symbol; of the other tasks, the
share of sequences without one, and of symbols that are right.
"""

import dataclasses
import time

import click
import keras
import numpy as np

import tasks
from tasks.formal_languages.counting import PATTERNS

# What follows training: sequences of these tasks.
OTHERS = {
    "letter-copy": tasks.LetterCopy(65, 128),
    "reversal": tasks.Reversal(65, 128),
    "bigram-flip": tasks.BigramFlip(66, 128),
    "transduce-addition": tasks.TransduceAddition(21, 60),
    "dyck": tasks.Dyck(41, 500),
}
NEAR, FAR = range(1, 61), (500, 1_000)
DRAWS = 5  # words of each length to 60 of a language of two numbers
SEQUENCES = 200


def words(pattern, lengths):
    """A batch of words of each length, and the length of each."""
    task = tasks.Counting(1, max(lengths), pattern)
    is_near = max(lengths) <= max(NEAR)
    draws = DRAWS if PATTERNS[pattern].has_two_numbers and is_near else 1
    rng = np.random.default_rng(1)
    each = np.repeat(np.array(lengths), draws)
    return task, task.batch_of([task.draw_string(int(n), rng) for n in each]), each


def deeper(model, task, config, depth):
    """The same network with stacks of another depth."""
    if config.name != "stack":
        return model
    other = dataclasses.replace(config, depth=max(depth, config.depth)).build(task)
    other.set_weights(model.get_weights())
    return other


def outputs_of(model, inputs):
    return np.asarray(model.predict(inputs, batch_size=50, verbose=0), float)


def count(model, config, pattern, lengths):
    """The share of lengths without a wrong word."""
    task, batch, each = words(pattern, lengths)
    network = deeper(model, task, config, max(lengths))
    perfect = task.errors(batch, outputs_of(network, batch.inputs))["perfect"]
    return np.mean([perfect[each == n].all() for n in lengths])


def measure(model, config, task):
    """What a run is worth, in words."""
    if isinstance(task, tasks.Counting):
        near, far = (count(model, config, task.pattern, n) for n in (NEAR, FAR))
        return f"to 60 {near:.3f}, to 1,000 {far:.2f}"
    beyond = OTHERS[task.name]
    batch = beyond.sample(SEQUENCES, 1)
    network = deeper(model, task, config, beyond.max_length)
    errors = beyond.errors(batch, outputs_of(network, batch.inputs))
    right = 1 - errors["symbol_errors"].sum() / batch.mask.sum()
    return f"sequences {errors['perfect'].mean():.3f}, symbols {right:.4f}"


@click.command()
@click.argument("names", nargs=-1, type=click.Choice([*PATTERNS, *OTHERS]))
@click.option("--models", default="stack,lstm", show_default=True)
@click.option("--seeds", nargs=2, default=(2001, 2010), show_default=True)
@click.option("--sequences", type=int, help="Budget, unless that of the recipe.")
@click.option("--set", "changes", multiple=True, help="A parameter of stack, as a=1.")
def main(names, models, seeds, sequences, changes):
    """Trains and measures each model on each task with each seed."""
    changed = dict(change.split("=") for change in changes)
    changed = {key: _value(text) for key, text in changed.items()}
    click.echo(f"{keras.backend.backend()} {changed or ''}")
    for name in names or (*PATTERNS, *OTHERS):
        task = (
            tasks.Counting(pattern=name) if name in PATTERNS else tasks.get_task(name)
        )
        for model in models.split(","):
            for seed in range(seeds[0], seeds[1] + 1):
                config = tasks.get_model(
                    model, task, **(changed if model == "stack" else {})
                )
                began = time.process_time()
                trained = tasks.train(
                    task, config, seed=seed, sequences=sequences, progress=False
                )
                seconds = time.process_time() - began
                worth = measure(trained.model, config, task)
                errors = trained.history[-1]["symbol_errors"]
                click.echo(
                    f"{name} {model} {seed}: {worth}; "
                    f"training {errors:.4f} wrong symbols, {seconds:.0f} CPU s"
                )
                keras.backend.clear_session()


def _value(text):
    try:
        return float(text) if "." in text else int(text)
    except ValueError:
        return text


if __name__ == "__main__":
    main()
