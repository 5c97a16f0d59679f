"""The networks of the NTM paper side by side: tables for docs/networks.md and
README.md, from the runs that `rivals.py` keeps.
"""

import contextlib
import dataclasses
import statistics

import click
from grid import NOT_RUN, Row
from packs import PACKS
from pages import markdown, middle
from rivals import GRID, LSTMS, NETWORKS, model_of, training_of

import tasks
from tasks.cli.options_from_fields import flag_of
from tasks.comparison.labels import label_of
from tasks.contract.parameters import text_of

TEXTS = {
    "lstm": "lstm, the paper's size",
    "small-lstm": "lstm, weights as ntm-lstm",
    "lstm-long": "lstm, the paper's size, long",
    "small-lstm-long": "lstm, weights as ntm-lstm, long",
}
# The tasks of the table in README.md, with what their sizes count.
README_TASKS = {
    "copy": "vectors",
    "associative-recall": "items",
    "priority-sort": "vectors",
}


def kept_rows(kept_results, packs=PACKS):
    """By task, a `Row` for each network and rounding that has kept runs. NTMs of
    docs/results.md stand beside them, on the roundings that these have not."""
    rows = GRID.rows(packs)
    for task, groups in kept_results.items():
        for group in groups if task in rows else ():
            known = {(row.network, row.rounding) for row in rows[task]}
            if group.label in NETWORKS and (group.label, group.rounding) not in known:
                failed = len(group.failed)
                row = Row(group.label, group.rounding, group.finished, failed, [])
                rows[task].append(row)
    for of_task in rows.values():
        of_task.sort(key=lambda row: NETWORKS.index(row.network))
    return rows


def table_of(rows):
    """A row a network and rounding, also those without runs; headings first."""
    runs = [run for row in rows for run in row.runs]
    sizes = runs[0].sizes if runs else []
    far = [size for size in sizes if size not in sizes[:1]][-1:]
    headings = ["network", "rounding", "weights", "runs", "sequences"]
    headings += [f"bits at {size}" for size in [*sizes[:1], *far]]
    headings += [f"without an error at {size}" for size in [*sizes[:1], *far]]
    headings += ["right on 90% up to", "minutes"]
    table = [headings]
    for network in NETWORKS:
        own = [row for row in rows if row.network == network]
        # TensorFlow is the default: it is missed where only JAX has runs.
        if not any(row.rounding.startswith("tensorflow") for row in own):
            name = TEXTS.get(network, network)
            table.append([name, "tensorflow", "", NOT_RUN] + [""] * (len(headings) - 4))
        table += [_cells(row) for row in own]
    return table


def _cells(row):
    """The cells of the runs of a network."""
    first = row.runs[0]
    places = sorted({0, len(first.sizes) - 1})
    cells = [TEXTS.get(row.network, row.network), row.rounding]
    cells += [row.weights, row.counted]
    cells.append(f"{first.run.training.trained_sequences:,}")
    for name, form, better in (("bits", ",.2f", False), ("perfect", ".0%", True)):
        for place in places:
            values = [run.results[place].values.get(name) for run in row.runs]
            known = None not in values
            cells.append(
                middle(values, form, higher_is_better=better) if known else "-"
            )
    cells.append(
        middle(row.reaches, ",.0f", higher_is_better=True) if row.reaches else "-"
    )
    return [*cells, row.seconds(60, ",.1f")]


def pictured(rows):
    """The runs of the picture of a task: of each network those on TensorFlow, or if it
    has none there, on all other roundings."""
    by_name = {}
    for network in dict.fromkeys(row.network for row in rows):
        own = [row for row in rows if row.network == network and row.runs]
        first = [row for row in own if row.rounding.startswith("tensorflow")] or own
        runs = [run for row in first for run in row.runs]
        if runs:
            by_name[TEXTS.get(network, network)] = runs
    return by_name


def section(rows, packs=PACKS):
    """What docs/networks.md says."""
    settings = GRID.settings(packs)
    return {
        "tasks": [
            {
                "name": task,
                "table": markdown(table_of(of_task)),
                "commands": list(commands_of(task, settings)),
            }
            for task, of_task in rows.items()
        ],
        "settings": markdown(table_of_settings(settings)) if settings else "",
    }


def commands_of(name, settings):
    """The commands that train the networks of a task, but for LSTMs whose settings were
    not searched."""
    task = GRID.tasks[name]
    for network in NETWORKS:
        with contextlib.suppress(click.ClickException):
            yield command_of(task, network, settings)


def command_of(task, network, settings):
    """The command that trains a network as `rivals.py` does."""
    training = dataclasses.asdict(training_of(task, network, settings))
    usual = dataclasses.asdict(tasks.TrainingConfig())
    name, _, changed = label_of(model_of(task, network), task).partition(":")
    words = [f"memnets train {task.name} --model {name}"]
    words += [f"--{each.replace('=', ' ')}" for each in changed.split(",") if each]
    words += [
        f"{flag_of(key)} {text_of(value)}"
        for key, value in training.items()
        if value != usual[key]
    ]
    return " ".join(words)


def table_of_settings(settings):
    """A row for each LSTM of a task: what was found for it; headings first."""
    table = [["task", "network", "learning rate", "clip norm", "trials"]]
    table[0] += ["sequences of a trial", "long budget"]
    for task, networks in settings.items():
        for network, found in networks.items():
            row = [task, TEXTS[network], f"{found['learning_rate']:g}"]
            row += [f"{found['clip_norm']:g}", f"{found['trials']}"]
            long = found.get("long")
            row += [f"{found['trial_sequences']:,}", f"{long:,}" if long else NOT_RUN]
            table.append(row)
    return table


def readme_table(rows):
    """The best NTM beside the best LSTM, of each task of which both were measured: what
    they get right; headings first."""
    table = [["task", "NTM", "LSTM", "NTM up to", "LSTM up to"]]
    for task, unit in README_TASKS.items():
        best = [_best(rows[task], kind) for kind in ("NTM", "LSTM")]
        if None in best:
            continue
        sizes = best[0].runs[0].sizes
        table.append(
            [
                f"{task}, {sizes[0]} and {sizes[-1]} {unit}",
                *(", ".join(_perfect(row, place) for place in (0, -1)) for row in best),
                *(f"{middle_of(row):,.0f}" for row in best),
            ]
        )
    return table


def _best(rows, kind):
    """The row of a kind of network, NTM or LSTM, that gets the longest sequences right;
    None if none was measured."""
    own = [row for row in rows if _is(row, kind)]
    return max(own, key=middle_of, default=None)


def _perfect(row, place):
    """The median share of sequences without an error at a size."""
    shares = [run.results[place].values["perfect"] for run in row.runs]
    return f"{statistics.median(shares):.0%}"


def _is(row, kind):
    """Whether a row is of an NTM, or of an LSTM, and was measured."""
    name = "lstm" if row.network in LSTMS else row.network.partition("-")[0]
    return name == kind.lower() and bool(row.reaches)


def middle_of(row):
    """The median length that the runs of a row get right."""
    return statistics.median(row.reaches)
