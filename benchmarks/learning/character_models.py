"""Language models of characters on one text: bits, debagging, brackets.

    memnets train language-model --data book.txt --model lstm --out runs/lm-lstm
    python benchmarks/learning/character_models.py --data book.txt --split test \\
        --run runs/lm-lstm --bags 100 --signs "[]" --plot brackets.png

Every model is read on the same characters of one split: n-gram models of the training
part, and trained runs, whose state is carried from the first character to the last.

A compressor has no probabilities. What it needs for a split is the size of the
compressed training part with the split after it, less that of the compressed training
part alone, in bits, by the characters of the split. bz2 -9 compresses blocks of 900 kB
one by one, so that it sees at most that much of the training part; xz -9e looks back
64 MiB.
"""

import bz2
import lzma
import pathlib
import re
import time

import click
import numpy as np

import tasks
from tasks.text.corpus import Corpus
from tasks.text.debagging import draw_bags
from tasks.text.figures import draw_closings
from tasks.text.network import as_language_model
from tasks.text.probes import closing_probabilities

ORDERS = (4, 6)
COMPRESSORS = {
    "bz2": lambda data: bz2.compress(data, 9),
    "xz": lambda data: lzma.compress(data, preset=9 | lzma.PRESET_EXTREME),
}
# Texts of a probe, and characters after the opening sign.
PROBES = 200
LENGTH = 30


def compressed_bits(compress, train, text):
    """Bits per character of a text after another."""
    before, after = (len(compress(part.encode())) for part in (train, train + text))
    return 8 * (after - before) / len(text)


def models_of(train, runs):
    """Language models by name."""
    models = {f"{order}-grams": tasks.NGramModel(train, order) for order in ORDERS}
    for path in runs:
        models[path.name] = as_language_model(tasks.open_run(path))
    return models


def probe_texts(text, signs, seed):
    """Beginnings of lines without the signs."""
    lines = [match.end() for match in re.finditer("\n", text)]
    texts = [text[start : start + LENGTH] for start in lines]
    fit = [t for t in texts if len(t) == LENGTH and not set(signs) & set(t)]
    places = np.random.default_rng(seed).permutation(len(fit))[:PROBES]
    return [fit[place] for place in places]


def score(models, train, text):
    """A table of bits per character."""
    click.echo("| model | bits per character | CPU-seconds |\n| --- | ---: | ---: |")
    for name, compress in COMPRESSORS.items():
        start = time.process_time()
        bits = compressed_bits(compress, train, text)
        click.echo(f"| {name} | {bits:.3f} | {time.process_time() - start:.0f} |")
    for name, model in models.items():
        start = time.process_time()
        bits = model.bits_per_character(text)
        click.echo(f"| {name} | {bits:.3f} | {time.process_time() - start:.0f} |")


def debag(models, bags):
    """A table of the bags whose right order a model finds most likely."""
    click.echo("\n| model | right of | median rank | CPU-seconds |")
    click.echo("| --- | ---: | ---: | ---: |")
    for name, model in models.items():
        start = time.process_time()
        ranks = [tasks.debag(model, bag).rank for bag in bags]
        right = sum(rank == 1 for rank in ranks)
        click.echo(
            f"| {name} | {right} of {len(bags)} | {np.median(ranks):.0f} "
            f"| {time.process_time() - start:.0f} |"
        )


def probe(models, texts, signs, image):
    """A table of the probability of a closing sign, and a picture."""
    opening, closing = signs
    curves = {
        name: closing_probabilities(
            model, texts, opening=opening, closing=closing, length=LENGTH
        )
        for name, model in models.items()
    }
    click.echo(f"\n| model | `{closing}` after {LENGTH} characters | not opened |")
    click.echo("| --- | ---: | ---: |")
    for name, (opened, plain) in curves.items():
        click.echo(f"| {name} | {opened[-1]:.5f} | {plain[-1]:.5f} |")
    if image:
        draw_closings(curves, opening, closing).savefig(image, dpi=100)


@click.command()
@click.option("--data", default="sample", show_default=True, help="The text.")
@click.option(
    "--split",
    type=click.Choice(["validation", "test"]),
    default="validation",
    show_default=True,
)
@click.option("--characters", type=int, help="The first so many of the split.")
@click.option("--run", "runs", multiple=True, type=click.Path(path_type=pathlib.Path))
@click.option("--bags", type=int, default=0, help="Bags to put in order.")
@click.option("--signs", help="An opening and a closing sign, such as ().")
@click.option("--seed", type=int, default=1, help="Of bags and probes.")
@click.option("--plot", "image", type=click.Path(path_type=pathlib.Path))
def main(data, split, characters, runs, bags, signs, seed, image):
    """Compare n-grams, compressors and trained runs on a split of a text."""
    corpus = Corpus.read(data)
    train, text = corpus.part("train"), corpus.part(split)[:characters]
    models = models_of(train, runs)
    score(models, train, text)
    if bags:
        debag(models, draw_bags(text, bags, seed))
    if signs:
        probe(models, probe_texts(text, signs, seed), signs, image)


if __name__ == "__main__":
    main()
