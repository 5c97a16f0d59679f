"""Word vectors: how fast pairs are counted and trained on, beside Stanford's program.

    python benchmarks/speed/word_vectors.py TEXT ... --glove FOLDER

FOLDER has the C sources of https://github.com/stanfordnlp/GloVe, with their Makefile.
They are copied and built there with `make`; they are no part of this project. Both read
the same text with the same settings. With `--analogies` and `--similarity`, the vectors
of both are also scored.
"""

import heapq
import pathlib
import re
import resource
import shutil
import subprocess
import tempfile
import time

import click
import numpy as np

from tasks.vectors import native
from tasks.vectors.cooccurrence import count_cooccurrences
from tasks.vectors.glove import GloVe, GloVeConfig
from tasks.vectors.text import LINE_END, check_files, words_of
from tasks.vectors.word_vectors import WordVectors

FILE = click.Path(exists=True, dir_okay=False, path_type=pathlib.Path)


class Clock:
    """Seconds of the clock and of the processor, in a `with` block."""

    def __enter__(self):
        self.began, self.used = time.perf_counter(), _processor_seconds()
        return self

    def __exit__(self, *exception):
        self.wall = time.perf_counter() - self.began
        self.cpu = _processor_seconds() - self.used


def _processor_seconds():
    """Of this process and the processes it has started, that have ended."""
    usages = map(resource.getrusage, (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN))
    return sum(usage.ru_utime + usage.ru_stime for usage in usages)


def row(program, step, size, threads, clock, amount, cost=""):
    """Prints a row: millions of tokens or pairs a second, by both clocks."""
    click.echo(
        f"| {program} | {step} | {size} | {threads} | {clock.wall:.2f} | "
        f"{clock.cpu:.2f} | {amount / clock.wall / 1e6:.2f} | "
        f"{amount / clock.cpu / 1e6:.2f} | {cost} |"
    )


def balance(tiles, threads):
    """How many times as fast as one thread several can be, as they wait for the last
    tile of each round."""
    sizes, busiest = np.diff(tiles.starts), 0
    for chosen in tiles.rounds(1, 0):
        loads = [0] * threads
        for size in sizes[chosen]:
            heapq.heapreplace(loads, loads[0] + size)
        busiest += max(loads)
    return sizes.sum() / busiest


def ours(paths, options, sizes, threads, iterations):
    """Times this project; returns the vectors of the last training of each size."""
    with Clock() as clock:
        pairs = count_cooccurrences(paths, **options)
    tokens = sum(len(b) - b.count(LINE_END) for b in words_of(paths))
    click.echo(f"{tokens:,} tokens, {len(pairs.words):,} words, {len(pairs):,} pairs\n")
    click.echo("| program | step | size | threads | s | CPU s | M/s | M/CPU s | cost |")
    click.echo("| --- | --- " + "| ---: " * 7 + "|")
    row("memnets", "words and pairs", "", 1, clock, tokens)
    vectors = {}
    for size in sizes:
        for number in threads:
            with Clock() as clock:
                glove = GloVe(pairs, GloVeConfig(size=size, x_max=100), threads=number)
            if (size, number) == (sizes[0], threads[0]):
                row("memnets", "order of pairs", "", 1, clock, len(pairs))
            with Clock() as clock:
                for _ in range(iterations):
                    glove.run_iteration()
            cost = f"{glove.costs[-1]:.6f}"
            row(
                "memnets",
                "training",
                size,
                number,
                clock,
                len(pairs) * iterations,
                cost,
            )
        vectors[size] = glove.vectors()
    for number in threads:
        most = balance(glove.tiles, number)
        text = f"{number} threads: the tiles allow {most:.2f} times the speed"
        click.echo(text, err=True)  # not between two rows of the table
    return vectors, tokens, len(pairs)


class Stanford:
    """Stanford's program, built from a copy of its sources.

    Args:
        sources: Their folder.
        folder: An empty folder to work in.
    """

    def __init__(self, sources, folder):
        self.folder = folder
        shutil.copytree(sources, folder / "sources")
        subprocess.run(
            ["make"], cwd=folder / "sources", check=True, capture_output=True
        )

    def run(self, program, *options, read=None, write=None):
        """Runs a step; returns what it says."""
        path = self.folder / "sources" / "build" / program
        with (
            open(self.folder / read if read else "/dev/null", "rb") as standard_input,
            open(self.folder / write if write else "/dev/null", "wb") as output,
        ):
            result = subprocess.run(
                [path, *map(str, options)],
                cwd=self.folder,
                check=True,
                stdin=standard_input,
                stdout=output,
                stderr=subprocess.PIPE,
            )
        return result.stderr.decode()

    def time(self, options, sizes, threads, iterations, tokens, pairs):
        """Times all steps; returns the vectors of the last training of each size."""
        words = {"read": "text"}
        with Clock() as clock:
            self.run(
                *("vocab_count", "-min-count", options["min_count"]),
                **words,
                write="vocab",
            )
            self.run(
                *("cooccur", "-window-size", options["window"], "-memory", 2),
                *("-vocab-file", "vocab"),
                **words,
                write="pairs",
            )
        row("glove", "words and pairs", "", 1, clock, tokens)
        with Clock() as clock:
            self.run("shuffle", "-memory", 2, "-seed", 1, read="pairs", write="mixed")
        row("glove", "order of pairs", "", 1, clock, pairs)
        vectors = {}
        for size in sizes:
            for number in threads:
                with Clock() as clock:
                    said = self.run(
                        *("glove", "-input-file", "mixed", "-vocab-file", "vocab"),
                        *("-save-file", "vectors", "-vector-size", size, "-seed", 1),
                        *("-threads", number, "-iter", iterations, "-x-max", 100),
                        *("-binary", 0, "-eta", 0.05, "-alpha", 0.75),
                    )
                cost = re.findall(r"cost: ([\d.]+)", said)[-1]
                row("glove", "training", size, number, clock, pairs * iterations, cost)
            vectors[size] = WordVectors.load(self.folder / "vectors.txt")
        return vectors


def show_scores(vectors, analogies, similarity):
    """Prints the scores of vectors, by program and size."""
    for (program, size), found in vectors.items():
        for path in analogies:
            score = found.analogies(path)
            click.echo(
                f"{program}, size {size}, {path.name}: {score.accuracy:.4f} "
                f"[{score.interval.low:.4f}, {score.interval.high:.4f}] of "
                f"{score.all.asked:,} questions"
            )
        for path in similarity:
            score = found.similarity(path)
            click.echo(
                f"{program}, size {size}, {path.name}: {score.correlation:.4f} "
                f"[{score.interval.low:.4f}, {score.interval.high:.4f}] of "
                f"{score.covered:,} pairs"
            )


@click.command()
@click.argument("texts", nargs=-1, required=True, type=FILE)
@click.option("--size", "sizes", type=int, multiple=True, default=[50, 100])
@click.option("--threads", type=int, multiple=True, default=[1, 2])
@click.option("--iterations", type=int, default=3, show_default=True)
@click.option("--window", type=int, default=10, show_default=True)
@click.option("--min-count", type=int, default=5, show_default=True)
@click.option(
    "--glove",
    type=click.Path(exists=True, file_okay=False, path_type=pathlib.Path),
    help="Folder of Stanford's C sources.",
)
@click.option("--analogies", type=FILE, multiple=True)
@click.option("--similarity", type=FILE, multiple=True)
def main(
    texts, sizes, threads, iterations, window, min_count, glove, analogies, similarity
):
    """Time counting and training on TEXTS."""
    paths, options = check_files(texts), {"window": window, "min_count": min_count}
    click.echo(f"memnets runs on: {native.status()}; {iterations} iterations")
    found, tokens, pairs = ours(paths, options, sizes, threads, iterations)
    vectors = {("memnets", size): value for size, value in found.items()}
    if glove is not None:
        with tempfile.TemporaryDirectory() as name:
            folder = pathlib.Path(name)
            with open(folder / "text", "w", encoding="utf-8") as file:
                for block in words_of(paths):
                    file.write(" ".join(block).replace(LINE_END, "\n") + " ")
            program = Stanford(glove, folder)
            found = program.time(options, sizes, threads, iterations, tokens, pairs)
        vectors |= {("glove", size): value for size, value in found.items()}
    click.echo()
    show_scores(vectors, analogies, similarity)


if __name__ == "__main__":
    main()
