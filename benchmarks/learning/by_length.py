"""BLEU of trained runs by the length of the source, in one picture and one table.

    python benchmarks/learning/by_length.py RUN ... \\
        --test-set test_2016_flickr --plot FILE

Each run translates the lines of the test part. All must be runs on the same pairs.
"""

import dataclasses
import pathlib

import click
import numpy as np

import tasks
from tasks.text.by_length import scores_by_length
from tasks.text.figures import draw_by_length


def translated(run, test_set):
    """Groups of the test lines that a run translated, with their scores."""
    task = dataclasses.replace(run.task, test_set=test_set).on("test")
    sources, references = task.eval_pairs(
        task.evaluation.num_eval_sequences, np.random.default_rng(0)
    )
    translator = tasks.Translator(run.load_model(), task, **task.decoding)
    texts = [best[0].text for best in translator.translate(sources)]
    return scores_by_length(sources, references, texts)


@click.command()
@click.argument(
    "runs", nargs=-1, required=True, type=click.Path(path_type=pathlib.Path)
)
@click.option("--test-set", default="", help="Which test, if there are several.")
@click.option("--plot", "image", type=click.Path(path_type=pathlib.Path))
def main(runs, test_set, image):
    """Translate with each run and score by length."""
    networks = {}
    for path in runs:
        networks[path.name] = translated(tasks.open_run(path), test_set)
    groups = next(iter(networks.values()))
    click.echo(
        "| words of the source | " + " | ".join(g.lengths for g in groups) + " |"
    )
    click.echo("| --- |" + " ---: |" * len(groups))
    for name, scored in networks.items():
        cells = [
            f"{100 * g.bleu:.1f} ({100 * g.low:.1f} to {100 * g.high:.1f})"
            for g in scored
        ]
        click.echo(f"| {name} | " + " | ".join(cells) + " |")
    if image:
        draw_by_length(networks).savefig(image, dpi=100)


if __name__ == "__main__":
    main()
