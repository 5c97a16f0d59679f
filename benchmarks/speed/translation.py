"""Speed of translation: training, beam search, length buckets, the input pipeline.

    python benchmarks/speed/translation.py --data FOLDER [--run RUN] [--backend jax]
        [--part training --part decoding --part buckets] [--no-torch] [--json]

The network is `gru-attention` as `memnets train translation` makes it. Beside it is the
same network of equal size written plainly in PyTorch (`plain_pytorch.py`, which needs
`pip install torch`), with the same batches, and in beam search the same weights.

Each rival is a process of its own, and they take turns. A turn of training is some
steps of `model.fit`; a turn of decoding is all lines of a file, from text to text. The
first turn, in which functions are compiled, does not count. Rates are medians over
turns, and ratios are medians of the ratios of a turn. *A core-second* is a second of
processor time. For one thread: `OMP_NUM_THREADS=1 TF_NUM_INTRAOP_THREADS=1 taskset -c
0`.
"""

import importlib.util
import json
import pathlib
import statistics

import click
import numpy as np
import rich.console
import rich.progress
import rich.table
from translation_rivals import (
    Decoding,
    PlainDecoding,
    PlainTraining,
    Rival,
    Training,
)

import tasks

PARTS = ("training", "decoding", "buckets")
BACKENDS = ("tensorflow", "jax")
PLAIN = "plain PyTorch"


def in_turns(rivals, turns):
    """`(tokens, seconds, core-seconds)` of each turn of each rival; the first turn is
    left out."""
    found = {name: [] for name in rivals}
    console = rich.console.Console(stderr=True)
    for number in rich.progress.track(range(turns + 1), "Turns", console=console):
        for name, rival in rivals.items():
            turn = rival.ask("turn", number)
            if number:
                found[name].append(turn)
    return found


def rows_of(part, rivals, found, base):
    """Rows of the table, with how many times as fast as `base` each rival is."""
    rows = []
    for name, turns in found.items():
        row = {"part": part, "who": name, "weights": rivals[name].weights}
        row["tokens_per_second"] = statistics.median(t[0] / t[1] for t in turns)
        for place, kind in enumerate(("seconds", "core_seconds"), 1):
            ratios = [
                (own[0] / own[place]) / (other[0] / other[place])
                for own, other in zip(turns, found[base], strict=True)
            ]
            row[kind] = statistics.median(turn[place] for turn in turns)
            row[f"times_by_{kind}"] = statistics.median(ratios)
        row["tokens_per_core_second"] = statistics.median(t[0] / t[2] for t in turns)
        rows.append({**row, "base": base})
    return rows


def measure_training(texts, steps, turns, backends, parts, torch):
    """Rows of training and of one length, and the share of the input pipeline."""
    sizes = texts, steps, turns + 1
    rivals = {name: Rival(Training, *sizes, backend=name) for name in backends}
    if "buckets" in parts:
        sizes = {**texts, "buckets": 1}, steps, turns + 1
        one = {f"{n}, one length": Rival(Training, *sizes, backend=n) for n in backends}
        rivals |= one
    if torch and "training" in parts:
        rivals[PLAIN] = Rival(PlainTraining, texts, steps)
    found = in_turns(rivals, turns)
    shares = {}
    for name in backends:
        rates = [
            rivals[name].ask("pipeline", number) / turn[2]
            for number, turn in enumerate(found[name], 1)
        ]
        shares[name] = statistics.median(rates)
    rows = []
    if "training" in parts:
        chosen = {k: v for k, v in found.items() if "one length" not in k}
        rows += rows_of("training", rivals, chosen, PLAIN if torch else backends[0])
    if "buckets" in parts:
        for name in backends:
            pair = {k: v for k, v in found.items() if k.startswith(name)}
            rows += rows_of("buckets", rivals, pair, f"{name}, one length")
    return rows, shares


def measure_decoding(run, lines, turns, backends, torch):
    """Rows of beam search, and the share of lines written as the first rival does."""
    rivals = {name: Rival(Decoding, run, lines, backend=name) for name in backends}
    first = rivals[backends[0]]
    if torch:
        rivals[PLAIN] = Rival(PlainDecoding, run, lines, first.ask("arrays"))
    found = in_turns(rivals, turns)
    texts = first.ask("written")
    same = {
        name: float(np.mean([a == b for a, b in zip(texts, own, strict=True)]))
        for name, rival in rivals.items()
        if (own := rival.ask("written"))
    }
    base = PLAIN if torch else backends[0]
    return rows_of("decoding", rivals, found, base), same


def print_table(results):
    console = rich.console.Console(width=120)
    table = rich.table.Table(box=None, pad_edge=False)
    columns = ["part", "who", "weights", "seconds", "core-s", "tokens/s"]
    columns += ["tokens/core-s", "times as fast", "by core-s", "as"]
    for column in columns:
        left = column in ("part", "who", "as")
        table.add_column(column, justify="left" if left else "right")
    for row in results["rows"]:
        table.add_row(
            row["part"],
            row["who"],
            f"{row['weights']:,}" if row["weights"] else "",
            f"{row['seconds']:.2f}",
            f"{row['core_seconds']:.2f}",
            f"{row['tokens_per_second']:,.0f}",
            f"{row['tokens_per_core_second']:,.0f}",
            f"{row['times_by_seconds']:.2f}",
            f"{row['times_by_core_seconds']:.2f}",
            row["base"],
        )
    console.print(table)
    for name, share in results.get("pipeline", {}).items():
        console.print(f"input pipeline, {name}: {share:.2%} of a step")
    for name, share in results.get("same", {}).items():
        console.print(f"lines translated as by the first, {name}: {share:.1%}")


@click.command()
@click.option("--data", help="Folder with train, val and test files.")
@click.option("--source", default="en", show_default=True)
@click.option("--target", default="de", show_default=True)
@click.option("--run", help="Run of `memnets train translation` whose network decodes.")
@click.option(
    "--lines",
    type=click.Path(exists=True, dir_okay=False, path_type=pathlib.Path),
    help="Text to translate; the test lines of the run if not given.",
)
@click.option("--part", "parts", multiple=True, type=click.Choice(PARTS), default=PARTS)
@click.option("--backend", "backends", multiple=True, type=click.Choice(BACKENDS))
@click.option("--turns", default=5, show_default=True)
@click.option("--steps", default=30, show_default=True, help="Training steps a turn.")
@click.option("--torch/--no-torch", default=True, help="Beside plain PyTorch.")
@click.option("--json", "as_json", is_flag=True)
def main(
    data, source, target, run, lines, parts, backends, turns, steps, torch, as_json
):
    """Time translation beside plain PyTorch."""
    if torch and not importlib.util.find_spec("torch"):
        raise click.ClickException(
            "PyTorch is missing: pip install torch, or --no-torch to do without."
        )
    backends = backends or [n for n in BACKENDS if importlib.util.find_spec(n)]
    results = {"rows": []}
    if data and {"training", "buckets"} & set(parts):
        texts = {"data": data, "source": source, "target": target}
        rows, results["pipeline"] = measure_training(
            texts, steps, turns, backends, parts, torch
        )
        results["rows"] += rows
    if run and "decoding" in parts:
        if lines:
            text = lines.read_text(encoding="utf-8").splitlines()
        else:
            text = tasks.open_run(pathlib.Path(run)).task.on("test").corpus.sources
        rows, results["same"] = measure_decoding(run, text, turns, backends, torch)
        results["rows"] += rows
    if not results["rows"]:
        raise click.UsageError("--data is needed for training, --run for decoding.")
    if as_json:
        click.echo(json.dumps(results, indent=2))
    else:
        print_table(results)


if __name__ == "__main__":
    main()
