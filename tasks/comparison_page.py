"""The page of a comparison: one table, the learning curves, the errors by size."""

import os
import pathlib

import numpy as np

from tasks import comparison_figures, paper
from tasks.comparison import Trained, by_model, table_of
from tasks.page import Section, write_page


def write_comparison(folder, runs: list[Trained]) -> pathlib.Path:
    """Draws the page `index.html` into `folder`, with links to the reports of the runs.

    Returns:
        The path of the page.
    """
    folder = pathlib.Path(folder)
    task = runs[0].run.task
    models = by_model(runs)
    seeds = len(next(iter(models.values())))
    links = [
        (r.run.path.name, os.path.relpath(r.run.file("report.html"), folder))
        for r in runs
    ]
    return write_page(
        folder / "index.html",
        title=f"{', '.join(models)} learn {task.name}",
        signature=task.signature,
        summary=f"Every model saw the same sequences, with {seeds} "
        f"{'seed' if seeds == 1 else 'seeds'}: median, and the worst in brackets.",
        sections=[
            Section(
                "learning",
                "Learning",
                "Over each epoch of fresh sequences; the line is the median over the "
                "seeds, the band their range.",
                draw_learning(runs),
            ),
            Section(
                "sizes",
                "Beyond the sizes of training",
                "Median and range over the seeds, after training.",
                draw_sizes(runs),
            ),
        ],
        table=table_of(runs),
        versions=runs[0].run.versions,
        links=links,
    )


def draw_learning(runs: list[Trained]):
    """Bits per sequence against sequences seen, beside the paper's."""
    curves = {}
    for model, own in by_model(runs).items():
        epochs = min(len(r.history) for r in own)
        sequences = [row["sequences"] for row in own[0].history[:epochs]]
        bits = [[row["bits_per_sequence"] for row in r.history[:epochs]] for r in own]
        curves[model] = sequences, np.array(bits)
    best = runs[0].summary["lengths"][0]["best_bits"]
    return comparison_figures.draw_curves(
        curves, paper.LEARNING.get(runs[0].run.task.name, {}), best
    )


def draw_sizes(runs: list[Trained]):
    """Errors by size, beside the paper's."""
    task = runs[0].run.task
    unit = "bit_errors" if task.exact else "bits"
    sizes = [result["size"] for result in runs[0].summary["lengths"]]
    errors = {
        model: np.array([[x[unit] for x in r.summary["lengths"]] for r in own])
        for model, own in by_model(runs).items()
    }
    said = "wrong bits" if task.exact else "bits"
    return comparison_figures.draw_errors_by_size(
        sizes, errors, paper.SIZES.get(task.name, {}), said
    )
