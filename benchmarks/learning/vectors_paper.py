"""Tables 1 and 3 and figures 2 to 4 of the paper on GloVe, on a corpus of your own.

    python benchmarks/learning/vectors_paper.py TEXT --analogies questions-words.txt \\
        --similarity wordsim353.tsv --results FILE.json --plot docs/images/vectors.png

Trains vectors of several sizes, with several windows, on parts of the text and for
several numbers of iterations; answers analogies, correlates similarities, and draws
both. FILE keeps what was measured: a stopped run continues with what is missing, and
without TEXT what is there is drawn again.
"""

import dataclasses
import gzip
import itertools
import json
import pathlib
import tempfile
import time
from fractions import Fraction

import click
from matplotlib.figure import Figure

from tasks.figures.figure import COLORS
from tasks.vectors import native
from tasks.vectors.cooccurrence import count_cooccurrences
from tasks.vectors.glove import GloVe, GloVeConfig
from tasks.vectors.text import check_files

FILE = click.Path(exists=True, dir_okay=False, path_type=pathlib.Path)
# Table 1 of the paper.
PAIR, PROBES = ("ice", "steam"), ("solid", "gas", "water", "fashion")
GROUPS = ("semantic", "syntactic", "all")


@dataclasses.dataclass(frozen=True)
class Setting:
    """How vectors are trained.

    Attributes:
        size: Numbers of a vector.
        window: Largest distance of a pair.
        symmetric: Whether words to the right count too.
        part: Every how many-th line of the text is read.
        iterations: How often each pair is trained on.
    """

    size: int = 100
    window: int = 10
    symmetric: bool = True
    part: int = 1
    iterations: int = 10

    @property
    def key(self) -> str:
        """Its name in the file of results."""
        return "|".join(f"{k}:{v}" for k, v in dataclasses.asdict(self).items())

    @property
    def counts(self) -> tuple:
        """What the counts depend on."""
        return self.part, self.symmetric, self.window


# By title of a picture: the label of its axis, and the settings with their places on
# the axis. What is not named is as in `Setting`.
FIGURES = {
    "size of the vectors": {s: Setting(size=s) for s in (25, 50, 100, 200)},
    "window, symmetric": {w: Setting(window=w) for w in (2, 4, 6, 8, 10)},
    "window, words to the left only": {
        w: Setting(window=w, symmetric=False) for w in (2, 4, 6, 8, 10)
    },
    "part of the text": {1 / p: Setting(part=p) for p in (8, 4, 2, 1)},
    "iterations": {i: Setting(iterations=i) for i in (1, 2, 4, 7, 10, 15, 25)},
}


def measure(paths, questions, pairs, results, threads, save):
    """Adds what is missing to the results, and calls `save` after each training."""
    wanted = {s for figure in FIGURES.values() for s in figure.values()}
    missing = sorted(
        (s for s in wanted if s.key not in results["settings"]),
        key=lambda s: (s.counts, s.size, s.iterations),
    )
    for _, same in itertools.groupby(missing, key=lambda setting: setting.counts):
        settings = list(same)
        counts, tokens = counted(paths, settings[0])
        if settings[0].counts == Setting().counts:
            results["probabilities"] = probabilities(counts)
        for _, same_size in itertools.groupby(settings, key=lambda s: s.size):
            train(counts, tokens, list(same_size), threads, questions, pairs, results)
            save()


def counted(paths, setting):
    """The counts of a part of the text, and its number of tokens."""
    with tempfile.TemporaryDirectory() as folder:
        path, tokens = pathlib.Path(folder) / "part", 0
        lines = itertools.chain.from_iterable(map(lines_of, paths))
        with open(path, "w", encoding="utf-8") as part:
            for line in itertools.islice(lines, 0, None, setting.part):
                part.write(line.rstrip("\n") + "\n")
                tokens += len(line.split())
        options = {"window": setting.window, "symmetric": setting.symmetric}
        return count_cooccurrences(path, **options), tokens


def lines_of(path):
    """The lines of a file that may be gzipped, one by one."""
    opened = gzip.open if path.suffix == ".gz" else open
    with opened(path, "rt", encoding="utf-8") as file:
        yield from file


def train(counts, tokens, settings, threads, questions, pairs, results):
    """Trains once for settings that differ in the iterations only, fewest first."""
    glove = GloVe(
        counts, GloVeConfig(size=settings[0].size, x_max=100), threads=threads
    )
    seconds = 0.0
    for setting in settings:
        began = time.process_time()
        while len(glove.costs) < setting.iterations:
            glove.run_iteration()
        seconds += time.process_time() - began
        row = {"tokens": tokens, "words": len(counts.words), "pairs": len(counts)}
        row |= {"seconds": seconds, "cost": glove.costs[-1]}
        row |= scores(glove.vectors(), questions, pairs)
        results["settings"][setting.key] = row
        click.echo(f"{setting.key}: {row['analogies']['all'][0]:.4f}", err=True)


def scores(vectors, questions, pairs):
    """Analogies and similarities, each with its interval and how many were asked."""
    score = vectors.analogies(questions)
    low, high = score.interval.low, score.interval.high
    analogies = {part.name: [part.accuracy, part.asked] for part in score.groups}
    analogies["all"] = [score.accuracy, score.all.asked, low, high]
    similarities = {}
    for path in pairs:
        found = vectors.similarity(path)
        interval = found.interval.low, found.interval.high
        similarities[path.stem] = [found.correlation, found.covered, *interval]
    return {"analogies": analogies, "similarities": similarities}


def probabilities(counts):
    """P(k | ice), P(k | steam) and their ratio, for each k of the paper's table 1."""
    numbers = {word: number for number, word in enumerate(counts.words)}
    found = {}
    for probe in PROBES:
        values = []
        for word in PAIR:
            row = slice(*counts.starts[numbers[word] : numbers[word] + 2])
            column = counts.columns[row] == numbers[probe]
            of_probe = counts.counts[row][column].sum()
            values.append(float(of_probe / counts.counts[row].sum()))
        found[probe] = values
    return found


def show(results):
    """Prints the tables."""
    click.echo(f"| | {' | '.join(PROBES)} |\n| --- |" + " ---: |" * len(PROBES))
    found = results["probabilities"]
    for place, word in enumerate(PAIR):
        values = [f"{found[probe][place]:.1e}" for probe in PROBES]
        click.echo(f"| P(k, given {word}) | {' | '.join(values)} |")
    ratios = [f"{a / b:.2g}" if b else "" for a, b in map(found.get, PROBES)]
    click.echo(f"| ratio | {' | '.join(ratios)} |\n")
    names = list(next(iter(results["settings"].values()))["similarities"])
    click.echo(f"| vectors | {' | '.join([*GROUPS, *names])} | CPU s |")
    click.echo("| --- |" + " ---: |" * (4 + len(names)))
    for title, figure in FIGURES.items():
        for value, setting in figure.items():
            row = results["settings"][setting.key]
            cells = [percent(*row["analogies"][group]) for group in GROUPS]
            cells += [percent(*row["similarities"][name]) for name in names]
            click.echo(
                f"| {title}: {Fraction(value)} | {' | '.join(cells)} | "
                f"{row['seconds']:.0f} |"
            )


def percent(value, _asked, *interval):
    """A score in per cent, with its interval if there is one."""
    text = f"{100 * value:.1f}"
    if interval:
        text += f" ({100 * interval[0]:.1f} to {100 * interval[1]:.1f})"
    return text


def draw(results):
    """Figures 2 to 4, and the similarities of table 3 by the part of the text."""
    figure = Figure(figsize=(11, 6), layout="constrained")
    all_axes = figure.subplots(2, 3).ravel()
    for axes, (title, settings) in zip(all_axes, FIGURES.items(), strict=False):
        rows = [results["settings"][setting.key] for setting in settings.values()]
        for name, color in zip(GROUPS, COLORS, strict=False):
            draw_line(axes, settings, [r["analogies"][name] for r in rows], name, color)
        axes.set_title(title)
        axes.set_ylim(bottom=0)
    parts = FIGURES["part of the text"]
    rows = [results["settings"][setting.key] for setting in parts.values()]
    for name, color in zip(rows[0]["similarities"], COLORS[3:], strict=False):
        values = [row["similarities"][name] for row in rows]
        draw_line(all_axes[-1], parts, values, name, color)
    all_axes[-1].set_title("part of the text")
    for axes in all_axes[[0, 3]]:
        axes.set_ylabel("analogies answered, %")
    all_axes[-1].set_ylabel("rank correlation, %")
    for axes in (all_axes[0], all_axes[-1]):
        axes.legend(frameon=False)
    return figure


def draw_line(axes, places, values, name, color):
    """A line of scores in per cent, with its interval if there is one."""
    places = list(places)
    axes.plot(places, [100 * v[0] for v in values], "o-", color=color, label=name, ms=4)
    if len(values[0]) > 2:
        low, high = ([100 * v[n] for v in values] for n in (2, 3))
        axes.fill_between(places, low, high, color=color, alpha=0.15, lw=0)
    if max(places) > 20 * min(places) or max(places) <= 1:
        axes.set_xscale("log", base=2)
    axes.set_xticks(places, [str(Fraction(place)) for place in places])
    axes.minorticks_off()
    axes.grid(alpha=0.3)


@click.command()
@click.argument("texts", nargs=-1, type=FILE)
@click.option("--analogies", type=FILE)
@click.option("--similarity", "pairs", type=FILE, multiple=True)
@click.option("--threads", type=int, default=1, show_default=True)
@click.option(
    "--results",
    "file",
    type=click.Path(dir_okay=False, path_type=pathlib.Path),
    required=True,
    help="What was measured, as JSON.",
)
@click.option("--plot", "image", type=click.Path(path_type=pathlib.Path))
def main(texts, analogies, pairs, threads, file, image):
    """Measure on TEXTS what is not in the results yet, and show all of it."""
    results = {"settings": {}}
    if file.exists():
        results = json.loads(file.read_text(encoding="utf-8"))
    if texts:
        if analogies is None:
            raise click.UsageError("`--analogies` must be given to measure.")
        click.echo(f"Runs on: {native.status()}", err=True)

        def save():
            text = json.dumps(results, indent=1)
            file.write_text(text + "\n", encoding="utf-8")

        measure(check_files(texts), analogies, pairs, results, threads, save)
    show(results)
    if image:
        draw(results).savefig(image, dpi=80)


if __name__ == "__main__":
    main()
