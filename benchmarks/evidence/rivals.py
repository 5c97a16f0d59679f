"""Neural Turing Machines beside LSTMs on the five tasks of Graves et al. (2014).

    python benchmarks/evidence/rivals.py search FOLDER --task copy --network lstm
    python benchmarks/evidence/rivals.py lengthen FOLDER --task copy --network lstm
    python benchmarks/evidence/rivals.py train FOLDER --task copy --seeds 2401-2410
    python benchmarks/evidence/rivals.py reach FOLDER
    python benchmarks/evidence/rivals.py keep FOLDER
    python benchmarks/evidence/pages.py

`search` looks for a learning rate and a bound of the gradient for an LSTM, `lengthen`
for the budget after which it no longer improves; both have seeds below 1,000 and write
FOLDER/settings.json. `train` trains networks with the same seeds, `reach` measures how
long the sequences are that they get right, `keep` packs the runs. Each goes on where it
was stopped, and repeats nothing. KERAS_BACKEND chooses the backend.
"""

import dataclasses
import json
import statistics

import click
import grid
from grid import FOLDER, JOBS, REACH, SETTINGS, Grid, read_settings, write_settings

import tasks
from tasks.cli.compare import seeds_of
from tasks.comparison.finished_run import read
from tasks.comparison.labels import model_from_text
from tasks.evaluation import longest_right
from tasks.runs import open_run

# A network is right at a length if it is on this share of the sequences.
SHARE = 0.9
# Of each size of the paper's LSTMs, whose three layers its table 3 gives, the units of
# a layer; and those with which three layers have about as many weights as `ntm-lstm`.
UNITS = {
    "copy": (256, 56),
    "repeat-copy": (512, 64),
    "associative-recall": (256, 64),
    "dynamic-ngrams": (128, 55),
    "priority-sort": (128, 71),
}
# By network: its model, which of the units, and whether its budget is the long one.
LSTMS = {
    "lstm": (0, False),
    "small-lstm": (1, False),
    "lstm-long": (0, True),
    "small-lstm-long": (1, True),
}
NETWORKS = ("ntm-feedforward", "ntm-lstm", "dnc-lstm", *LSTMS)
GRID = Grid("rivals", {name: tasks.get_task(name) for name in UNITS}, NETWORKS)
# Trial seeds of `lengthen`. A longer budget must lower the error by a tenth.
TRIAL_SEEDS, GAIN = "951-952", 0.1
# The only fresh seed that `tasks.search` has to train: nothing is judged by it.
LAST_TRIAL = 990


# --- what is trained ---


def model_of(task, network):
    """The model of a network on a task."""
    if network not in LSTMS:
        return tasks.get_model(network, task)
    units = UNITS[task.name][LSTMS[network][0]]
    return model_from_text(f"lstm:layer-size={units}", task)


def training_of(task, network, settings):
    """How a network is trained: an NTM by its recipe, the others with its budget and
    batches. LSTMs have the settings that were found."""
    if network.startswith("ntm"):
        return tasks.TrainingConfig()
    ntm = tasks.TrainingConfig().resolved(task, tasks.get_model("ntm-lstm", task))
    budget = {"sequences": ntm.sequences, "batch_size": ntm.batch_size}
    if network not in LSTMS:
        return tasks.TrainingConfig(**budget)
    base = network.removesuffix("-long")
    found = settings.get(task.name, {}).get(base, {})
    if "learning_rate" not in found or (network != base and "long" not in found):
        step = "lengthen" if "learning_rate" in found else "search"
        raise click.ClickException(
            f"`{step}` must come first: `{SETTINGS}` has no settings of {network} on "
            f"{task.name}."
        )
    if network != base:
        budget["sequences"] = found["long"]
    wanted = {name: found[name] for name in ("learning_rate", "clip_norm")}
    return tasks.TrainingConfig(**budget, **wanted)


def search(folder, task, network, trials, sequences, jobs):
    """Looks for a learning rate and a bound of the gradient, and notes them."""
    model, fixed = model_of(task, network), training_of(task, "dnc-lstm", {})
    sequences = sequences or fixed.sequences // 8
    found = tasks.search(
        task,
        model,
        vary={
            "learning_rate": tasks.Range(1e-4, 3e-2, log=True),
            "clip_norm": tasks.Range(1e-2, 1e1, log=True),
        },
        trials=trials,
        out=folder / "search" / f"{task.name}-{network}",
        fresh_seeds=[LAST_TRIAL],
        final_sequences=sequences,
        jobs=jobs,
        training=tasks.TrainingConfig(sequences=sequences, batch_size=fixed.batch_size),
    )
    chosen = {name: float(f"{v:.2g}") for name, v in found.best.settings.items()}
    extent = {"trials": len(found.trials), "trial_sequences": sequences}
    write_settings(folder, task.name, network, **chosen, **extent)
    return chosen


def lengthen(folder, task, network, most, jobs):
    """Doubles the budget until that no longer helps on trial seeds, and notes it."""
    model, settings = model_of(task, network), read_settings(folder)
    training, before = training_of(task, network, settings), None
    budget, errors = training.sequences, {}
    while True:
        out = folder / "lengthen" / f"{task.name}-{network}" / str(budget)
        runs = trained(out, task, model, training, TRIAL_SEEDS, budget, jobs)
        errors[budget] = statistics.mean(run.results[0].values["bits"] for run in runs)
        if before is not None and not still_improves(errors[before], errors[budget]):
            budget = before
            break
        if 2 * budget > most:
            break
        before, budget = budget, 2 * budget
    by_budget = {str(key): round(value, 4) for key, value in errors.items()}
    write_settings(folder, task.name, network, long=budget, errors=by_budget)
    return budget, errors


def still_improves(before, after):
    """Whether twice the budget lowers the error by more than a tenth."""
    return after < (1 - GAIN) * before


def trained(out, task, model, training, seeds, sequences, jobs):
    """The finished runs of a model; a failure among them is an error."""
    training = dataclasses.replace(training, sequences=sequences)
    result = tasks.compare(
        task, [model], seeds_of(seeds), out, jobs=jobs, training=training
    )
    if result.failures:
        raise click.ClickException("; ".join(map(str, result.failures)))
    return result.runs


def measure_reach(path):
    """Writes beside a finished run how long the sequences are that it gets right, if it
    is not there yet and the task can say it."""
    run = open_run(path)
    if (path / REACH).exists() or "perfect" not in read(path).results[0].values:
        return None
    reach = longest_right(run.load_model(), run.task, SHARE)
    (path / REACH).write_text(json.dumps({"share": SHARE, "length": reach}) + "\n")
    return reach


# --- commands ---


@click.group()
def main():
    """Neural Turing Machines beside LSTMs."""


SEARCHED = ("lstm", "small-lstm")


@main.command("search")
@FOLDER
@GRID.task_option
@GRID.network_option(SEARCHED)
@click.option("--trials", default=40, show_default=True)
@click.option("--sequences", type=int, help="Budget of a trial [default: an eighth].")
@JOBS
def search_command(folder, names, networks, trials, sequences, jobs):
    """Find the settings of LSTMs."""
    for name, network in GRID.chosen(names, networks, SEARCHED):
        task = GRID.tasks[name]
        found = search(folder, task, network, trials, sequences, jobs)
        click.echo(f"{task.name} {network}: {found}")


@main.command("lengthen")
@FOLDER
@GRID.task_option
@GRID.network_option(SEARCHED)
@click.option("--most", default=1_000_000, show_default=True, help="Largest budget.")
@JOBS
def lengthen_command(folder, names, networks, most, jobs):
    """Find the long budget of LSTMs."""
    for name, network in GRID.chosen(names, networks, SEARCHED):
        task = GRID.tasks[name]
        budget, errors = lengthen(folder, task, network, most, jobs)
        click.echo(f"{task.name} {network}: {budget:,}, bits by budget {errors}")


@main.command()
@FOLDER
@GRID.task_option
@GRID.network_option()
@click.option("--seeds", default="2401-2410", show_default=True)
@grid.SEQUENCES
@JOBS
def train(folder, names, networks, seeds, sequences, jobs):
    """Train networks, a comparison each in FOLDER/TASK/NETWORK."""
    for name, network in GRID.chosen(names, networks):
        task, out = GRID.tasks[name], folder / name / network
        training = training_of(task, network, read_settings(folder))
        model = model_of(task, network)
        grid.train(out, task, model, seeds, jobs, training, sequences)


@main.command()
@FOLDER
def reach(folder):
    """Measure how long the sequences are that finished runs get right."""
    for task, network, path in GRID.folders(folder):
        for summary in sorted(path.glob("*/summary.json")):
            length = measure_reach(summary.parent)
            if length is not None:
                click.echo(f"{task} {network} {summary.parent.name}: {length:,}")


main.add_command(GRID.keep_command)


if __name__ == "__main__":
    main()
