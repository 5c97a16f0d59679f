"""Puts the model of a run into the package as the trained network of its task.

    python benchmarks/evidence/pretrained.py runs/compare-copy/ntm-lstm-1

Copies `model.keras` to tasks/pretrained/TASK.keras and writes what made it, what it
promises, and its SHA-256 into tasks/pretrained/manifest.json. A network that does not
keep the promises of its task is an error.
"""

import dataclasses
import hashlib
import json
import pathlib
import shlex
import shutil

import click

import tasks
from tasks.contract.parameters import text_of
from tasks.pretrained import FOLDER, manifest
from tasks.runs import open_run

LARGEST = 2**20
# What the network of a task must do on 20 fresh sequences of a length beyond training:
# the length, and the largest mean of a value of `tasks.evaluate`.
PROMISES = {
    "copy": (120, {"bit_errors": 0.1}),
    # Twice the vectors, 1,600 bits; chance is 800 wrong.
    "repeat-copy": (20, {"bit_errors": 1.0}),
    # Five times the items of the longest list of training.
    "associative-recall": (30, {"bit_errors": 0.5}),
    # Bits are random: the best predictor has 69 of 300 wrong.
    "dynamic-ngrams": (300, {"bit_errors": 75.0}),
    "priority-sort": (40, {"bit_errors": 8.0}),
}


def arguments_of(run):
    """The arguments of `memnets` that make a run, every parameter named."""
    arguments = ["train", run.task.name, "--model", run.model.name]
    for parameters in (run.task, run.model, run.training):
        for name, value in dataclasses.asdict(parameters).items():
            flag = name.replace("_", "-")
            if isinstance(value, bool):
                arguments.append(f"--{flag}" if value else f"--no-{flag}")
            elif value is not None:
                arguments += [f"--{flag}", text_of(value)]
    return arguments


def broken_promises(name, model):
    """The values of a network that are larger than promised, as text."""
    length, bounds = PROMISES[name]
    (result,) = tasks.evaluate(model, name, [length], num_sequences=20)
    return [
        f"{value} at {length} is {result.values[value]}, more than {bound}"
        for value, bound in bounds.items()
        if not result.values[value] <= bound
    ]


@click.command()
@click.argument("path", metavar="RUN", type=click.Path(path_type=pathlib.Path))
def main(path):
    """Ship the model of RUN as the trained network of its task."""
    run = open_run(path)
    source = run.file("model.keras")
    if source.stat().st_size > LARGEST:
        raise click.ClickException(f"`{source}` has more than {LARGEST} bytes.")
    broken = broken_promises(run.task.name, run.load_model())
    if broken:
        raise click.ClickException("; ".join(broken))
    target = FOLDER / f"{run.task.name}.keras"
    shutil.copyfile(source, target)
    arguments = arguments_of(run)
    length, bounds = PROMISES[run.task.name]
    entry = {
        "file": target.name,
        "sha256": hashlib.sha256(target.read_bytes()).hexdigest(),
        "command": shlex.join(["memnets", *arguments]),
        "seed": run.training.seed,
        "promises": {"length": length, "at_most": bounds},
        "versions": run.versions,
    }
    entries = {**manifest(), run.task.name: entry}
    text = json.dumps(dict(sorted(entries.items())), indent=2)
    (FOLDER / "manifest.json").write_text(text + "\n", encoding="utf-8")
    click.echo(f"{target}: {target.stat().st_size:,} bytes")


if __name__ == "__main__":
    main()
