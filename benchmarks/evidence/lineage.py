"""The lineage of recurrent cells on one table: every cell on six tasks.

    python benchmarks/evidence/lineage.py search FOLDER
    python benchmarks/evidence/lineage.py train FOLDER --seeds 2501-2505 --jobs 2
    python benchmarks/evidence/lineage.py keep FOLDER
    python benchmarks/evidence/pages.py

`search` trains each cell on each task with every learning rate of `RATES`, and notes
the best of them in FOLDER/settings.json. `train` trains with it, and `keep` packs the
runs. Each goes on where it was stopped, and repeats nothing; several commands may run
side by side if `--task` or `--network` differ. KERAS_BACKEND chooses the backend.
"""

import math
import statistics
from typing import NamedTuple

import click
import grid
from grid import FOLDER, JOBS, NOT_RUN, Grid, Network, Row
from packs import PACKS, name_of
from pages import markdown, middle, text_of

import tasks
from tasks.contract.of_few_tasks import is_read_whole
from tasks.contract.task import Task

# The learning rates that are tried: the same for all, half a decade apart.
RATES = (3e-4, 1e-3, 3e-3, 1e-2, 3e-2, 1e-1)
# The seed of the trials, which have half the budget.
TRIAL_SEED, TRIAL_SHARE = 961, 0.5
# What all trainings have in common, whatever a recipe has for one of the cells.
TRAINING = {
    **{"optimizer": "adam", "schedule": "cosine", "warmup": 0, "starts": 1},
    **{"batch_size": 32, "epoch_steps": 100, "clip_norm": 1.0},
}
UNITS = 32

# About in the order in which they were published.
CELLS = {
    "jordan": Network("Jordan (1986)", "jordan"),
    "elman": Network("Elman (1990)", "elman"),
    "simple-rnn": Network("simple recurrent, tanh", "simple-rnn"),
    "leaky": Network("leaky units", "leaky-rnn"),
    "delays": Network("delays of 1 and 10 steps", "delayed-rnn"),
    # As in 1997 two cells share their gates, and the input gates open late.
    "lstm-1997": Network(
        "LSTM (1997)", "lstm-1997", {"blocks": 16, "input_gate_bias": -2.0}
    ),
    "blstm": Network("bidirectional LSTM", "blstm"),
    "lstm": Network("LSTM", "long-memory-lstm", {"memory_steps": 1.0}),
    "peephole": Network("LSTM with peepholes (2002)", "peephole-lstm"),
    "mrnn": Network("multiplicative (MRNN, 2011)", "mrnn"),
    "clockwork": Network("clockwork (2014)", "clockwork-rnn"),
    "deep-transition": Network("deep transition (2014)", "deep-transition-rnn"),
    "gru": Network("GRU (2014)", "gru"),
    "bgru": Network("bidirectional GRU", "bgru"),
    "long-memory": Network("LSTM with long-memory biases", "long-memory-lstm"),
}
BOTH_WAYS = ("blstm", "bgru")


class Problem(NamedTuple):
    """A task of the table.

    Attributes:
        text: What the page calls it.
        task: The task.
        sequences: The budget of a training.
        error: What its error is.
        value: The value of the evaluation that the error is made of.
        of: What this value is divided by.
    """

    text: str
    task: Task
    sequences: int = 51_200
    error: str = "wrong sequences"
    value: str = "wrong"
    of: float = 1.0

    def error_of(self, run):
        """The error of a finished run, at the sizes of training."""
        return run.results[0].values[self.value] / self.of


XOR = tasks.get_task("temporal-xor")
COPY = tasks.get_task("copy", num_bits=2, min_length=20, max_length=20)
SPIKES = tasks.get_task("timed-spikes")
# Budgets are multiples of two epochs. On JAX, a training of them takes a minute of one
# core at most.
LIST = (
    Problem("adding, T = 100", tasks.get_task("adding")),
    Problem("adding, T = 400", tasks.get_task("adding", min_steps=400)),
    Problem("temporal order", tasks.get_task("temporal-order")),
    Problem(
        *("temporal XOR", XOR, 192_000, "wrong third bits"),
        *("third_bits", XOR.segments),
    ),
    Problem(
        *("copy of 20", COPY, 192_000, "wrong bits"),
        *("bit_errors", COPY.max_length * COPY.num_bits),
    ),
    Problem(
        *("timed spikes", SPIKES, 96_000, "wrong steps for each spike"),
        *("bit_errors", SPIKES.spikes),
    ),
)
PROBLEMS = {name_of(problem.task): problem for problem in LIST}
TASKS = {name: problem.task for name, problem in PROBLEMS.items()}
GRID = Grid("lineage", TASKS, tuple(CELLS))


# --- what is trained ---


def takes(task, network):
    """Whether a cell can be trained on a task. One that reads from both ends cannot
    answer before the end: it would see what it is asked for."""
    return network not in BOTH_WAYS or not task.every_step or is_read_whole(task)


def model_of(task, network):
    """The model of a cell on a task."""
    return CELLS[network].model_on(task, units=UNITS)


def training_of(name, rate, share=1.0):
    """How a cell is trained on a task, with a learning rate and a share of the
    budget."""
    sequences = int(share * PROBLEMS[name].sequences)
    return tasks.TrainingConfig(sequences=sequences, learning_rate=rate, **TRAINING)


def search(folder, name, network, sequences=None):
    """Trains a cell on a task with each learning rate, and notes the best: that with
    the smallest error; of several the one that solved the task first, and where none
    did, the one with the smallest loss."""
    problem, ranks, errors = PROBLEMS[name], {}, {}
    for rate in RATES:
        out = folder / "search" / name / network / f"{rate:g}"
        trial = training_of(name, rate, TRIAL_SHARE)
        model = model_of(problem.task, network)
        given = (str(TRIAL_SEED), 1, trial, sequences)
        result = grid.train(out, problem.task, model, *given)
        for run in result.runs:
            error, loss = problem.error_of(run), run.history.final["loss"]
            errors[f"{rate:g}"] = round(error, 6)
            # One that is not a number is the worst.
            parts = (error, run.solved_at or math.inf, loss)
            ranks[rate] = [math.inf if math.isnan(part) else part for part in parts]
    if not ranks:
        raise click.ClickException(f"No trial of {network} on {name} has ended.")
    best = min(ranks, key=ranks.__getitem__)
    found = {"learning_rate": best, "errors": errors, "trials": len(RATES)}
    found["trial_sequences"] = sequences or int(TRIAL_SHARE * problem.sequences)
    grid.write_settings(folder, name, network, **found)
    return best


# --- the page ---


def solved_of(row):
    """How many runs solved the task, of how many."""
    solved = sum(run.solved_at is not None for run in row.runs)
    return f"{solved} of {row.count}"


def solved_after(row):
    """The median of the sequences until a task was solved, of the runs that did."""
    after = [run.solved_at for run in row.runs if run.solved_at is not None]
    return f"{statistics.median(after):,.0f}" if after else "-"


def table_of(problem, rows):
    """A row a cell and rounding of a task; headings first."""
    headings = ["cell", "runs", "solved", "after sequences", problem.error]
    headings += ["seconds", "weights", "rounding"]

    def cells(row):
        errors = middle([problem.error_of(run) for run in row.runs], ".2%")
        cells = [row.counted, solved_of(row), solved_after(row), errors]
        return [*cells, row.seconds(), row.weights, row.rounding]

    able = {n: c.text for n, c in CELLS.items() if takes(problem.task, n)}
    return [headings, *grid.known_rows(rows, able, cells, len(headings))]


def overview(rows):
    """A row a cell and a column a task; headings first."""
    table = [["cell", *(problem.text for problem in LIST)]]
    for network, cell in CELLS.items():
        row = [cell.text]
        for name, problem in PROBLEMS.items():
            found = grid.first_rows(rows[name]).get(network)
            able = takes(problem.task, network)
            row.append(_in_words(problem, found) if able else "-")
        table.append(row)
    return table


def _in_words(problem: Problem, row: Row | None):
    """What the runs of a cell on a task came to, in a few words."""
    if row is None:
        return NOT_RUN
    if not row.runs:
        return f"0 of {row.count}; all failed"
    if any(run.solved_at is not None for run in row.runs):
        return f"{solved_of(row)}; {solved_after(row)}"
    errors = [problem.error_of(run) for run in row.runs]
    return f"{solved_of(row)}; {statistics.median(errors):.1%} wrong"


def table_of_settings(settings):
    """A row a cell, with the learning rate that was found on each task; headings
    first."""
    table = [["cell", *(problem.text for problem in LIST)]]
    for network, cell in CELLS.items():
        row = [cell.text]
        for name, problem in PROBLEMS.items():
            found = settings.get(name, {}).get(network, {}).get("learning_rate")
            able = takes(problem.task, network)
            row.append((NOT_RUN if found is None else f"{found:g}") if able else "-")
        table.append(row)
    return table


def page(rows, packs=PACKS):
    """The text of docs/lineage.md, of the kept runs by task."""
    return text_of(
        "lineage.md",
        units=UNITS,
        overview=markdown(overview(rows)),
        settings=markdown(table_of_settings(GRID.settings(packs))),
        tasks=[
            {"problem": problem, "table": markdown(table_of(problem, rows[name]))}
            for name, problem in PROBLEMS.items()
        ],
        rates=", ".join(f"{rate:g}" for rate in RATES),
        roundings=" and ".join(
            sorted({row.rounding for own in rows.values() for row in own}) or ["none"]
        ),
    )


# --- commands ---


@click.group()
def main():
    """Every recurrent cell on six tasks."""


def _chosen(names, networks):
    for name, network in GRID.chosen(names, networks):
        if takes(PROBLEMS[name].task, network):
            yield name, network


@main.command("search")
@FOLDER
@GRID.task_option
@GRID.network_option()
@grid.SEQUENCES
def search_command(folder, names, networks, sequences):
    """Find the learning rate of each cell on each task."""
    for name, network in _chosen(names, networks):
        found = search(folder, name, network, sequences)
        click.echo(f"{name} {network}: learning rate {found:g}")


@main.command()
@FOLDER
@GRID.task_option
@GRID.network_option()
@click.option("--seeds", default="2501-2505", show_default=True)
@grid.SEQUENCES
@JOBS
def train(folder, names, networks, seeds, sequences, jobs):
    """Train cells, a comparison each in FOLDER/TASK/NETWORK."""
    for name, network in _chosen(names, networks):
        found = grid.read_settings(folder).get(name, {}).get(network)
        if found is None:
            raise click.ClickException(
                f"`search` must come first: `{grid.SETTINGS}` has no settings of "
                f"{network} on {name}."
            )
        task, training = TASKS[name], training_of(name, found["learning_rate"])
        out, model = folder / name / network, model_of(task, network)
        grid.train(out, task, model, seeds, jobs, training, sequences)


main.add_command(GRID.keep_command)


if __name__ == "__main__":
    main()
