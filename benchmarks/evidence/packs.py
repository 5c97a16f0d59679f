"""The kept runs, packed: a line for each run.

    python benchmarks/evidence/packs.py --add runs/compare-copy [--to hs97]
    python benchmarks/evidence/packs.py --unpack copy FOLDER

Each line of `runs/NAME.jsonl.gz` is a JSON object with the name of the `run` and the
text of its `config.json`, `history.csv` and `summary.json`. A run without
`summary.json` did not finish, mostly because it diverged; it counts as failed.

The runs of docs/results.md have a pack for each TASK, in which a run is ROUNDING/RUN.
TASK names the parameters of the task that differ from their defaults too, as
`priority-sort,num-outputs=20`. The groups `hs97` and `which-memory` have one pack each,
with TASK/ROUNDING/RUN. The groups `rivals`, `lineage` and `chomsky` have
ROUNDING/RUN; the scripts of these names pack them. Runs of `rivals` may have a
`reach.json` too.

`--add` packs all runs below a folder, in place of earlier ones of the same names.
`--unpack` writes folders, of which `tasks.open_run` reads the last.
"""

import contextlib
import dataclasses
import gzip
import json
import pathlib
import tempfile

import click

from tasks.contract.of_few_tasks import mastered_epochs
from tasks.runs import RunError, in_use, open_run
from tasks.runs.files import write_history

PACKS = pathlib.Path(__file__).parent / "runs"
ENDING = ".jsonl.gz"
FILES = ("config.json", "history.csv", "summary.json", "reach.json")
# By group, how many epochs of a long history are kept.
MOST_ROWS = {
    **{"": None, "hs97": 20, "which-memory": 40, "rivals": 60},
    **{"lineage": 20, "chomsky": 20},
}
# Those that a script of their own packs.
GRIDS = ("rivals", "lineage", "chomsky")
# Digits of the kept histories: all runs together must stay small.
DIGITS = 6


def read_pack(path):
    """The runs of a pack: by name, the text of each file."""
    with gzip.open(path) as lines:
        rows = [json.loads(line) for line in lines]
    return {row.pop("run"): row for row in rows}


def write_pack(path, runs):
    """Writes a pack whose bytes depend on nothing but the runs."""
    rows = ({"run": name, **files} for name, files in sorted(runs.items()))
    text = "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows)
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(gzip.compress(text.encode(), mtime=0))


def files_of(run):
    """The text of each file of a run's folder that is kept."""
    paths = [run / name for name in FILES if (run / name).exists()]
    return {path.name: path.read_bytes().decode() for path in paths}


def unpack(name, folder, packs=PACKS):
    """Writes the runs of a task, of a group or of a task of a group, as folders."""
    for path in sorted(packs.glob(f"*{ENDING}")):
        pack = path.name.removesuffix(ENDING)
        if name and pack != pathlib.PurePath(name).parts[0]:
            continue
        for run, files in read_pack(path).items():
            place = pathlib.PurePath(pack, run)
            if not place.is_relative_to(name):
                continue
            target = folder / place.relative_to(name)
            target.mkdir(parents=True)
            for file, text in files.items():
                (target / file).write_bytes(text.encode())


@contextlib.contextmanager
def unpacked(name="", packs=PACKS):
    """A temporary folder with the runs of a task, of a group, or all of them."""
    with tempfile.TemporaryDirectory() as folder:
        unpack(name, pathlib.Path(folder), packs)
        yield pathlib.Path(folder)


def add(folder, group="", packs=PACKS, named=None):
    """Packs the runs below a folder, also those that failed. A long history keeps the
    number of rows of its group, its first success and its end.

    `named` names a run within its rounding, instead of its folder. Returns the changed
    packs.
    """
    sources = sorted(path.parent for path in folder.rglob("history.csv"))
    # Half a run would count as a failure.
    training = [source.name for source in sources if in_use(source)]
    if training:
        raise click.ClickException(
            f"The runs of `{folder}` must have ended. These train: "
            f"{', '.join(training)}"
        )
    new = {}
    for source in sources:
        run = open_run(source)
        parts = [rounding_of(run).lower().replace(" ", "-")]
        parts.append(named(run) if named else source.name)
        if not named:
            parts.insert(0, name_of(run.task))
        if group:
            parts.insert(0, group)
        pack, *name = parts
        history = short_history(run, MOST_ROWS[group])
        files = files_of(source) | {"history.csv": history}
        new.setdefault(packs / f"{pack}{ENDING}", {})["/".join(name)] = files
    for path, runs in new.items():
        write_pack(path, (read_pack(path) if path.exists() else {}) | runs)
    return sorted(path.name for path in new)


def rounding_of(run):
    """What decides the order in which a run added its numbers."""
    versions = run.versions
    rounding = f"{versions['backend']}-{versions.get('kernel', 'unknown')}"
    return f"{rounding}-{versions['device']}" if "device" in versions else rounding


def name_of(task):
    """The name of a task with the parameters that differ from their defaults."""
    default = dataclasses.asdict(type(task)())
    changed = {
        name: value
        for name, value in dataclasses.asdict(task).items()
        if value != default[name]
    }
    given = (f"{name.replace('_', '-')}={value}" for name, value in changed.items())
    return ",".join([task.name, *given])


def short_history(run, most_rows):
    """The text of `history.csv` with fewer digits, and at most so many rows."""
    success = run.task.success
    rows = thinned(list(run.read_history()), run.task, most_rows)
    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder) / "history.csv"
        write_history(path, [shortened(row, success) for row in rows])
        return path.read_bytes().decode()


def thinned(rows, task, most):
    """At most so many rows, evenly, and those that tell whether the run has learned
    everything: the first that is a success, and the last."""
    if most is None or len(rows) <= most:
        return rows
    places = {round(n * (len(rows) - 1) / (most - 1)) for n in range(most)}
    places |= set(range(len(rows) - mastered_epochs(task), len(rows)))
    if task.success is not None:
        reached = (n for n, row in enumerate(rows) if task.success.reached(row))
        places |= {next(reached, len(rows) - 1)}
    return [rows[place] for place in sorted(places)]


def shortened(row, success):
    """An epoch with fewer digits, unless they decide whether it is a success."""
    short = {name: float(f"{value:.{DIGITS}g}") for name, value in row.items()}
    same = success is None or success.reached(short) == success.reached(row)
    return short if same else row


@click.command()
@click.option(
    "--add",
    "folders",
    multiple=True,
    type=click.Path(path_type=pathlib.Path, exists=True, file_okay=False),
    help="A run, a comparison, or a folder of comparisons, whose runs to keep.",
)
@click.option(
    "--to",
    "group",
    type=click.Choice([group for group in MOST_ROWS if group not in ("", *GRIDS)]),
    help="The group of the page that shows the runs, if it is not docs/results.md.",
)
@click.option(
    "--unpack",
    "wanted",
    type=(str, click.Path(path_type=pathlib.Path)),
    help="A task, such as copy or hs97/adding, and a new folder for its runs.",
)
def main(folders, group, wanted):
    """Keep runs, or take kept ones out."""
    try:
        for folder in folders:
            click.echo("\n".join(add(folder, group or "")))
    except RunError as error:
        raise click.ClickException(str(error)) from error
    if wanted:
        name, folder = wanted
        if folder.exists():
            raise click.ClickException(f"`{folder}` must be a new folder.")
        unpack(name, folder)
        if not folder.exists():
            raise click.ClickException(f"There are no runs of `{name}` in `{PACKS}`.")


if __name__ == "__main__":
    main()
