"""Which memory for what: every kind of memory on every kind of task.

    python benchmarks/evidence/which_memory.py train FOLDER --seeds 2301-2303
    python benchmarks/evidence/packs.py --add FOLDER --to which-memory
    python benchmarks/evidence/pages.py

The first trains each model on each task with the same seeds, a comparison a task; runs
that are there are not repeated. The second keeps these runs. The third writes
docs/which_memory.md and its picture, and all other pages, from all kept runs.
"""

import pathlib
import statistics
from typing import NamedTuple

import click
import matplotlib.pyplot as plt
import numpy as np
from bars import SOLVED
from packs import unpacked
from pages import markdown, middle, rate, text_of
from results import Group, groups_of

import tasks
from tasks.cli.compare import seeds_of

# About as many weights as the networks with memory.
LSTM = "lstm:num-layers=1,layer-size=128"
# The controllers remember nothing by themselves where there is such a controller.
WRITERS = (
    *("ntm-feedforward", "dnc-feedforward", "sam-feedforward", "mann", "stack"),
    "fast-weights",
)


class Question(NamedTuple):
    """What a memory may be for, and the task that asks for it.

    Attributes:
        task: The name of the task.
        text: What is asked for.
        sequences: The budget of every model; None for that of its recipe.
        value: The share of the evaluation that is shown; of `wrong`, the rest.
        models: The models that are trained.
    """

    task: str
    text: str
    sequences: int | None
    value: str = "perfect"
    models: tuple[str, ...] = (*WRITERS, LSTM)

    def right(self, values):
        """The share that is right."""
        share = values[self.value]
        return 1 - share if self.value == "wrong" else share


QUESTIONS = (
    Question("copy", "order: vectors come back as they came", 16_000),
    Question("reversal", "order: the last letter comes back first", 19_200),
    Question("counting", "counting, with exact numbers", 19_200),
    Question("associative-recall", "search: what followed an item", 32_000),
    Question("key-value", "search by a part: the value of a key", 32_000),
    Question("repeat-blocks", "forgetting: more vectors than rows", 48_000),
    Question(
        *("one-shot", "naming what was seen once", None, "instance_2"),
        models=("mann", "lstm"),
    ),
    # What a memory network reads is given: it does not write.
    Question(
        *("stories", "facts: the answer follows from sentences", None, "wrong"),
        models=("memory-network", "lstm"),
    ),
)
# The models as the page shows them.
NAMES = (*WRITERS, "memory-network", "lstm")


class Cell(NamedTuple):
    """The runs of one model on one task.

    Attributes:
        model: Its name.
        group: The runs.
        near: The share at the sizes of training, of each run.
        far: The same at the largest size.
        far_size: The name of that size.
    """

    model: str
    group: Group
    near: list[float]
    far: list[float]
    far_size: str


def kept_cells():
    """The kept runs of each question, a `Cell` a model."""
    with unpacked("which-memory") as kept:
        return [
            (question, cells_of(question, groups_of(kept / question.task)))
            for question in QUESTIONS
            if (kept / question.task).is_dir()
        ]


def cells_of(question, groups):
    """The runs of a task, a `Cell` a model."""
    cells = []
    for group in groups:
        runs = group.finished
        if not runs:
            continue
        near, far = (
            [question.right(run.results[place].values) for run in runs]
            for place in (0, -1)
        )
        name = runs[0].run.model.name
        cells.append(Cell(name, group, near, far, runs[0].sizes[-1]))
    return sorted(cells, key=lambda cell: NAMES.index(cell.model))


def table_of(cells):
    """A row a model; headings first."""
    rows = [
        ["model", "rounding", "weights", "runs", "solved", "right in training"]
        + [f"right at {cells[0].far_size}", "solved after", "seconds"]
    ]
    for cell in cells:
        runs, solved = (
            cell.group.finished,
            sum(map(SOLVED.reached, cell.group.finished)),
        )
        after = [run.solved_at for run in runs]
        seconds = [run.summary["seconds"] for run in runs]
        rows.append(
            [cell.model, cell.group.rounding]
            + [f"{runs[0].summary['weights']:,}", str(cell.group.count)]
            + [rate(solved, cell.group.count)]
            + [middle(s, ".1%", higher_is_better=True) for s in (cell.near, cell.far)]
            + [middle(after, ",.0f"), middle(seconds, ",.0f")]
        )
    return rows


def overview(found):
    """A row a task and a column a model: right in training, and beyond; headings
    first."""
    rows = [["asks for", "task", *NAMES]]
    for question, cells in found:
        values = {c.model: f"{one(c.near):.0%}, {one(c.far):.0%}" for c in cells}
        row = [question.text, question.task]
        rows.append(row + [values.get(name, "-") for name in NAMES])
    return rows


def one(values):
    """One number for several runs: the median, of two runs their mean."""
    return statistics.median(values)


def draw(found):
    """Two panels of tasks against models: what is right in training, and beyond."""
    figure, panels = plt.subplots(
        1, 2, figsize=(12, 0.5 * len(found) + 1.8), sharey=True, layout="constrained"
    )
    titles = {"near": "sizes of training", "far": "the largest size"}
    for axes, (part, title) in zip(panels, titles.items(), strict=True):
        shares = np.full((len(found), len(NAMES)), np.nan)
        for row, (_, cells) in enumerate(found):
            for cell in cells:
                shares[row, NAMES.index(cell.model)] = one(getattr(cell, part))
        axes.imshow(shares, cmap="Blues", vmin=0, vmax=1, aspect="auto")
        for (row, column), share in np.ndenumerate(shares):
            text = "" if np.isnan(share) else f"{share:.0%}"
            color = "white" if share > 0.6 else "black"
            axes.text(column, row, text, ha="center", va="center", color=color)
        axes.set_xticks(range(len(NAMES)), NAMES, rotation=30, ha="right")
        axes.set_yticks(range(len(found)), [question.task for question, _ in found])
        axes.set_title(title, fontsize=11)
    return figure


def page(found):
    """The text of docs/which_memory.md."""
    described = [
        {"question": question, "table": markdown(table_of(cells))}
        for question, cells in found
    ]
    return text_of(
        "which_memory.md", overview=markdown(overview(found)), tasks=described
    )


@click.group()
def main():
    """Which memory for what."""


@main.command()
@click.argument("folder", type=click.Path(path_type=pathlib.Path))
@click.option("--seeds", default="2301-2303", show_default=True)
@click.option("--task", "names", multiple=True, help="Only these tasks.")
@click.option("--jobs", default=1, show_default=True)
def train(folder, seeds, names, jobs):
    """Train all models on all tasks, a comparison a task in FOLDER."""
    for question in QUESTIONS:
        if names and question.task not in names:
            continue
        training = None
        if question.sequences:
            training = tasks.TrainingConfig(sequences=question.sequences)
        tasks.compare(
            question.task,
            question.models,
            seeds_of(seeds),
            folder / question.task,
            jobs=jobs,
            training=training,
        )


if __name__ == "__main__":
    main()
