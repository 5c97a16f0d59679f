"""The page of a comparison: one table, the learning curves, the errors by size."""

import os
import pathlib

import numpy as np

from ..report.page import Section, write_page
from . import figures as comparison_figures
from . import paper
from .comparison import Trained, by_model, published, table_of, unit_of


def write_comparison(folder, runs: list[Trained]) -> pathlib.Path:
    """Draws the page `index.html` into `folder`, with links to the reports of the runs.

    Returns:
        The path of the page.
    """
    folder = pathlib.Path(folder)
    task = runs[0].run.task
    models = by_model(runs)
    seeds = max(len(own) for own in models.values())
    cores = ", ".join(sorted({str(r.summary["cores"]) for r in runs}))
    links = [
        (r.run.path.name, os.path.relpath(r.run.file("report.html"), folder))
        for r in runs
    ]
    return write_page(
        folder / "index.html",
        title=f"{', '.join(models)} learn {task.name}",
        signature=task.signature,
        summary=f"Every model was trained with the same {seeds} "
        f"{'seed' if seeds == 1 else 'seeds'}: median, and the worst in brackets. "
        f"Cores a run: {cores}.",
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
        # Sequences of a curriculum are smaller: their bits say nothing here.
        histories = [r.run.training.full_size(r.history) for r in own]
        longest = max(histories, key=len)
        bits = []
        for history in histories:
            values = [row["bits_per_sequence"] for row in history]
            # A run that stopped when it was solved stays where it was.
            bits.append(values + values[-1:] * (len(longest) - len(values)))
        curves[model] = [row["sequences"] for row in longest], np.array(bits)
    best = runs[0].summary["lengths"][0]["best_bits"]
    return comparison_figures.draw_curves(
        curves, published(runs[0].run.task, paper.LEARNING), best
    )


def draw_sizes(runs: list[Trained]):
    """Errors by size, beside the paper's."""
    task = runs[0].run.task
    unit, said = unit_of(task)
    sizes = runs[0].sizes
    errors = {
        model: np.array([[x[unit] for x in r.summary["lengths"]] for r in own])
        for model, own in by_model(runs).items()
    }
    return comparison_figures.draw_errors_by_size(
        sizes, errors, published(task, paper.SIZES), said
    )
