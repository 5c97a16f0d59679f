"""Grids of trainings: tasks by networks by seeds. `rivals.py`, `lineage.py` and
`chomsky.py` each have one.

The runs of a network on a task are a comparison in FOLDER/TASK/NETWORK, and go on where
they were stopped. Settings that were searched stand in FOLDER/settings.json. A grid
packs both, and reads its rows back from the pack.
"""

import dataclasses
import fcntl
import json
import os
import pathlib
from typing import Any, NamedTuple

import click
from packs import PACKS, add, name_of, rounding_of, unpacked
from pages import middle

import tasks
from tasks.cli.compare import seeds_of
from tasks.comparison.finished_run import FinishedRun, read
from tasks.contract.task import Task
from tasks.runs import open_run

SETTINGS, REACH = "settings.json", "reach.json"
NOT_RUN = "not run"


class Network(NamedTuple):
    """A network of a table.

    Attributes:
        text: What the page calls it.
        model: The name of its model.
        parameters: Parameters of the model that differ from those for the task.
    """

    text: str
    model: str
    parameters: dict[str, Any] = {}

    def model_on(self, task, **further):
        """Its model on a task."""
        return tasks.get_model(self.model, task, **further, **self.parameters)


class Row(NamedTuple):
    """The runs of a network on a task, on one rounding.

    Attributes:
        network: The name of the network in its grid.
        rounding: The backend and the kernel.
        runs: The finished runs.
        failed: How many did not finish.
        reaches: How long the sequences are that each run gets right, as far as that
            was measured.
    """

    network: str
    rounding: str
    runs: list[FinishedRun]
    failed: int
    reaches: list[int]

    @property
    def count(self):
        """How many runs there are."""
        return len(self.runs) + self.failed

    @property
    def weights(self):
        """The number of weights in words."""
        return f"{self.runs[0].summary['weights']:,}" if self.runs else ""

    @property
    def counted(self):
        """How many runs have finished, and how many have not, in words."""
        return f"{len(self.runs)}" + f", {self.failed} failed" * bool(self.failed)

    def seconds(self, each=1, form=",.0f"):
        """The time of training in units of so many seconds: the median and the
        worst."""
        return middle([run.summary["seconds"] / each for run in self.runs], form)


@dataclasses.dataclass(frozen=True)
class Grid:
    """The tasks and the networks of a table.

    Attributes:
        group: The name of its pack.
        tasks: The tasks by their names, see `packs.name_of`.
        networks: The names of its networks, without a comma, in their order.
    """

    group: str
    tasks: dict[str, Task]
    networks: tuple[str, ...]

    def folders(self, folder):
        """The folder of each network that was trained: its task, network and path."""
        for task in self.tasks:
            for network in self.networks:
                path = folder / task / network
                if path.is_dir():
                    yield task, network, path

    def keep(self, folder, packs=PACKS):
        """Packs all runs, also those that failed, and the settings that were found.
        Half a run would count as a failure: all must have ended."""
        for task, network, path in self.folders(folder):

            def name(run, task=task, network=network):
                return f"{task},{network}-{run.training.seed}"

            yield task, network, add(path, self.group, packs, named=name)
        if (folder / SETTINGS).exists():
            kept = packs / f"{self.group}-{SETTINGS}"
            kept.write_text((folder / SETTINGS).read_text())

    def settings(self, packs=PACKS):
        """The settings that were kept, by task and network."""
        path = packs / f"{self.group}-{SETTINGS}"
        return json.loads(path.read_text()) if path.exists() else {}

    def rows(self, packs=PACKS):
        """By task, a `Row` for each network and rounding that has kept runs."""
        rows = {task: [] for task in self.tasks}
        with unpacked(self.group, packs) as folder:
            for path in sorted(folder.glob("*/*/config.json")):
                _place(rows, path.parent)
        for of_task in rows.values():
            of_task.sort(key=lambda row: self.networks.index(row.network))
        return rows

    def chosen(self, names, networks, known=None):
        """The tasks and networks that were asked for; all if none were."""
        for name in names or self.tasks:
            for network in networks or known or self.networks:
                yield name, network

    @property
    def task_option(self):
        """The option that chooses among tasks."""
        return _choice("--task", "names", self.tasks)

    def network_option(self, known=None):
        """The option that chooses among networks."""
        return _choice("--network", "networks", known or self.networks)

    @property
    def keep_command(self):
        """The command that packs the runs of a folder."""

        @click.command("keep")
        @FOLDER
        def command(folder):
            """Pack the runs of FOLDER, and the settings that were found."""
            for task, network, changed in self.keep(folder):
                click.echo(f"{task} {network}: {', '.join(changed)}")

        return command


def _choice(option, name, known):
    choice = click.Choice(list(known))
    return click.option(option, name, multiple=True, type=choice, help="Only these.")


FOLDER = click.argument("folder", type=click.Path(path_type=pathlib.Path))
JOBS = click.option("--jobs", default=1, show_default=True, help="Runs at a time.")
SEQUENCES = click.option("--sequences", type=int, help="Another budget, for a try.")


def _place(rows, path):
    """Adds a kept run to the row that it belongs to."""
    run = open_run(path)
    network = path.name.rpartition("-")[0].rpartition(",")[2]
    of_task, rounding = rows[name_of(run.task)], rounding_of(run)
    row = next((r for r in of_task if r[:2] == (network, rounding)), None)
    if row is None:
        row = Row(network, rounding, [], 0, [])
        of_task.append(row)
    if not (path / "summary.json").exists():
        of_task[of_task.index(row)] = row._replace(failed=row.failed + 1)
        return
    row.runs.append(read(path))
    if (path / REACH).exists():
        row.reaches.append(json.loads((path / REACH).read_text())["length"])


def read_settings(folder):
    """What was found, by task and network."""
    path = folder / SETTINGS
    return json.loads(path.read_text()) if path.exists() else {}


def write_settings(folder, task, network, **found):
    """Adds what was found for a network on a task. Searches may run side by side."""
    folder.mkdir(parents=True, exist_ok=True)
    held = os.open(folder, os.O_RDONLY)
    try:
        fcntl.flock(held, fcntl.LOCK_EX)
        settings = read_settings(folder)
        settings.setdefault(task, {}).setdefault(network, {}).update(found)
        text = json.dumps(settings, indent=1, sort_keys=True) + "\n"
        (folder / SETTINGS).write_text(text)
    finally:
        os.close(held)


def train(out, task, model, seeds, jobs, training, sequences=None):
    """Trains a model on a task with each seed, and says what failed."""
    if sequences:
        training = dataclasses.replace(training, sequences=sequences)
    result = tasks.compare(
        task, [model], seeds_of(seeds), out, jobs=jobs, training=training
    )
    for failure in result.failures:
        click.echo(f"Error: {failure}", err=True)
    return result


def known_rows(rows, networks, cells, width):
    """The cells of each row, network by network. One without runs says so.

    Args:
        rows: The rows of a task.
        networks: By name, how the network is called in the table.
        cells: What makes the cells after the name of a network.
        width: How many cells a row has in all.
    """
    for network, text in networks.items():
        own = [row for row in rows if row.network == network]
        if not own:
            yield [text, NOT_RUN, *[""] * (width - 2)]
        for row in own:
            yield [text, *cells(row)]


def first_rows(rows):
    """The row of each network that stands for it where there is room for one: that with
    the most runs; of two, the first."""
    found = {}
    for row in rows:
        if row.network not in found or row.count > found[row.network].count:
            found[row.network] = row
    return found
