"""The Chomsky hierarchy: networks on the fifteen tasks of Delétang et al. (2023).

    python benchmarks/evidence/chomsky.py train FOLDER --seeds 2601-2610 --jobs 2
    python benchmarks/evidence/chomsky.py keep FOLDER
    python benchmarks/evidence/pages.py

`train` trains each network on each task, by its recipe, and tests it on the lengths of
the paper. It goes on where it was stopped, and repeats nothing; several commands may
run side by side if `--task` or `--network` differ. `keep` packs the runs. KERAS_BACKEND
chooses the backend.
"""

import statistics

import click
import grid
from grid import FOLDER, JOBS, NOT_RUN, Grid, Network
from packs import name_of
from pages import markdown, text_of

import tasks
from tasks.comparison.task_figures import draw_class, draw_scores
from tasks.comparison.task_table import Entry, chance_in_words, class_of, score_of
from tasks.formal_languages.chomsky import LANGUAGES
from tasks.formal_languages.stack_training import FIVE_STACKS, TWO_QUEUES
from tasks.length_generalization import SOLVED

# Recipes have two queues for some languages.
ONE_STACK = {"kind": "stack", "num_stacks": 1, "read_depth": 2, "pop_bias": 0.0}
NETWORKS = {
    "simple-rnn": Network("simple-rnn", "simple-rnn"),
    "lstm": Network("lstm", "lstm"),
    "gru": Network("gru", "gru"),
    "stack": Network("stack", "stack", ONE_STACK),
    "five-stacks": Network("five stacks", "stack", FIVE_STACKS),
    "queues": Network("two queues", "stack", TWO_QUEUES),
    "tape": Network("tape", "tape"),
    "tape-jumps": Network("tape with jumps", "tape", {"jumps": True}),
    "transformer": Network("transformer", "transformer"),
    "ntm-feedforward": Network("ntm-feedforward", "ntm-feedforward"),
    "ntm-lstm": Network("ntm-lstm", "ntm-lstm"),
    "dnc-lstm": Network("dnc-lstm", "dnc-lstm"),
}
# Best scores of the paper, in percent, as far as they could be checked: these rows of
# its table 2 are quoted by Xu et al. (2025), DeltaFormer, table 5.
PAPER = ("RNN", "Stack-RNN", "Tape-RNN", "Transformer", "LSTM")
PUBLISHED = {
    "modular-arithmetic-simple": (100, 100, 100, 24.2, 100),
    "parity-check": (100, 100, 100, 52.0, 100),
    "stack-manipulation": (56.0, 100, 100, 57.5, 59.1),
    "reverse-string": (62.0, 100, 100, 62.3, 60.9),
    "duplicate-string": (50.3, 52.8, 100, 52.8, 57.6),
    "odds-first": (51.0, 51.9, 100, 52.8, 55.6),
}
TASKS = {name_of(task): task for task in (kind() for kind in LANGUAGES)}
GRID = Grid("chomsky", TASKS, tuple(NETWORKS))
CLASSES = tuple(dict.fromkeys(class_of(task) for task in TASKS.values()))
# Every ninth length of the paper. The paper has 512 strings of each.
TRAINING = tasks.TrainingConfig(test_lengths="41-500:9", test_sequences=64)


def model_of(task, network):
    """The model of a network on a task."""
    return NETWORKS[network].model_on(task)


# --- the page ---


def entry_of(row):
    """What a row reached; a run that failed has no right symbol."""
    scores = [score_of(run) for run in row.runs] + [0.0] * row.failed
    weights = row.runs[0].summary["weights"] if row.runs else 0
    return Entry(scores, [run.summary["seconds"] for run in row.runs], weights)


def table_of(rows):
    """A row a network and rounding of a task; headings first."""
    headings = ["network", "runs", "best", "median", "worst", "solved"]
    headings += ["minutes", "weights", "rounding"]

    def cells(row):
        entry = entry_of(row)
        _, best, median, solved = entry.cells
        reached = [best, median, f"{min(entry.known):.1%}", solved]
        cells = [row.counted, *reached, row.seconds(60, ",.1f")]
        return [NETWORKS[row.network].text, *cells, row.weights, row.rounding]

    return [headings, *map(cells, rows)]


def missing_in_words(rows):
    """The networks that have no runs on a task; empty if none is missing."""
    known = {row.network for row in rows}
    return ", ".join(net.text for name, net in NETWORKS.items() if name not in known)


def overview(rows):
    """A row a class of languages and a column a network: on how many of its tasks a run
    was right, and the median of the best scores; headings first."""
    table = [["class", *(network.text for network in NETWORKS.values())]]
    for name, own in by_class(rows).items():
        found = [grid.first_rows(of_task) for of_task in own.values()]
        table.append([name, *(_in_words(found, network) for network in NETWORKS)])
    return table


def _in_words(found, network):
    """What a network reached on the tasks of a class, in a few words."""
    entries = [entry_of(rows[network]) for rows in found if network in rows]
    if not entries:
        return NOT_RUN
    solved = sum(entry.best >= SOLVED for entry in entries)
    best = statistics.median(entry.best for entry in entries)
    missing = len(found) - len(entries)
    text = f"{solved} of {len(entries)}; {best:.0%}"
    return f"{text}; {missing} not run" if missing else text


def published_in_words(task):
    """The best scores of the paper on a task; empty where they are not known."""
    scores = zip(PAPER, PUBLISHED.get(task, ()), strict=False)
    return ", ".join(f"{network} {score:g}%" for network, score in scores)


def by_class(rows):
    """The rows of the tasks of each class of languages."""
    return {
        name: {task: rows[task] for task in TASKS if class_of(TASKS[task]) == name}
        for name in CLASSES
    }


def draw(rows):
    """The pictures of the page, each with its file's name; none without runs."""
    shown = {
        task: [run for row in grid.first_rows(own).values() for run in row.runs]
        for task, own in rows.items()
    }
    shown = {task: runs for task, runs in shown.items() if runs}
    if shown:
        every = [run for runs in shown.values() for run in runs]
        yield "chomsky.png", draw_scores(every)
    for name in CLASSES:
        own = {t: runs for t, runs in shown.items() if class_of(TASKS[t]) == name}
        if own:
            yield f"chomsky-{name}.png", draw_class(own)


def page(rows):
    """The text of docs/chomsky.md, of the kept runs by task."""
    classes = [
        {
            "name": name,
            "has_runs": any(own.values()),
            "missing": [task for task, of_task in own.items() if not of_task],
            "tasks": [
                {
                    "name": task,
                    "chance": chance_in_words(TASKS[task]),
                    "published": published_in_words(task),
                    "table": markdown(table_of(of_task)),
                    "missing": missing_in_words(of_task),
                }
                for task, of_task in own.items()
                if of_task
            ],
        }
        for name, own in by_class(rows).items()
    ]
    return text_of(
        "chomsky.md",
        overview=markdown(overview(rows)),
        classes=classes,
        has_runs=any(rows.values()),
        lengths=TRAINING.test_lengths,
        sequences=TRAINING.test_sequences,
    )


# --- commands ---


@click.group()
def main():
    """Networks on the languages of the Chomsky hierarchy."""


@main.command()
@FOLDER
@GRID.task_option
@GRID.network_option()
@click.option("--seeds", default="2601-2610", show_default=True)
@grid.SEQUENCES
@JOBS
def train(folder, names, networks, seeds, sequences, jobs):
    """Train networks, a comparison each in FOLDER/TASK/NETWORK."""
    for name, network in GRID.chosen(names, networks):
        task, out = TASKS[name], folder / name / network
        model = model_of(task, network)
        grid.train(out, task, model, seeds, jobs, TRAINING, sequences)


main.add_command(GRID.keep_command)


if __name__ == "__main__":
    main()
